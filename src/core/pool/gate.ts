import type { LookupAnswer, LookupTask } from '../../messages/lookup.ts';
import { unwrap } from '../../messages/outcome.ts';
import { AppError, rateLimited, unavailable } from '../../messages/problems.ts';
import type { KeyRecord } from '../keys/key-store.ts';
import { before } from './before.ts';
import { Lane, RowsPace, type Started, type Waiting } from './lane.ts';
import { LookupMessages, type SendLookups } from './lookup-messages.ts';
import { kindOf, LOOKUPS_PER_THREAD, type ByKind, type LoadKind, type LookupPool } from './lookup-pool.ts';

/** Who asks for a lookup. */
export interface Caller {
  readonly keyId: string;
  readonly kind: LoadKind;
  /** Says that the client has left, so that nobody waits for the answer. */
  readonly isGone: () => boolean;
  /** For rows of a batch: the messages in which they go to the threads for costly work. */
  readonly rows?: LookupMessages;
}

/** Looks up for a caller. */
export interface Lookups {
  /** @throws AppError as `LookupPool.lookup`. */
  lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer>;
}

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
 * Lets lookups into the pool of the snapshot in service. It refuses for load, for the whole service, at three moments: before Express, before the
 * body is read, and when the lookup is handed to the pool, which may have filled up meanwhile. A key has a cap. When the
 * service is full, it refuses the keys that have their share of it, and not the others. It is full of plain or of
 * costly lookups, each by itself: those that wait for a costly thread which hangs are in the way of no plain one (docs/decisions/0005).
 *
 * What it takes waits in a lane for a free place in the threads. Keys take turns by the thread time that they have used, so that one
 * key's lookups never wait for all those of another. Costly lookups have threads and a lane of their own.
 */
export class Gate implements Lookups {
  readonly #options: ConstructorParameters<typeof Gate>[0];
  readonly #lanes: ByKind<Lane>;
  readonly #underWay: ByKind<Load> = { plain: new Load(), costly: new Load() };
  readonly #pace = new RowsPace(() => {
    this.#lanes.costly.startWaiting();
  });

  constructor(options: {
    /** The pool may be another one from lookup to lookup. */
    readonly snapshots: { readonly pool: Pick<LookupPool, 'lookup' | 'status'> };
    /** Lookups of each kind that may wait for a thread or be in one. */
    readonly maxPending: number;
    /** Lookups that may be under way of a key that has no cap of its own. */
    readonly maxInFlight: number;
    /** Longest time of a lookup from its hand-over to its answer. */
    readonly deadlineMs: number;
  }) {
    const { snapshots, maxPending } = options;
    const { threads, costlyThreads } = snapshots.pool.status;
    this.#options = options;
    const plain = new Lane(Math.min(threads * LOOKUPS_PER_THREAD, maxPending));
    this.#lanes = { plain, costly: new Lane(costlyThreads, () => this.#pace.isOpen) };
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
    this.#underWay[kind].count(key.id, 1);
    this.#pace.count(1);
    try {
      return await work();
    } finally {
      this.#underWay[kind].count(key.id, -1);
      this.#pace.count(-1);
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
  async lookup(task: LookupTask, { keyId, kind, isGone, rows }: Caller): Promise<LookupAnswer> {
    if (rows) return unwrap(await rows.ask({ task, deadline: null }, kindOf(task) === 'costly'));
    const { deadlineMs } = this.#options;
    if (this.#isPoolFull(kind) && !this.#hasRoomFor(kind, this.#underWay[kind].of(keyId))) throw tooMany;
    const endMs = performance.now() + deadlineMs;
    const lane = this.#lanes[kind];
    if (lane.isFree) return this.#start(task, lane.begin(keyId), { kind, endMs });
    // One that would end too late is not worth its thread time: under overload the threads would do nothing else.
    const isWanted = (): boolean =>
      !isGone() && endMs - performance.now() > Math.min(2 * lane.expectedMs, deadlineMs / 2);
    const answer = turnIn(
      (waiting) => {
        lane.add(keyId, { isWanted, ...waiting });
      },
      (started) => this.#start(task, started, { kind, endMs }),
    );
    return before(answer, deadlineMs, noThreadInTime);
  }

  /**
   * Returns a caller for rows of a batch. Those that it asks for in one turn of the event loop go to the thread in messages of up to
   * `LOOKUPS_PER_MESSAGE`. Each message has a turn of the lane for costly lookups in the name of the key, when people leave room, however long that takes.
   * They count for no limit of load. Looking up @throws what `sendRows` throws; AppError DB_ERROR when the caller is gone.
   */
  rowsCaller({ keyId, isGone }: Pick<Caller, 'keyId' | 'isGone'>, sendRows: SendLookups): Caller {
    const lane = this.#lanes.costly;
    const send: SendLookups = async (lookups) => {
      const start = async (started: Started): ReturnType<SendLookups> => {
        const startMs = performance.now();
        try {
          return await sendRows(lookups);
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
    };
    return { keyId, isGone, kind: 'costly', rows: new LookupMessages(1, send) };
  }

  /** Asks the pool, and gives the lane its slot back with the thread time of the lookup. */
  async #start(
    task: LookupTask,
    started: Started,
    { kind, endMs }: { readonly kind: LoadKind; readonly endMs: number },
  ): Promise<LookupAnswer> {
    const startMs = performance.now();
    let threadMs: number | null = null;
    try {
      const answer = await this.#options.snapshots.pool.lookup(task, kind, endMs - startMs);
      // Another server found a "place", outside the thread.
      threadMs = answer.layersMs + (task.kind === 'place' ? 0 : answer.geocodeMs);
      return answer;
    } catch (cause) {
      // A refused address takes little; a lookup that broke its deadline has kept a thread all the time.
      if (AppError.from(cause).status >= 500) threadMs = performance.now() - startMs;
      throw cause;
    } finally {
      this.#lanes[kind].end(started, threadMs);
    }
  }

  #isFull(kind: LoadKind): boolean {
    const { total } = this.#underWay[kind];
    return total >= UNDER_WAY_PER_PENDING * this.#options.maxPending || this.#isPoolFull(kind);
  }

  #isPoolFull(kind: LoadKind): boolean {
    const { snapshots, maxPending } = this.#options;
    return snapshots.pool.status.pending[kind] + this.#lanes[kind].waiting >= maxPending;
  }

  /** Whether a key with so many lookups under way is within its share of a service that is full. */
  #hasRoomFor(kind: LoadKind, own: number): boolean {
    const { snapshots, maxPending } = this.#options;
    const { byKey, total } = this.#underWay[kind];
    const share = Math.max(1, Math.floor(maxPending / Math.max(1, byKey.size)));
    const isBeyond = total >= BEYOND * UNDER_WAY_PER_PENDING * maxPending;
    // Threads that are all stuck answer nobody.
    const isStuck = snapshots.pool.status.pending[kind] >= maxPending;
    return own <= share && !isBeyond && !isStuck;
  }
}

/** Waits for a turn: `add` puts it into a lane, and `start` begins when it comes. @throws AppError DB_ERROR when the lane drops it. */
function turnIn<Answer>(
  add: (waiting: Omit<Waiting, 'isWanted'>) => void,
  start: (started: Started) => Promise<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    add({
      start: (started) => {
        start(started).then(resolve, reject);
      },
      drop: () => {
        reject(noThreadInTime());
      },
    });
  });
}

/** The failure of what had no turn while somebody waited for it. */
function noThreadInTime(): AppError {
  return unavailable('OVERLOADED', 'no thread was free in time');
}
