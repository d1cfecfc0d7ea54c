import type { KeyRecord } from '../keys/key-store.ts';
import { before } from './before.ts';
import type { Caller, Lookups } from './caller.ts';
import { kindOf, type ByKind, type LoadKind } from './costly.ts';
import { Lane, type Started } from './lane.ts';
import { LOOKUPS_PER_MESSAGE, LookupMessages } from './lookup-messages.ts';
import { LOOKUPS_PER_THREAD, type LookupPool } from './lookup-pool.ts';
import { LostThread } from './lost-thread.ts';
import { RowsPace } from './rows-pace.ts';
import { measured, noThreadInTime, turnIn } from './turn.ts';
import type { LookupAnswer, LookupTask, TimedLookup } from '../../messages/lookup.ts';
import { unwrap, type Outcome } from '../../messages/outcome.ts';
import { AppError, rateLimited, unavailable } from '../../messages/problems.ts';

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
 *
 * What it takes waits in a lane for a free place in the threads. Keys take turns by the thread time that they have used, so that one
 * key's lookups never wait for all those of another. Costly lookups have threads and a lane of their own.
 */
export class Admission implements Lookups {
  readonly #options: AdmissionOptions;
  readonly #lanes: ByKind<Lane>;
  readonly #underWay: ByKind<Load> = { plain: new Load(), costly: new Load() };
  readonly #pace = new RowsPace();

  constructor(options: AdmissionOptions) {
    const { pool, maxPending } = options;
    const { threads, costlyThreads } = pool.status();
    this.#options = options;
    const costly = new Lane(costlyThreads, () => this.#pace.isOpen);
    this.#lanes = { plain: new Lane(Math.min(threads * LOOKUPS_PER_THREAD, maxPending)), costly };
    this.#pace.onOpen(() => {
      costly.startWaiting();
    });
  }

  /** False as long as no key can be refused that has no smaller cap of its own. */
  get isBusy(): boolean {
    const { plain, costly } = this.#underWay;
    return this.#isFull('plain') || this.#isFull('costly') || plain.total + costly.total >= this.#options.maxInFlight;
  }

  /** Lookups of a kind that wait for a thread, without rows of batches. */
  waiting(kind: LoadKind): number {
    return this.#lanes[kind].waiting;
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

  /** Counts a lookup that is answered for as long as its answer is on its way. */
  async keep({ id }: CappedKey, kind: LoadKind, hasGone: Promise<void>): Promise<void> {
    this.#underWay[kind].count(id, 1);
    await hasGone;
    this.#underWay[kind].count(id, -1);
  }

  /**
   * Hands a lookup to the pool when its turn comes. @throws AppError DB_ERROR with `Retry-After` when the pool is full or the turn does not come in
   * time, and what the pool throws.
   */
  async lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer> {
    if (caller.messages) return answerRow(task, caller.messages);
    const { pool, deadlineMs } = this.#options;
    const { keyId, isGone } = caller;
    const kind = kindOf(task);
    if (this.#isPoolFull(kind) && !this.#hasRoomFor(kind, this.#underWay[kind].of(keyId))) throw tooMany;
    const endMs = performance.now() + deadlineMs;
    const lane = this.#lanes[kind];
    const start = (started: Started): Promise<LookupAnswer> =>
      measured(lane, started, task, pool.lookup(task, endMs - performance.now()));
    if (lane.isFree) return start(lane.begin(keyId));
    // One that would end too late is not worth its thread time: under overload the threads would do nothing else.
    const isWanted = (): boolean =>
      !isGone() && endMs - performance.now() > Math.min(2 * lane.expectedMs, deadlineMs / 2);
    const answer = turnIn((waiting) => {
      lane.add(keyId, { isWanted, ...waiting });
    }, start);
    return before(answer, deadlineMs, noThreadInTime);
  }

  /**
   * Returns a caller for rows of a batch. Those that it asks for in one turn of the event loop go to the thread in messages of up to
   * `LOOKUPS_PER_MESSAGE`; each message is one turn of the lane for costly lookups, in the name of the key. They count for no limit of load.
   */
  rowsCaller(who: Omit<Caller, 'messages'>, sendRows: SendRows): Caller {
    const send: SendRows = (lookups) => this.#runRows(who, () => sendRows(lookups));
    return { ...who, messages: new LookupMessages({ threads: 1, atOnce: LOOKUPS_PER_MESSAGE, send }) };
  }

  /**
   * Does the work of one message with rows of a batch when its turn in the lane for costly lookups comes and people leave room, however long that takes.
   * @throws what `work` throws; AppError DB_ERROR when the caller is gone.
   */
  async #runRows<Answers>({ keyId, isGone }: Caller, work: () => Promise<Answers>): Promise<Answers> {
    const lane = this.#lanes.costly;
    const start = async (started: Started): Promise<Answers> => {
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        this.#pace.messageEnded();
        // The slot is the thread's, so the time of the message is the time of the thread.
        lane.end(started, performance.now() - startMs);
      }
    };
    if (isGone()) throw noThreadInTime();
    if (lane.isFree && this.#pace.isOpen) return start(lane.begin(keyId));
    return turnIn((waiting) => {
      lane.addRows(keyId, { isWanted: () => !isGone(), ...waiting });
    }, start);
  }

  #isFull(kind: LoadKind): boolean {
    const { total } = this.#underWay[kind];
    return total >= UNDER_WAY_PER_PENDING * this.#options.maxPending || this.#isPoolFull(kind);
  }

  #isPoolFull(kind: LoadKind): boolean {
    const { pool, maxPending } = this.#options;
    return pool.status().pending[kind] + this.waiting(kind) >= maxPending;
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
