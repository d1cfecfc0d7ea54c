import type { LookupAnswer, LookupTask } from '../../messages/lookup.ts';
import { AppError, unavailable } from '../../messages/problems.ts';
import type { Lane, Started, Waiting } from './lane.ts';

/** Waits for a turn: `add` puts it into a lane, and `start` begins when it comes. @throws AppError DB_ERROR when the lane drops it. */
export function turnIn<Answer>(
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

/** Gives a lane its slot back with the thread time of a lookup. */
export async function measured(
  lane: Lane,
  started: Started,
  { kind }: LookupTask,
  asked: Promise<LookupAnswer>,
): Promise<LookupAnswer> {
  const startMs = performance.now();
  let threadMs: number | null = null;
  try {
    const answer = await asked;
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

/** The failure of what had no turn while somebody waited for it. */
export function noThreadInTime(): AppError {
  return unavailable('OVERLOADED', 'no thread was free in time');
}
