import type { Logger } from 'winston';
import type { FoundKey, KeyStore } from '../accounts/key-store.ts';
import { keyFault } from '../accounts/keys.ts';
import type { Caller, Lookups } from '../pool/caller.ts';
import type { LookupMessagesOptions } from '../pool/lookup-messages.ts';
import { SnapshotGone, type PinnedSnapshot } from '../pool/pinned-snapshot.ts';
import { counted, noRows, type OutcomeCounts } from '../rows/outcomes.ts';
import { fail } from '../shared/outcome.ts';
import { answerRows, PAUSES_MS, type RowAnswering, type TriedRow } from './answer-rows.ts';
import type { BatchStore, ChunkResult } from './batch-store.ts';
import { ROWS_PER_CHUNK, type BatchChunk, type BatchJob } from './job.ts';
import { Lease } from './lease.ts';
import type { Payer, RowBilling } from './row-billing.ts';
import { rowLine, rowLookupId } from './row-line.ts';

export interface ChunkWorkOptions {
  readonly store: BatchStore;
  readonly lookups: Lookups;
  /** Makes the caller of rows (`Admission.rowsCaller`). */
  readonly rowsCaller: (who: Omit<Caller, 'messages'>, send: LookupMessagesOptions['send']) => Caller;
  readonly snapshots: Pick<PinnedSnapshot, 'prepare' | 'lookupRows'>;
  readonly keys: Pick<KeyStore, 'findById'>;
  readonly billing: RowBilling;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** Rows of a chunk that are under way at once. */
  readonly rowsAtOnce: number;
  readonly pausesMs?: readonly number[];
}

/** Attempts to end a chunk whose key uses its budget elsewhere at the same moment. */
const BUDGET_ATTEMPTS = 10;

/** What became of a chunk. `counts` are null when nothing of it was stored. */
export interface ChunkEnd {
  readonly counts: OutcomeCounts | null;
}

const NOTHING: ChunkEnd = { counts: null };

/**
 * Answers, bills and stores one chunk. A batch whose key or snapshot is gone fails. On a stop the chunk is left for others.
 * @throws Error when the chunk can be neither answered nor stored at the moment; it is left for others.
 */
export async function workOn(chunk: BatchChunk, options: ChunkWorkOptions, stop: AbortSignal): Promise<ChunkEnd> {
  const { store } = options;
  using lease = new Lease(store, chunk);
  try {
    const key = await options.keys.findById(chunk.job.keyId);
    const fault = keyFault(key);
    if (fault !== null) return await endBatch(chunk.job, `it was not continued: ${fault}`, options);
    const payer = { job: chunk.job, key: key! };
    const end = await answerAndStore(chunk, payer, { options, lease, stop });
    if (stop.aborted && end === null) await store.giveBack(chunk);
    return end ?? NOTHING;
  } catch (cause) {
    if (cause instanceof SnapshotGone) return await endBatch(chunk.job, cause.message, options);
    await store.giveBack(chunk).catch(() => undefined);
    throw cause;
  }
}

async function endBatch({ id }: BatchJob, error: string, { store }: ChunkWorkOptions): Promise<ChunkEnd> {
  await store.fail(id, error);
  return NOTHING;
}

interface Working {
  readonly options: ChunkWorkOptions;
  readonly lease: Lease;
  readonly stop: AbortSignal;
}

interface Payers extends Payer {
  readonly job: BatchJob;
  readonly key: FoundKey;
}

