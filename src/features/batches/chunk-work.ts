import type { Logger } from 'winston';
import { NO_LIMITS, type FoundKey, type KeyStore } from '../../core/keys/key-store.ts';
import { keyFault } from '../../core/keys/keys.ts';
import type { Caller, Lookups } from '../../core/pool/caller.ts';
import type { LookupMessagesOptions } from '../../core/pool/lookup-messages.ts';
import { SnapshotGone, type PinnedSnapshot } from '../../core/pool/pinned-snapshot.ts';
import type { OutcomeCounts } from './rows/outcomes.ts';
import { answerRows, rowRetry, type RowAnswering, type RowRetry } from './answer-rows.ts';
import type { BatchStore } from './batch-store.ts';
import { ChunkAnswers } from './chunk-answers.ts';
import { ROWS_PER_CHUNK, type BatchChunk, type BatchJob } from './job.ts';
import { Lease } from './lease.ts';
import { lookUpRows } from './look-up-rows.ts';
import type { MissingKeys } from './missing-keys.ts';
import type { Payer, RowBilling } from './row-billing.ts';

export interface ChunkWorkOptions {
  readonly store: BatchStore;
  readonly lookups: Lookups;
  /** Makes the caller of rows (`Admission.rowsCaller`). */
  readonly rowsCaller: (who: Omit<Caller, 'messages'>, send: LookupMessagesOptions['send']) => Caller;
  readonly snapshots: Pick<PinnedSnapshot, 'prepare' | 'lookupRows'>;
  readonly keys: Pick<KeyStore, 'findById'>;
  readonly missingKeys: MissingKeys;
  readonly billing: RowBilling;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** Rows of a chunk that are under way at once. */
  readonly rowsAtOnce: number;
  /** That of production unless given. */
  readonly retry?: RowRetry;
}

/** Attempts to end a chunk whose key uses its budget elsewhere at the same moment. */
const BUDGET_ATTEMPTS = 10;

/** What became of a chunk. `counts` are null when nothing of it was stored. */
export interface ChunkEnd {
  readonly counts: OutcomeCounts | null;
}

/** Advice for the operator (docs/operations.md, Change to Redis). */
const HELP =
  'processes on one DATA_DIR have different key stores: give all of them the same REDIS_URL, and copy the keys with "land-lookup keys export" and "keys import"';

const NOTHING: ChunkEnd = { counts: null };

/**
 * Answers, bills and stores one chunk. A batch whose key is gone fails. On a stop, or without its snapshot, the chunk is left for others.
 * @throws Error when the chunk can be neither answered nor stored at the moment; it is left for others.
 */
export async function workOn(chunk: BatchChunk, options: ChunkWorkOptions, stop: AbortSignal): Promise<ChunkEnd> {
  const { store } = options;
  using lease = new Lease(store, chunk);
  try {
    const key = await options.keys.findById(chunk.job.keyId);
    if (isLeftToOthers(chunk.job, key, options)) {
      await store.giveBack(chunk);
      return NOTHING;
    }
    const fault = chunk.mayBeBilled ? null : keyFault(key);
    if (fault !== null) return await endBatch(chunk.job, `it was not continued: ${fault}`, options);
    tellBegin(chunk, options.logger);
    const payer = { job: chunk.job, key: key ?? { id: chunk.job.keyId, limits: NO_LIMITS } };
    const end = await answerAndStore(chunk, payer, { options, lease, stop });
    if (stop.aborted && end === null) await store.giveBack(chunk);
    return end ?? NOTHING;
  } catch (cause) {
    await store.giveBack(chunk).catch(() => undefined);
    // What becomes of the batch is decided by `BatchStore.reportSnapshots`.
    if (cause instanceof SnapshotGone) return NOTHING;
    throw cause;
  }
}

/** Says whether the key of a batch may be in another store, which another process of this machine has. */
function isLeftToOthers({ id, keyId }: BatchJob, key: FoundKey | null, options: ChunkWorkOptions): boolean {
  const { missingKeys, logger } = options;
  if (key) {
    missingKeys.found(keyId);
    return false;
  }
  const state = missingKeys.note(keyId);
  if (state === 'first')
    logger.error('a batch waits for a process that has its key', { batch: id, key: keyId, help: HELP });
  return state !== 'gone';
}

function tellBegin({ job, index }: BatchChunk, logger: Pick<Logger, 'info'>): void {
  if (index === 0) logger.info('batch begins', { batch: job.id, key: job.keyId, rows: job.rows });
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

/** Null when the chunk was lost or the work was stopped. @throws SnapshotGone, and what the store throws. */
async function answerAndStore(chunk: BatchChunk, payer: Payer, working: Working): Promise<ChunkEnd | null> {
  const { options, lease, stop } = working;
  const claimed = await options.store.claimedAnswers(chunk);
  if (claimed !== null)
    return await finish(chunk, { answers: ChunkAnswers.stored(chunk.job.id, claimed), payer }, options);
  await options.snapshots.prepare(chunk.job.snapshot);
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  stop.addEventListener('abort', end);
  try {
    const isOver = (): boolean => over.signal.aborted || lease.isLost || stop.aborted;
    const answers = await answersTo(chunk, options, { over, isOver });
    if (lease.isLost || stop.aborted) return null;
    over.signal.throwIfAborted();
    tellFaults(chunk, answers.faults, options.logger);
    return await finish(chunk, { answers, payer }, options);
  } finally {
    stop.removeEventListener('abort', end);
  }
}

interface Ending {
  /** Ends the attempts to answer rows; its reason is why. */
  readonly over: AbortController;
  readonly isOver: () => boolean;
}

async function answersTo(
  chunk: BatchChunk,
  { store, snapshots, lookups, rowsCaller, rowsAtOnce, retry = rowRetry }: ChunkWorkOptions,
  { over, isOver }: Ending,
): Promise<ChunkAnswers> {
  const { id, keyId, detail, further, members, snapshot } = chunk.job;
  const answering: RowAnswering = {
    ...{ lookups, atOnce: rowsAtOnce, retry, signal: over.signal },
    detail: {
      full: detail === 'full',
      ...(further.length > 0 ? { further } : {}),
      ...(Object.keys(members).length > 0 ? { members } : {}),
    },
    caller: rowsCaller({ keyId, isGone: isOver }, (some) => lookUpRows(some, chunk, { store, snapshots })),
    // Another snapshot may have come into service meanwhile.
    beforeRetry: () =>
      snapshots.prepare(snapshot).catch((cause: unknown) => {
        over.abort(cause);
      }),
  };
  const answers = new ChunkAnswers(id);
  const rows = await store.rowsOf(chunk);
  for await (const row of answerRows(rows, chunk.index * ROWS_PER_CHUNK + 1, answering)) answers.add(row);
  return answers;
}

async function finish(
  chunk: BatchChunk,
  { answers, payer }: { readonly answers: ChunkAnswers; readonly payer: Payer },
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

/** One log line for all rows of the chunk that the service failed to answer. */
function tellFaults({ job, index }: BatchChunk, faults: readonly Error[], logger: Pick<Logger, 'error'>): void {
  const [first] = faults;
  if (!first) return;
  // What an error came of says more than its own message.
  const detail = first.cause instanceof Error ? first.cause.message : first.message;
  logger.error('rows of a batch failed', { batch: job.id, chunk: index, rows: faults.length, detail });
}
