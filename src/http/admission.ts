import type { KeyRecord } from '../accounts/keys/key-store.ts';
import type { Caller, Lookups } from '../pool/caller.ts';
import { kindOf, type ByKind, type LoadKind } from '../pool/costly.ts';
import { FairQueue } from '../pool/fair-queue.ts';
import { LookupMessages } from '../pool/lookup-messages.ts';
import { LOOKUPS_PER_MESSAGE } from '../pool/lookup-messages.ts';
import { LOOKUPS_PER_THREAD, type LookupPool } from '../pool/lookup-pool.ts';
import { LostThread } from '../pool/lost-thread.ts';
import { RowsPace } from '../pool/rows-pace.ts';
import type { LookupAnswer, LookupTask, TimedLookup } from '../shared/contract/lookup.ts';
import { unwrap, type Outcome } from '../shared/outcome.ts';
import { AppError, rateLimited, unavailable } from '../shared/problems.ts';

export interface AdmissionOptions {
  readonly pool: Pick<LookupPool, 'lookup' | 'status'>;
  /** Lookups of each kind that may wait for a thread or be in one. */
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

/** Lookups of one kind whose request was read and is not yet answered, by key. */
class Load {
  readonly byKey = new Map<string, number>();
  total = 0;

  of(keyId: string): number {
    return this.byKey.get(keyId) ?? 0;
  }

  count(keyId: string, change: 1 | -1): void {
    this.total += change;
    const own = this.of(keyId) + change;
    if (own === 0) this.byKey.delete(keyId);
    else this.byKey.set(keyId, own);
  }
}

/** Shared instances: creating an error per refusal would spend most of the time on its stack trace, which nobody reads here. */
export const tooMany = unavailable('OVERLOADED', 'too many lookups are under way');
export const tooManyAtOnce = rateLimited('AT_ONCE', 'this key has too many lookups under way at once', {
  retryAfterS: 1,
});

/**
 * Decides for the whole service whether a lookup is taken or refused for load, at three moments: before Express, before the body is
 * read, and when the lookup is handed to the pool, which may have filled up meanwhile. A key has a cap. When the
 * service is full, it refuses the keys that have their share of it, and not the others. It is full of plain or of
 * costly lookups, each by itself: those that wait for a costly thread which hangs are in the way of no plain one (docs/decisions/0005).
 */
export class Admission implements Lookups {
  readonly #options: AdmissionOptions;
  readonly #queue: FairQueue;
  readonly #underWay: ByKind<Load> = { plain: new Load(), costly: new Load() };
  readonly #pace = new RowsPace();

  constructor(options: AdmissionOptions) {
    const { pool, maxPending, deadlineMs } = options;
    const { threads, costlyThreads } = pool.status();
    const slots = { plain: Math.min(threads * LOOKUPS_PER_THREAD, maxPending), costly: costlyThreads };
    this.#options = options;
    this.#queue = new FairQueue({ slots, deadlineMs, pace: this.#pace });
  }

  /** False as long as no key can be refused that has no smaller cap of its own. */
  get isBusy(): boolean {
    const { plain, costly } = this.#underWay;
    return this.#isFull('plain') || this.#isFull('costly') || plain.total + costly.total >= this.#options.maxInFlight;
  }

  /** Lookups of a kind that wait for a thread. */
  waiting(kind: LoadKind): number {
    return this.#queue.waiting(kind);
  }

  /** Returns why the next lookup of this kind and key would be refused; null when it would be taken. */
  refusalOf({ id, limits }: CappedKey, kind: LoadKind): AppError | null {
    const { plain, costly } = this.#underWay;
    if (plain.of(id) + costly.of(id) >= (limits.inFlight ?? this.#options.maxInFlight)) return tooManyAtOnce;
    return this.#isFull(kind) && !this.#hasRoomFor(kind, this.#underWay[kind].of(id) + 1) ? tooMany : null;
  }

  /** @throws AppError RATE_LIMITED or DB_ERROR, both with `Retry-After`, as `refusalOf`. */
  check(key: CappedKey, kind: LoadKind): void {
    const refusal = this.refusalOf(key, kind);
    if (refusal) throw refusal;
  }

  /** Does the work of a request, and counts it until it ends. @throws as `check`, and what `work` throws. */
  async during<Answer>(key: CappedKey, kind: LoadKind, work: () => Promise<Answer>): Promise<Answer> {
    this.check(key, kind);
    this.#count(key.id, kind, 1);
    try {
      return await work();
    } finally {
      this.#count(key.id, kind, -1);
    }
  }

  /** Hands a lookup to the pool when its turn comes. @throws AppError DB_ERROR with `Retry-After` when the pool is full, and what the pool throws. */
  async lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer> {
    if (caller.messages) return answerRow(task, caller.messages);
    const kind = kindOf(task);
    if (this.#isPoolFull(kind) && !this.#hasRoomFor(kind, this.#underWay[kind].of(caller.keyId))) throw tooMany;
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

  #isFull(kind: LoadKind): boolean {
    const { total } = this.#underWay[kind];
    return total >= UNDER_WAY_PER_PENDING * this.#options.maxPending || this.#isPoolFull(kind);
  }

  #isPoolFull(kind: LoadKind): boolean {
    const { pool, maxPending } = this.#options;
    return pool.status().pending[kind] + this.#queue.waiting(kind) >= maxPending;
  }

  /** Whether a key with so many lookups under way is within its share of a service that is full. */
  #hasRoomFor(kind: LoadKind, own: number): boolean {
    const { pool, maxPending } = this.#options;
    const { byKey, total } = this.#underWay[kind];
    const share = Math.max(1, Math.floor(maxPending / Math.max(1, byKey.size)));
    const isBeyond = total >= BEYOND * UNDER_WAY_PER_PENDING * maxPending;
    // Threads that are all stuck answer nobody.
    const isStuck = pool.status().pending[kind] >= maxPending;
    return own <= share && !isBeyond && !isStuck;
  }

  #count(keyId: string, kind: LoadKind, change: 1 | -1): void {
    this.#underWay[kind].count(keyId, change);
    this.#pace.count(change);
  }
}

/** @throws AppError of the row; `LostThread` when the row ended its thread also by itself. */
async function answerRow(task: LookupTask, messages: LookupMessages): Promise<LookupAnswer> {
  const outcome = await messages.ask({ task, deadline: null }).catch((cause: unknown) => {
    throw cause instanceof AppError ? cause : new LostThread(cause);
  });
  return unwrap(outcome);
}
