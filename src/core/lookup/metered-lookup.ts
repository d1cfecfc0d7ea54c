import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempted, JournalOperations, StoredAnswer } from '../../messages/journal.ts';
import type { AskedTask, LookupAnswer, StageTimes } from '../../messages/lookup.ts';
import type { Caller, Lookups } from '../pool/gate.ts';
import { AppError, idempotencyKeyReused, unavailable } from '../../messages/problems.ts';
import type { Budget } from '../limits/budget.ts';
import type { Idempotency } from './idempotency.ts';
import type { KeyRecord } from '../keys/key-store.ts';
import { burstLimit, lookupLimit, replayLimit, type QuotaState } from '../limits/limit-words.ts';
import type { Quota, Spending, Quotas } from '../limits/quota.ts';

interface MeteredRequest {
  readonly key: KeyRecord;
  readonly task: AskedTask;
  /** The client's `Idempotency-Key`; null without one. */
  readonly idempotencyKey: string | null;
  readonly caller: Caller;
  /** Called with what the key has left, before the answer and before any failure. */
  readonly onQuota: (state: QuotaState) => void;
  /** Called with the body of an answer before it is recorded. A BAD_REQUEST that it throws refuses the request, which then costs nothing. */
  readonly onAnswer?: ((json: string) => void) | undefined;
  /** Identifies what the request says besides its task: with one `Idempotency-Key` it must be the same again. */
  readonly besides?: string | undefined;
  /** Receives the times of the stages of the request. */
  readonly times?: StageTimes;
}

interface MeteredAnswer extends Pick<LookupAnswer, 'json'> {
  /** Id of the snapshot that answered; null: an earlier version kept the answer without it. */
  readonly vintage: string | null;
  /** Null when the answer is that of an earlier request. */
  readonly fresh: { readonly lookupId: string } | null;
}

/** A first attempt: its id, its claim if it has one, and whether a lost attempt already spent its unit. */
interface Attempt {
  readonly lookupId: string;
  readonly claimed: Attempted | null;
  readonly isSpent: boolean;
}

/** Time for limit and journal besides the lookup's own deadline; after both an attempt counts as lost. */
const ATTEMPT_MARGIN_MS = 10_000;

const POLL_MS = 50;

/** Repeated answers that a key may get in the time of its limit, for each lookup that the limit allows. */
const REPLAYS_PER_LOOKUP = 5;

/**
 * Counts lookups: spends the unit of the limit before the lookup and records the usage on the disk after it, each only
 * once.
 */
export class MeteredLookup {
  readonly #context: ConstructorParameters<typeof MeteredLookup>[0];
  readonly #quota: Quota;

  constructor(context: {
    readonly pool: Lookups;
    readonly quotas: Quotas;
    readonly journal: {
      do(operation: 'record', input: JournalOperations['record'][0]): Promise<JournalOperations['record'][1]>;
    };
    readonly idempotency: Idempotency;
    readonly budget: Pick<Budget, 'refusalOf' | 'ownShareOf' | 'take'>;
    /** Limit of a key that has none of its own. */
    readonly limitPerHour: number;
    /** Longest time of a lookup in the pool. */
    readonly lookupDeadlineMs: number;
  }) {
    this.#context = context;
    this.#quota = context.quotas.of(lookupLimit);
  }

  /** Returns what a key has left. */
  quotaOf(key: KeyRecord): Promise<QuotaState> {
    return this.#quota.peek(key.id, this.#limitOf(key));
  }

