/** A batch that is asked for again and again, until it is over. */
import { isOver, readBatch, type Batch } from './batch-api.ts';
import { isPassing, type Failure } from '../shared/api.ts';

/** A batch of a minute is asked for every second, a long one more rarely. */
const FIRST_POLL_MS = 500;
const LONGEST_POLL_MS = 5000;

/**
 * Follows a batch to its end, to a failure that does not pass, or until it is not wanted any more. `onWaiting`: the server does not answer, or does so
 * again.
 */
export async function followBatch(
  { id, key }: { id: string; key: string },
  given: {
    isWanted: () => boolean;
    onBatch: (batch: Batch) => void;
    onWaiting: (isWaiting: boolean) => void;
    onFailure: (failure: Failure) => void;
  },
) {
  let isWaiting = false;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.2, LONGEST_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (!given.isWanted()) return;
    const answer = await readBatch(id, key);
    if (!given.isWanted()) return;
    if (!answer.ok && !isPassing(answer)) {
      given.onFailure(answer);
      return;
    }
    if (isWaiting || !answer.ok) given.onWaiting(!answer.ok);
    isWaiting = !answer.ok;
    if (answer.ok) given.onBatch(answer.body);
    if (answer.ok && isOver(answer.body)) return;
  }
}
