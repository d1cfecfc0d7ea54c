import type { LookupAnswer, LookupTask } from '../shared/contract/lookup.ts';
import { AppError, unavailable } from '../shared/problems.ts';
import { before } from './before.ts';
import type { Caller } from './caller.ts';
import { Lane, type Started } from './lane.ts';
import { kindOf, type ByKind, type LoadKind } from './costly.ts';
import type { RowsPace } from './rows-pace.ts';

export interface FairQueueOptions {
  /** Lookups of each lane that the threads hold at a time; all others wait here. */
  readonly slots: ByKind<number>;
  /** Longest time of a lookup, with its wait. */
  readonly deadlineMs: number;
  /** When messages with rows of batches may begin. */
  readonly pace: RowsPace;
}

/** Does a lookup in what is left of its time, in ms. */
type Work = (leftMs: number) => Promise<LookupAnswer>;

/**
 * Decides which lookup gets the next free place in the threads. Keys take turns by the thread time that they have used, so that one
 * key's lookups never wait for all those of another. Costly lookups have threads and a lane of their own (docs/decisions/0005).
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #lanes: ByKind<Lane>;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    const { slots, pace } = options;
    const costly = new Lane(slots.costly, () => pace.isOpen);
    this.#lanes = { plain: new Lane(slots.plain), costly };
    pace.onOpen(() => {
      costly.startWaiting();
    });
  }

  /** Lookups of a kind that wait here, without rows of batches. */
  waiting(kind: LoadKind): number {
    return this.#lanes[kind].waiting;
  }

  /**
   * Does the work of a lookup when its turn comes. @throws what `work` throws; AppError DB_ERROR when its turn does not come in time.
   */
  run(task: LookupTask, caller: Caller, work: Work): Promise<LookupAnswer> {
    const { deadlineMs } = this.#options;
    const endMs = performance.now() + deadlineMs;
    const lane = this.#lanes[kindOf(task)];
    const start = (started: Started): Promise<LookupAnswer> =>
      measured(lane, started, task, () => work(endMs - performance.now()));
    if (lane.isFree) return start(lane.begin(caller.keyId));
    const answer = new Promise<LookupAnswer>((resolve, reject) => {
      lane.add(caller.keyId, {
        // One that would end too late is not worth its thread time: under overload the threads would do nothing else.
        isWanted: () => !caller.isGone() && endMs - performance.now() > Math.min(2 * lane.expectedMs, deadlineMs / 2),
        start: (started) => {
          start(started).then(resolve, reject);
        },
        drop: () => {
          reject(noThreadInTime());
        },
      });
    });
    return before(answer, deadlineMs, noThreadInTime);
  }

  /**
   * Does the work of one message with rows of a batch when its turn in the lane for costly lookups comes and people leave room, however long that takes.
   * @throws what `work` throws; AppError DB_ERROR when the caller is gone.
   */
  runRows<Answers>({ keyId, isGone }: Caller, work: () => Promise<Answers>): Promise<Answers> {
    const lane = this.#lanes.costly;
    const { pace } = this.#options;
    const start = async (started: Started): Promise<Answers> => {
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        pace.messageEnded();
        // The slot is the thread's, so the time of the message is the time of the thread.
        lane.end(started, performance.now() - startMs);
      }
    };
    if (isGone()) return Promise.reject(noThreadInTime());
    if (lane.isFree && pace.isOpen) return start(lane.begin(keyId));
    return new Promise((resolve, reject) => {
      lane.addRows(keyId, {
        isWanted: () => !isGone(),
        start: (started) => {
          start(started).then(resolve, reject);
        },
        drop: () => {
          reject(noThreadInTime());
        },
      });
    });
  }
}

async function measured(
  lane: Lane,
  started: Started,
  { kind }: LookupTask,
  work: () => Promise<LookupAnswer>,
): Promise<LookupAnswer> {
  const startMs = performance.now();
  let threadMs: number | null = null;
  try {
    const answer = await work();
    // Another server found a "place", outside the thread.
    threadMs = answer.layersMs + (kind === 'place' ? 0 : answer.geocodeMs);
    return answer;
  } catch (cause) {
    // A refused address takes little; a lookup that broke its deadline has kept a thread all the time.
    if (AppError.from(cause).status >= 500) threadMs = performance.now() - startMs;
    throw cause;
  } finally {
    lane.end(started, threadMs);
  }
}

function noThreadInTime(): AppError {
  return unavailable('OVERLOADED', 'no thread was free in time');
}
