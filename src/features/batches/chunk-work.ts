import type { Logger } from 'winston';
import { type FoundKey, type KeyStore, NO_LIMITS } from '../../core/keys/key-store.ts';
import { keyFault } from '../../core/keys/keys.ts';
import type { Gate, Lookups } from '../../core/pool/gate.ts';
import { type OutcomeCounts, counted, noRows } from './rows/outcomes.ts';
import { type RowAnswering, type RowRetry, type TriedRow, answerRows, rowRetry } from './answer-rows.ts';
import type { BatchStore } from './batch-store.ts';
import { type BatchChunk, type BatchJob, type ChunkResult, ROWS_PER_CHUNK } from './job.ts';
import type { MissingKeys } from './missing-keys.ts';
import { type PinnedSnapshot, SnapshotGone } from './pinned-snapshot.ts';
import type { Payer, RowBilling } from './row-billing.ts';
import { Loop } from '../../core/loop/loop.ts';
import { HungThread } from '../../core/pool/lookup-messages.ts';
import type { LookupAnswer, TimedLookup } from '../../messages/lookup.ts';
import { type Outcome, type Failure, fail } from '../../messages/outcome.ts';
import { AppError, problems, publicMembers } from '../../messages/problems.ts';
import type { LimitReason } from '../../messages/reasons.ts';
import { hash } from 'node:crypto';
import { rowOfLine } from './results.ts';

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

interface AnsweredLine {
  readonly row: number;
  readonly customId: string | null;
  /** Empty unless the row has 200. */
  readonly lookupId: string;
  /** The answer without its text, which is in the line. */
  readonly outcome: Outcome<null>;
  readonly line: readonly Uint8Array[];
}

/** The answers of a chunk, as lines of its result in parts. */
export class ChunkAnswers {
  readonly #batchId: string;
  readonly #lines: AnsweredLine[] = [];
  readonly #faults: Error[] = [];

  constructor(batchId: string) {
    this.#batchId = batchId;
  }

  /** Takes the answers that are stored (`ChunkResult.text`) as they are. */
  static stored(batchId: string, text: string): ChunkAnswers {
    const answers = new ChunkAnswers(batchId);
    for (const stored of text.trimEnd().split('\n')) {
      const { row, customId, lookupId, answer } = rowOfLine(stored);
      const outcome: Outcome<null> = answer.ok ? { ok: true, value: null } : answer;
      answers.#lines.push({ row, customId, lookupId: lookupId ?? '', outcome, line: [Buffer.from(`${stored}\n`)] });
    }
    return answers;
  }

  add(tried: TriedRow): void {
    const { row, customId, answer, fault } = tried;
    const lookupId = answer.ok ? rowLookupId(this.#batchId, row) : '';
    const line = rowLine(tried, lookupId);
    this.#lines.push({ row, customId, lookupId, line, outcome: answer.ok ? { ok: true, value: null } : answer });
    if (fault) this.#faults.push(fault);
  }

  /** Failures of the service. */
  get faults(): readonly Error[] {
    return this.#faults;
  }

  /** Ids of the rows with 200. */
  get lookupIds(): string[] {
    return this.#lines.filter(({ outcome }) => outcome.ok).map(({ lookupId }) => lookupId);
  }

  /** The result, in which the lookups `beyond` the budget are refused, and the ids of those that are billed. */
  resultWithout(beyond: ReadonlySet<string>, refusal: () => string): ChunkResult & { readonly ids: readonly string[] } {
    const ids: string[] = [];
    const parts: Uint8Array[] = [];
    let counts = noRows;
    for (const one of this.#lines) {
      const { lookupId, line } = one;
      const refused = beyond.has(lookupId)
        ? fail('RATE_LIMITED', refusal(), { reason: 'PER_MONTH' satisfies LimitReason })
        : null;
      const outcome = refused ?? one.outcome;
      if (outcome.ok) ids.push(lookupId);
      parts.push(...(refused ? refusedLine(one, refused) : line));
      counts = counted(counts, outcome);
    }
    return { text: Buffer.concat(parts), counts, ids };
  }
}

function refusedLine({ row, customId, lookupId }: AnsweredLine, answer: Failure): readonly Uint8Array[] {
  return rowLine({ row, customId, answer }, lookupId);
}

/** Digits of the time in a batch's id, behind `bat_`. */
const TIME_DIGITS = 12;
const HASH_DIGITS = 20;

/**
 * Returns the id of the lookup that a row is: `lkp_`, the batch's time as in its id, and 20 digits of the SHA-256 of batch and row. A row that is
 * answered twice has the same id both times, so that it is billed once.
 */
export function rowLookupId(batchId: string, row: number): string {
  const time = batchId.slice('bat_'.length, 'bat_'.length + TIME_DIGITS);
  return `lkp_${time}${hash('sha256', `${batchId}:${row}`).slice(0, HASH_DIGITS)}`;
}

const END = Buffer.from('}\n');

/** Returns the parts of a row's line in the results: NDJSON in UTF-8, with its line end. `lookupId` is that of a row with 200. */
function rowLine({ row, customId, answer }: Omit<TriedRow, 'fault'>, lookupId: string): readonly Uint8Array[] {
  const head = `{"row":${row},"custom_id":${JSON.stringify(customId)}`;
  if (answer.ok) {
    return [Buffer.from(`${head},"status":200,"code":null,"lookupId":"${lookupId}","body":`), answer.value, END];
  }
  const { status } = problems[answer.code];
  const line = `${head},"status":${status},"code":"${answer.code}","lookupId":null,"body":${JSON.stringify(publicMembers(answer))}`;
  return [Buffer.from(line), END];
}
