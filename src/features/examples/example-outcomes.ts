import type { Catalogue } from '../../catalogue/catalogue.ts';
import { exampleOutcomes, type ExampleOutcome } from './wire.ts';
import type { FullLookupBody, LayerState } from '../../messages/wire/full-lookup.ts';

/** An address that was asked for, with its answer. */
export interface Answered {
  readonly address: string;
  readonly body: FullLookupBody;
  readonly madeAt: string;
}

/** Returns the first answer for each outcome that one of them shows; none of them twice. */
export function oneOfEach(
  catalogue: Catalogue,
  answered: readonly Answered[],
): readonly (readonly [ExampleOutcome, Answered])[] {
  const left = new Set(answered);
  return (Object.keys(exampleOutcomes) as ExampleOutcome[]).flatMap((outcome) => {
    const first = [...left].find(({ body }) => shows(catalogue, body)[outcome]);
    if (first === undefined) return [];
    left.delete(first);
    return [[outcome, first] as const];
  });
}

/** The page sorts answers by the same rule (`web/answers/findings.ts`). */
function shows({ answers }: Catalogue, { evidence, layers }: FullLookupBody): Record<ExampleOutcome, boolean> {
  const inState = (states: readonly LayerState[]) =>
    answers.map(({ answer }) => answer).filter(({ key }) => states.includes(evidence[key]!.state));
  const found = inState(['present']);
  const here = found.filter(({ key }) => layers[key] !== 'adjacent');
  const isHazard = found.some(({ reader }) => reader?.concern === 'hazard');
  const isRestricted = here.some(({ reader }) => reader?.concern === 'restriction');
  const isClose = here.some(({ kind, reader }) => kind === 'proximity' && (reader?.concern ?? 'nearby') === 'nearby');
  const isUnknown = inState(['no_coverage', 'unavailable']).some(({ reader }) => reader?.concern === 'hazard');
  return {
    hazard: isHazard,
    restriction: !isHazard && isRestricted,
    close: !isHazard && !isRestricted && isClose,
    unknown: !isHazard && isUnknown,
    clear: !isHazard && !isRestricted && !isClose && !isUnknown,
  };
}
