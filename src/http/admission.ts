import type { KeyRecord } from '../accounts/key-store.ts';
import type { Caller, Lookups } from '../pool/caller.ts';
import { FairQueue } from '../pool/fair-queue.ts';
import { LookupMessages } from '../pool/lookup-messages.ts';
import { LOOKUPS_PER_MESSAGE } from '../pool/lookup-messages.ts';
import { LOOKUPS_PER_THREAD, LostThread, type LookupPool } from '../pool/lookup-pool.ts';
import { RowsPace } from '../pool/rows-pace.ts';
import type { LookupAnswer, LookupTask, TimedLookup } from '../shared/contract/lookup.ts';
import { unwrap, type Outcome } from '../shared/outcome.ts';
import { AppError, rateLimited, unavailable } from '../shared/problems.ts';

export interface AdmissionOptions {
  readonly pool: Pick<LookupPool, 'lookup' | 'status'>;
  /** Lookups that may wait for a thread or be in one. */
  readonly maxPending: number;
  /** Lookups that may be under way of a key that has no cap of its own. */
  readonly maxInFlight: number;
  /** Longest time of a lookup from its hand-over to its answer. */
  readonly deadlineMs: number;
}

/** Sends rows of a batch to a thread for costly work in one message. Rejects when the thread is lost. */
export type SendRows = (lookups: readonly TimedLookup[]) => Promise<readonly Outcome<LookupAnswer>[]>;

type CappedKey = Pick<KeyRecord, 'id' | 'limits'>;

/** A lookup is in the pool for only a part of its time: its limit is counted before, and its usage is written after. */
const UNDER_WAY_PER_PENDING = 2;

/** Keys with less than their share are let in beyond the limit, up to this multiple of it. */
const BEYOND = 2;

/** Shared instances: creating an error per refusal would spend most of the time on its stack trace, which nobody reads here. */
export const tooMany = unavailable('OVERLOADED', 'too many lookups are under way');
export const tooManyAtOnce = rateLimited('AT_ONCE', 'this key has too many lookups under way at once', {
  retryAfterS: 1,
});

/**
 * Decides for the whole service whether a lookup is taken or refused for load, at three moments: before Express, before the body is
 * read, and when the lookup is handed to the pool, which may have filled up meanwhile (docs/decisions/0063). A key has a cap. When the
 * service is full, it refuses the keys that have their share of it, and not the others (docs/decisions/0064).
 */
export class Admission implements Lookups {
  readonly #options: AdmissionOptions;
  readonly #queue: FairQueue;
  /** Lookups whose request was read and is not yet answered, by key. */
  readonly #underWay = new Map<string, number>();
  readonly #pace = new RowsPace();
  #total = 0;

  constructor(options: AdmissionOptions) {
    const { pool, maxPending, deadlineMs } = options;
    const { threads, costlyThreads } = pool.status();
    const slots = { plain: Math.min(threads * LOOKUPS_PER_THREAD, maxPending), costly: costlyThreads };
    this.#options = options;
    this.#queue = new FairQueue({ slots, deadlineMs, pace: this.#pace });
  }

  /** False as long as no key can be refused that has no smaller cap of its own. */
  get isBusy(): boolean {
    return this.#isFull || this.#total >= this.#options.maxInFlight;
  }

  /** Lookups that wait for a thread. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Returns why the next lookup of this key would be refused; null when it would be taken. */
  refusalOf({ id, limits }: CappedKey): AppError | null {
    const own = this.#underWay.get(id) ?? 0;
    if (own >= (limits.inFlight ?? this.#options.maxInFlight)) return tooManyAtOnce;
    return this.#isFull && !this.#hasRoomFor(own + 1) ? tooMany : null;
  }

  /** @throws AppError RATE_LIMITED or DB_ERROR, both with `Retry-After`, as `refusalOf`. */
  check(key: CappedKey): void {
    const refusal = this.refusalOf(key);
    if (refusal) throw refusal;
  }

  /** Does the work of a request, and counts it until it ends. @throws as `check`, and what `work` throws. */
  async during<Answer>(key: CappedKey, work: () => Promise<Answer>): Promise<Answer> {
    this.check(key);
    this.#count(key.id, 1);
    try {
      return await work();
    } finally {
      this.#count(key.id, -1);
    }
  }

  /** Hands a lookup to the pool when its turn comes. @throws AppError DB_ERROR with `Retry-After` when the pool is full, and what the pool throws. */
  async lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer> {
    if (caller.messages) return answerRow(task, caller.messages);
    if (this.#isPoolFull && !this.#hasRoomFor(this.#underWay.get(caller.keyId) ?? 0)) throw tooMany;
    return this.#queue.run(task, caller, (leftMs) => this.#options.pool.lookup(task, leftMs));
  }

  /**
   * Returns a caller for rows of a batch. Those that it asks for in one turn of the event loop go to the thread in messages of up to
   * `LOOKUPS_PER_MESSAGE`; each message is one turn of the lane for costly lookups, in the name of the key. They count for no limit of load.
   */
  rowsCaller(who: Omit<Caller, 'messages'>, sendRows: SendRows): Caller {
    const send: SendRows = (lookups) => this.#queue.runRows(who, () => sendRows(lookups));
    return { ...who, messages: new LookupMessages({ threads: 1, atOnce: LOOKUPS_PER_MESSAGE, send }) };
  }

  get #isFull(): boolean {
    return this.#total >= UNDER_WAY_PER_PENDING * this.#options.maxPending || this.#isPoolFull;
  }

  get #isPoolFull(): boolean {
    const { pool, maxPending } = this.#options;
    return pool.status().pending + this.#queue.waiting >= maxPending;
  }

  /** Whether a key with so many lookups under way is within its share of a service that is full. */
  #hasRoomFor(own: number): boolean {
    const { pool, maxPending } = this.#options;
    const share = Math.max(1, Math.floor(maxPending / Math.max(1, this.#underWay.size)));
    const isBeyond = this.#total >= BEYOND * UNDER_WAY_PER_PENDING * maxPending;
    // Threads that are all stuck answer nobody.
    const isStuck = pool.status().pending >= maxPending;
    return own <= share && !isBeyond && !isStuck;
  }

  #count(keyId: string, change: 1 | -1): void {
    this.#total += change;
    this.#pace.count(change);
    const own = (this.#underWay.get(keyId) ?? 0) + change;
    if (own === 0) this.#underWay.delete(keyId);
    else this.#underWay.set(keyId, own);
  }
}

/** @throws AppError of the row; `LostThread` when the row ended its thread also by itself. */
async function answerRow(task: LookupTask, messages: LookupMessages): Promise<LookupAnswer> {
  const outcome = await messages.ask({ task, deadline: null }).catch((cause: unknown) => {
    throw cause instanceof AppError ? cause : new LostThread(cause);
  });
  return unwrap(outcome);
}