  /** Returns what a key has left, and why its next lookup would be refused for its hour or its month; null when it would not. */
  async leftOf(key: KeyRecord): Promise<{ readonly quota: QuotaState; readonly refusal: AppError | null }> {
    const quota = await this.quotaOf(key);
    const { budget } = this.#context;
    return { quota, refusal: budget.refusalOf(key) ?? (quota.remaining > 0 ? null : this.#quota.refusal(quota)) };
  }

  /**
   * @throws AppError RATE_LIMITED, what `LookupPool.lookup` throws, DB_ERROR when the usage cannot be recorded, BAD_REQUEST when
   * the `Idempotency-Key` was used for another request.
   */
  async answer(request: MeteredRequest): Promise<MeteredAnswer> {
    const { key, task, idempotencyKey } = request;
    const lookupId = createLookupId(Date.now());
    const { burstPerS } = key.limits;
    if (burstPerS !== null) await this.#context.quotas.of(burstLimit).spend(key.id, burstPerS);
    if (idempotencyKey === null) return this.#attempt(request, { lookupId, claimed: null, isSpent: false });
    const claimed = { keyId: key.id, idempotencyKey, requestHash: hashOf(task, request.besides), attemptId: lookupId };
    const { quota, refusal } = await this.leftOf(key);
    const claim = await this.#claim(claimed, refusal === null);
    switch (claim.kind) {
      case 'not begun':
        request.onQuota(quota);
        throw refusal ?? this.#quota.refusal(quota);
      case 'answered':
        request.onQuota(quota);
        return this.#repeat(request, claim.answer);
      default:
        return this.#attempt(request, { lookupId: claim.lookupId, claimed, isSpent: claim.kind === 'resumed' });
    }
  }

  /** Waits while another request with the same key is under way. */
  async #claim(claimed: Attempted, mayBegin: boolean) {
    const { idempotency, lookupDeadlineMs } = this.#context;
    const attemptMs = lookupDeadlineMs + ATTEMPT_MARGIN_MS;
    const endMs = performance.now() + lookupDeadlineMs;
    for (;;) {
      const options = { lookupId: claimed.attemptId, mayBegin, attemptMs };
      const claim = await idempotency.claim(claimed, options);
      if (claim.kind === 'other request') {
        throw idempotencyKeyReused();
      }
      if (claim.kind !== 'under way') return claim;
      if (performance.now() > endMs) {
        throw unavailable('IN_PROGRESS', 'the first request with this Idempotency-Key is under way');
      }
      await sleep(POLL_MS);
    }
  }

  /** Answers as before, or looks up again where the answer is not kept any more. Neither is counted nor billed. */
  async #repeat({ key, task, caller, onAnswer }: MeteredRequest, answer: StoredAnswer | null): Promise<MeteredAnswer> {
    const { pool, quotas } = this.#context;
    await quotas.of(replayLimit).spend(key.id, this.#limitOf(key) * REPLAYS_PER_LOOKUP);
    const { json, vintage = null } = answer ? replayed(answer) : await pool.lookup(task, caller);
    onAnswer?.(json);
    return { json, vintage, fresh: null };
  }

  async #attempt(request: MeteredRequest, attempt: Attempt): Promise<MeteredAnswer> {
    const { pool, idempotency } = this.#context;
    const { times = {}, task, caller } = request;
    const startMs = performance.now();
    const spending = await this.#spend(request, attempt);
    const spentMs = performance.now();
    times.quotaMs = spentMs - startMs;
    let isRecording = false;
    try {
      const asked = task.members ? { ...task, lookupId: attempt.lookupId } : task;
      const found = await pool.lookup(asked, caller).catch((cause: unknown) => this.#keepRefusal(cause, attempt));
      const { json, vintage = null, geocodeMs, layersMs } = found;
      request.onAnswer?.(json);
      const foundMs = performance.now();
      times.queueMs = foundMs - spentMs - geocodeMs - layersMs;
      times.geocodeMs = geocodeMs;
      times.layersMs = layersMs;
      isRecording = true;
      await this.#record(request, attempt, { json, vintage });
      times.journalMs = performance.now() - foundMs;
      return { json, vintage, fresh: { lookupId: attempt.lookupId } };
    } catch (cause) {
      const { status, code } = AppError.from(cause);
      if (status >= 500 || code === 'RATE_LIMITED' || code === 'BAD_REQUEST') {
        // A failure of the service costs nothing, nor does a budget that is used up, nor an area that only the thread finds too large; the next
        // attempt is a new request.
        if (spending) request.onQuota(await spending.giveBack());
        // The thread of the journal may have been lost after its commit.
        if (attempt.claimed) await idempotency.abandon(attempt.claimed, isRecording && status >= 500);
      }
      throw cause;
    }
  }

  async #spend({ key, onQuota }: MeteredRequest, { claimed, isSpent }: Attempt): Promise<Spending | null> {
    if (isSpent) {
      onQuota(await this.quotaOf(key));
      return null;
    }
    try {
      const refusal = this.#context.budget.refusalOf(key);
      if (refusal) {
        onQuota(await this.quotaOf(key));
        throw refusal;
      }
      const spending = await this.#quota.spend(key.id, this.#limitOf(key));
      onQuota(spending.state);
      return spending;
    } catch (cause) {
      if (claimed) await this.#context.idempotency.abandon(claimed);
      throw cause;
    }
  }