/** Null when the chunk was lost or the work was stopped. @throws SnapshotGone, and what the store throws. */
async function answerAndStore(chunk: BatchChunk, payer: Payers, working: Working): Promise<ChunkEnd | null> {
  const { store, snapshots, lookups, rowsCaller, rowsAtOnce, pausesMs = PAUSES_MS } = working.options;
  const { job } = chunk;
  const prepare = (): Promise<void> => snapshots.prepare(job.snapshot);
  await prepare();
  const rows = await store.rowsOf(chunk);
  const over = new AbortController();
  const isOver = (): boolean => over.signal.aborted || working.lease.isLost || working.stop.aborted;
  const answering: RowAnswering = {
    ...{ lookups, atOnce: rowsAtOnce, pausesMs, beforeRetry: prepare },
    caller: rowsCaller({ keyId: job.keyId, isGone: isOver }, (some) => snapshots.lookupRows(job.snapshot, some)),
    full: job.detail === 'full',
    signal: AbortSignal.any([over.signal, working.stop]),
  };
  const answers: ChunkAnswers = new ChunkAnswers(job.id);
  try {
    for await (const row of answerRows(rows, chunk.index * ROWS_PER_CHUNK + 1, answering)) answers.add(row);
    if (isOver()) return null;
  } finally {
    over.abort();
  }
  answers.tellFaults(chunk, working.options.logger);
  return finish(chunk, { answers, payer }, working.options);
}

async function finish(
  chunk: BatchChunk,
  { answers, payer }: { readonly answers: ChunkAnswers; readonly payer: Payers },
  { store, billing }: ChunkWorkOptions,
): Promise<ChunkEnd | null> {
  for (let attempt = 1; ; attempt++) {
    const beyond = await billing.beyondBudget(payer, answers.lookupIds);
    const { ids, ...result } = answers.resultWithout(beyond, () => billing.refusal(payer).message);
    const budget = { isUsedUp: false };
    try {
      const isStored = await store.finish(chunk, result, async () => {
        budget.isUsedUp = !(await billing.bill(payer, ids));
        if (budget.isUsedUp) throw new Error('the budget of the key was used up meanwhile');
      });
      return isStored ? { counts: result.counts } : null;
    } catch (cause) {
      if (!budget.isUsedUp || attempt === BUDGET_ATTEMPTS) throw cause;
    }
  }
}

/** The answers of a chunk, as lines of its result. */
class ChunkAnswers {
  readonly #batchId: string;
  readonly #rows: { readonly tried: TriedRow; readonly line: string; readonly lookupId: string }[] = [];

  constructor(batchId: string) {
    this.#batchId = batchId;
  }

  add(tried: TriedRow): void {
    const lookupId = tried.answer.ok ? rowLookupId(this.#batchId, tried.row) : '';
    this.#rows.push({ tried, lookupId, line: rowLine(tried, lookupId) });
  }

  /** Ids of the rows with 200. */
  get lookupIds(): string[] {
    return this.#rows.filter(({ tried }) => tried.answer.ok).map(({ lookupId }) => lookupId);
  }

  /** The result, in which the lookups `beyond` the budget are refused, and the ids of those that are billed. */
  resultWithout(beyond: ReadonlySet<string>, refusal: () => string): ChunkResult & { readonly ids: readonly string[] } {
    const ids: string[] = [];
    let [text, counts] = ['', noRows];
    for (const { tried, line, lookupId } of this.#rows) {
      const isRefused = beyond.has(lookupId);
      const answer = isRefused ? fail('RATE_LIMITED', refusal()) : tried.answer;
      if (answer.ok) ids.push(lookupId);
      text += isRefused ? rowLine({ ...tried, answer }, lookupId) : line;
      counts = counted(counts, answer);
    }
    return { text, counts, ids };
  }

  /** One log line for all rows of the chunk that the service failed to answer. */
  tellFaults({ job, index }: BatchChunk, logger: Pick<Logger, 'error'>): void {
    const faults = this.#rows.flatMap(({ tried }) => tried.fault ?? []);
    if (faults.length === 0) return;
    logger.error('rows of a batch failed', {
      ...{ batch: job.id, chunk: index, rows: faults.length },
      detail: messageOf(faults[0]!),
    });
  }
}

/** The message of what an error came of, which says more than its own. */
function messageOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}
