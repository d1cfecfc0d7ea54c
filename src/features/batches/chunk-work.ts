import type { Logger } from 'winston';
import { type FoundKey, type KeyStore, NO_LIMITS } from '../../core/keys/key-store.ts';
import { keyFault } from '../../core/keys/keys.ts';
import type { Gate, Lookups } from '../../core/pool/gate.ts';
import { type OutcomeCounts } from './rows/row.ts';
import { type RowAnswering, type RowRetry, answerRows, rowRetry } from './answer-rows.ts';
import type { BatchStore } from './batch-store.ts';
import { type BatchChunk, type BatchJob, ROWS_PER_CHUNK } from './job.ts';
import { type PinnedSnapshot, SnapshotGone } from './pinned-snapshot.ts';
import type { Payer, RowBilling } from './row-billing.ts';
import { Loop } from '../../core/loop/loop.ts';
import { HungThread } from '../../core/pool/hung-threads.ts';
import type { LookupAnswer, TimedLookup } from '../../messages/lookup.ts';
import { type Outcome, fail } from '../../messages/outcome.ts';
import { AppError } from '../../messages/problems.ts';
import { ChunkAnswers, rowLookupId } from './results.ts';
import { DAY_MS } from '../../messages/time.ts';

export interface ChunkWorkOptions {
  readonly store: BatchStore;
  readonly lookups: Lookups;
  readonly gate: Pick<Gate, 'rowsCaller'>;
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
interface ChunkEnd {
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

/** Null when the chunk was lost or the work was stopped. @throws SnapshotGone, and what the store throws. */
async function answerAndStore(
  chunk: BatchChunk,
  payer: Payer,
  working: { readonly options: ChunkWorkOptions; readonly lease: Lease; readonly stop: AbortSignal },
): Promise<ChunkEnd | null> {
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

/** @param over ends the attempts to answer rows; its reason is why. */
async function answersTo(
  chunk: BatchChunk,
  { store, snapshots, lookups, gate, rowsAtOnce, retry = rowRetry }: ChunkWorkOptions,
  { over, isOver }: { over: AbortController; isOver: () => boolean },
): Promise<ChunkAnswers> {
  const { id, keyId, detail, further, members, snapshot } = chunk.job;
  const answering: RowAnswering = {
    lookups,
    atOnce: rowsAtOnce,
    retry,
    signal: over.signal,
    lookupIdOf: (row) => rowLookupId(id, row),
    detail: {
      full: detail === 'full',
      ...(further.length > 0 ? { further } : {}),
      ...(Object.keys(members).length > 0 ? { members } : {}),
    },
    caller: gate.rowsCaller({ keyId, isGone: isOver }, (some) => lookUpRows(some, chunk, { store, snapshots })),
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

/** Several renewals fit into a lease, so that one that fails costs nothing. */
const RENEWED_EVERY_MS = 5000;

/** Keeps a chunk as long as it is worked on. */
export class Lease implements Disposable {
  readonly #renewing: Loop;
  #isLost = false;

  constructor(store: Pick<BatchStore, 'renew'>, chunk: BatchChunk, everyMs = RENEWED_EVERY_MS) {
    this.#renewing = new Loop({
      everyMs,
      firstMs: everyMs,
      turn: async () => {
        const isOurs = await store.renew(chunk);
        this.#isLost ||= !isOurs;
      },
      // The next renewal may go well; `finish` has the last word.
      onFailure: () => undefined,
    });
  }

  /** The chunk is not this worker's any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  [Symbol.dispose](): void {
    this.#renewing.stop();
  }
}

/** Threads that a chunk may lose before a row that loses one by itself is given up. */
const MOST_LOSSES = 3;

/**
 * Sends rows to a thread. A row that loses one by itself, and not the first ones that its chunk loses, has no answer, so that it does not end thread after
 * thread, also after a restart (docs/decisions/0205).
 */
async function lookUpRows(
  rows: readonly TimedLookup[],
  chunk: BatchChunk,
  { store, snapshots }: { store: Pick<BatchStore, 'countLoss'>; snapshots: Pick<PinnedSnapshot, 'lookupRows'> },
): Promise<readonly Outcome<LookupAnswer>[]> {
  try {
    return await snapshots.lookupRows(chunk.job.snapshot, rows);
  } catch (cause) {
    const isHung = cause instanceof HungThread;
    // Every other failure of the pool is no lost thread.
    if (cause instanceof AppError && !isHung) throw cause;
    const losses = await store.countLoss(chunk);
    if (isHung || rows.length > 1 || losses < MOST_LOSSES) throw cause;
    return [fail('UNANSWERABLE', `the row ended its thread; the chunk has lost ${losses}`)];
  }
}

/**
 * Keys of batches that this process does not find. Another process of the machine may have another key store, for example while `REDIS_URL` is
 * introduced, so their batches are left to it for a day (docs/decisions/0120).
 */
export class MissingKeys {
  readonly #restingMs: number;
  readonly #goneAfterMs: number;
  readonly #missing = new Map<string, { readonly sinceMs: number; lookedAtMs: number }>();

  /**
   * @param restingMs time after which a key that was not found is looked for again.
   * @param goneAfterMs time for which a key must be missing until it counts as gone.
   */
  constructor({ restingMs = 10_000, goneAfterMs = DAY_MS }: { restingMs?: number; goneAfterMs?: number } = {}) {
    this.#restingMs = restingMs;
    this.#goneAfterMs = goneAfterMs;
  }

  /** Says whether a key is not worth looking for at the moment. */
  isResting(keyId: string): boolean {
    const missing = this.#missing.get(keyId);
    return missing !== undefined && performance.now() - missing.lookedAtMs < this.#restingMs;
  }

  /** Notes that a key was not found. `left`: it may be in another store; `first` the first time; `gone`: it was missing for a day. */
  note(keyId: string): 'first' | 'left' | 'gone' {
    const nowMs = performance.now();
    const missing = this.#missing.get(keyId);
    if (!missing) {
      this.#missing.set(keyId, { sinceMs: nowMs, lookedAtMs: nowMs });
      return 'first';
    }
    missing.lookedAtMs = nowMs;
    return nowMs - missing.sinceMs < this.#goneAfterMs ? 'left' : 'gone';
  }

  found(keyId: string): void {
    this.#missing.delete(keyId);
  }
}
