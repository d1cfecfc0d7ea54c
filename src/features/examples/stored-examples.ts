import type { Logger } from 'winston';
import { Loop } from '../../core/loop/loop.ts';
import { partKey } from '../../core/parts/parts.ts';
import type { LookupPool } from '../../core/pool/lookup-pool.ts';
import type { SnapshotService } from '../../core/pool/snapshot-service.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { LookupTask, Suggestion } from '../../messages/lookup.ts';
import { errorOf } from '../../messages/outcome.ts';
import { MINUTE_MS } from '../../messages/time.ts';
import { type ExampleLookupBody, type ExampleOutcome, exampleOutcomes } from './wire.ts';
import type { FullLookupBody, LayerState } from '../../messages/wire/full-lookup.ts';
import { Content } from '../../core/http/content.ts';

/** An answer that anybody may see. */
export interface StoredExample {
  readonly outcome: ExampleOutcome;
  /** As it was asked for. */
  readonly address: string;
  /** An `ExampleLookupBody`. */
  readonly content: Content;
}

export const examplesPart = partKey<Pick<StoredExamples, 'all'>>('examples');

export function bodyOf({ content }: StoredExample): ExampleLookupBody {
  return JSON.parse(content.bytes.toString()) as ExampleLookupBody;
}

/** Of the bundled sample: one for each outcome. */
const OF_SAMPLE = [
  '4 Wharf Lane, Maple Sample, ON',
  '13 Marsh Rd, Fiddlehead Corners, ON',
  '4 Station St, Sampleton, ON',
  '14 rue Principale, Petit-Échantillon, ON',
  '12 Main St W, Sampleton, ON',
];

const CITY_HALLS = [
  '100 Queen St W, Toronto, ON',
  '110 Laurier Ave W, Ottawa, ON',
  '216 Ontario St, Kingston, ON',
  '71 Main St W, Hamilton, ON',
  '300 Dufferin Ave, London, ON',
];

/** The register completes them to addresses. Streets with such names are in many towns, and some of them lie near water or in the country. */
const BEGINNINGS = [
  '10 River Rd',
  '10 Lakeshore',
  '12 Mill St',
  '20 Concession',
  '5 Beach',
  '1 Main St',
  '10 King St',
  '1',
  '10',
  '100',
];
const MOST_COMPLETED = 3;

/** The same each time, because documents are made again for other examples. */
const NONE: readonly StoredExample[] = [];

/** How often it looks whether another snapshot is in service. */
const LOOK_MS = 2000;

/**
 * Example answers of the snapshot in service. They are made once for each snapshot, one lookup at a time, in the lane of rows of batches: no client's lookup
 * counts them as load or waits for them. What fails for a passing reason is tried again.
 */
export class StoredExamples implements AsyncDisposable {
  readonly #options;
  readonly #loop: Loop;
  #made: { readonly snapshot: string; readonly examples: readonly StoredExample[] } | null = null;

  constructor(options: {
    readonly snapshots: Pick<SnapshotService, 'manifest'> & { readonly pool: Pick<LookupPool, 'lookupRows'> };
    readonly catalogue: Catalogue;
    readonly logger: Pick<Logger, 'warn'>;
    /** Null: lookups give no geometry. */
    readonly maps: object | null;
  }) {
    this.#options = options;
    this.#loop = new Loop({
      everyMs: LOOK_MS,
      turn: (stop) => this.#make(stop),
      onFailure: (cause) => options.logger.warn('the examples of the page are not made yet', { detail: String(cause) }),
      backoff: { firstMs: 1000, mostMs: 5 * MINUTE_MS },
    });
  }

  /** Empty until those of the snapshot in service are made. */
  get all(): readonly StoredExample[] {
    return this.#made?.snapshot === this.#options.snapshots.manifest.id ? this.#made.examples : NONE;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  async #make(stop: AbortSignal): Promise<void> {
    const { snapshots, catalogue } = this.#options;
    const { id, gazetteer } = snapshots.manifest;
    if (this.#made?.snapshot === id) return;
    const answered: Answered[] = [];
    // Without a register no address is found.
    for await (const address of gazetteer === null ? [] : this.#addresses(gazetteer.sample)) {
      if (stop.aborted) return;
      const answer = await this.#answer(address);
      // Another snapshot came into service.
      if (answer !== null && answer.body.snapshot.id !== id) return;
      if (answer !== null) answered.push(answer);
    }
    const examples = oneOfEach(catalogue, answered).map(([outcome, { address, body, madeAt }]) => {
      const example: ExampleLookupBody = { ...body, example: { outcome, address, madeAt } };
      return { outcome, address, content: new Content(Buffer.from(JSON.stringify(example))) };
    });
    this.#made = { snapshot: id, examples };
  }

  /** Addresses that may be examples, at most 35. */
  async *#addresses(ofSample: boolean): AsyncGenerator<string> {
    if (ofSample) {
      yield* OF_SAMPLE;
      return;
    }
    yield* CITY_HALLS;
    for (const text of BEGINNINGS) {
      const json = await this.#ask({ kind: 'suggest', text, limit: MOST_COMPLETED });
      const { suggestions } = JSON.parse(json ?? '{"suggestions":[]}') as {
        readonly suggestions: readonly Suggestion[];
      };
      for (const suggestion of suggestions) if (suggestion.kind === 'address') yield suggestion.text;
    }
  }

  async #answer(address: string): Promise<Answered | null> {
    const near = this.#options.maps === null ? {} : ({ geometry: 'near' } as const);
    const json = await this.#ask({ kind: 'address', address, full: true, ...near });
    return json === null
      ? null
      : { address, body: JSON.parse(json) as FullLookupBody, madeAt: new Date().toISOString() };
  }

  /** Returns the body of an answer; null for what the register does not have. @throws AppError for what may be answered later. */
  async #ask(task: LookupTask): Promise<string | null> {
    const [outcome] = await this.#options.snapshots.pool.lookupRows([{ task, deadline: null }]);
    if (outcome!.ok) return Buffer.from(outcome!.value.bytes ?? outcome!.value.json).toString();
    const error = errorOf(outcome!);
    if (error.status < 500 || error.reason === 'NO_REGISTER') return null;
    throw error;
  }
}

/** An address that was asked for, with its answer. */
interface Answered {
  readonly address: string;
  readonly body: FullLookupBody;
  readonly madeAt: string;
}

/** Returns the first answer for each outcome that one of them shows; none of them twice. */
function oneOfEach(
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