  /** On the disk before it is on the wire. */
  async #record(
    { key }: MeteredRequest,
    { lookupId, claimed }: Attempt,
    found: Pick<MeteredAnswer, 'json' | 'vintage'>,
  ): Promise<void> {
    const { journal, idempotency, budget } = this.#context;
    const usage = { id: lookupId, keyId: key.id, customer: key.customer };
    const answered = claimed ? { ...claimed, lookupId, answer: { ...found, code: null } } : null;
    const use = await journal.do('record', { usage, answered, mostOfMonth: await budget.ownShareOf(key) });
    await budget.take(key, use);
    if (answered) await idempotency.share({ ...answered, code: null });
  }

  /** Stores a refusal such as "not found", so that a retry gets it again. */
  async #keepRefusal(cause: unknown, { lookupId, claimed }: Attempt): Promise<never> {
    const error = AppError.from(cause);
    if (claimed && error.status < 500 && error.code !== 'BAD_REQUEST') {
      const json = JSON.stringify({ detail: error.message, extras: error.extras });
      const answer = { json, code: error.code as StoredAnswer['code'] };
      await this.#context.idempotency.store({ ...claimed, lookupId, answer });
    }
    throw error;
  }

  #limitOf(key: KeyRecord): number {
    return key.limitPerHour ?? this.#context.limitPerHour;
  }
}

/** Identifies a request among those of one `Idempotency-Key`. */
function hashOf(task: AskedTask, besides?: string): string {
  const parts = besides === undefined ? partsOf(task) : [...partsOf(task), { besides }];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * The list of an address has three parts, that of a point five, that of an area two; then come, if any, its map, its detail, the further answers and
 * the members of features.
 */
function partsOf(task: AskedTask): readonly unknown[] {
  const added = [
    ...(task.further ? [{ further: task.further }] : []),
    ...(task.members ? [{ members: task.members }] : []),
  ];
  const { geometry = null } = task;
  const { full } = task;
  if (task.kind === 'area') {
    const asked = [...(geometry ? [{ geometry }] : []), ...(full === true ? [{ full }] : []), ...added];
    return [task.polygons, task.isClosed, ...asked];
  }
  const place = task.kind === 'address' ? [task.address] : [task.lat, task.lon, task.uncertaintyM ?? null];
  return [...place, full, geometry, ...added];
}

/** @throws AppError when the answer was a failure. */
function replayed(answer: StoredAnswer): StoredAnswer {
  const { code, json } = answer;
  if (code === null) return answer;
  const { detail, extras } = JSON.parse(json) as { detail: string; extras: Readonly<Record<string, unknown>> };
  throw new AppError(code, detail, { extras });
}

/**
 * Makes an id: `lkp_`, the time in milliseconds as 12 hexadecimal digits, and 20 random digits. Ids in the order of
 * time keep an index compact.
 */
export function createLookupId(nowMs: number): string {
  // Node's pool of UUIDs costs a tenth of `randomBytes`. The digits of the UUID that are used here are all random.
  const random = randomUUID();
  return `lkp_${nowMs.toString(16).padStart(12, '0')}${random.slice(0, 8)}${random.slice(24)}`;
}
