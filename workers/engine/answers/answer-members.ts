/** Members that features add to answers, and what they are told of the place. */
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { LookupDetail } from '../../../src/messages/lookup.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import type { Answered, AnsweredLayer, AnsweredPlace, Nearest, ServedSnapshot } from '../feature.ts';
import type { PlaceView } from '../views/view.ts';
import { answerLayer } from '../kinds/kinds.ts';
import { evidenceOf } from './evidence.ts';
import { nearestToPlace } from './nearest.ts';

/** Returns the members with their names, a comma before each. One whose feature is left out is left out too: a batch may be older than FEATURES. */
export function membersJson(
  { members }: Pick<ServedSnapshot, 'members'>,
  asked: NonNullable<LookupDetail['members']>,
  answered: Answered,
): string {
  let json = '';
  for (const [feature, what] of Object.entries(asked)) {
    const member = members.get(feature);
    if (member) json += `,"${member.name}":${member.write(what, answered)}`;
  }
  return json;
}

interface OfPlace extends Pick<AnsweredPlace, 'answers' | 'uncertaintyM' | 'lookupId'> {
  readonly view: PlaceView;
  readonly from: Pick<ServedSnapshot, 'cells' | 'sourceUntil'>;
  /** What the answer has told of its layers, in the order of its answers. Empty: nothing. */
  readonly told: readonly LayerEvidence[];
}

/** Tells features of a place. What the answer has not said yet is found when it is asked for. */
export function answeredPlace({ view, from, answers, uncertaintyM, lookupId, told }: OfPlace): AnsweredPlace {
  const { cells, sourceUntil } = from;
  const positions = positionsIn(answers);
  const known: (AnsweredLayer | undefined)[] = [];
  const layer = (key: string): AnsweredLayer | null => {
    const at = positions.get(key);
    if (at === undefined) return null;
    const { dataSet, answer } = answers[at]!;
    return (known[at] ??= lookedAt(view, { dataSet, answer, evidence: told[at] }, { uncertaintyM, sourceUntil }));
  };
  const nearest = (key: string, withinM: number): Nearest | null => {
    const at = positions.get(key);
    return at === undefined ? null : nearestToPlace(view, cells, answers[at]!, { withinM, uncertaintyM });
  };
  return { kind: 'place', answers, uncertaintyM, lookupId, layer, nearest };
}

function lookedAt(
  view: PlaceView,
  {
    dataSet,
    answer,
    evidence: told,
  }: Pick<AnsweredLayer, 'dataSet' | 'answer'> & { readonly evidence: LayerEvidence | undefined },
  place: Pick<Parameters<typeof evidenceOf>[1], 'uncertaintyM' | 'sourceUntil'>,
): AnsweredLayer {
  const given = answerLayer(view, dataSet, answer);
  if (told) return { dataSet, answer, given, evidence: told };
  let evidence: LayerEvidence | undefined;
  return {
    ...{ dataSet, answer, given },
    // It looks farther around than the answer does.
    get evidence() {
      return (evidence ??= evidenceOf(view, { dataSet, answer, given, ...place }));
    },
  };
}

const positionsByAnswers = new WeakMap<Catalogue['answers'], ReadonlyMap<string, number>>();

/** Where each layer is in a list of answers, by key. */
function positionsIn(answers: Catalogue['answers']): ReadonlyMap<string, number> {
  let positions = positionsByAnswers.get(answers);
  if (positions === undefined)
    positionsByAnswers.set(answers, (positions = new Map(answers.map(({ answer }, i) => [answer.key, i]))));
  return positions;
}
