/** What a command says while it waits for a server: who reads its log must see that it is alive. */
import type { RetryPolicy } from '../outbound/retry.ts';
import { duration, type ProgressDisplay } from './progress-display.ts';

/** Waits that are longer are worth a line. */
const SHORT_WAIT_MS = 5000;

/** Longest time without a line. */
const LONGEST_SILENCE_MS = 20_000;

/** Adds a line for each longer wait before another attempt. @param place where nothing else says what is asked: its name, and a line for the first wait too. */
export function sayingWaits(
  policy: RetryPolicy,
  display: Pick<ProgressDisplay, 'note'>,
  place: string | null = null,
): RetryPolicy {
  return {
    ...policy,
    onWait: ({ message }, waitMs, { number, of }) => {
      if (waitMs <= SHORT_WAIT_MS && (place === null || number > 1)) return;
      const asked = place === null ? '' : `${place}: `;
      display.note(`${asked}${message}: attempt ${number} of ${of}, next in ${duration(waitMs / 1000)}`);
    },
  };
}

/** Does the work, and writes a line whenever nothing was written for a while. */
export async function whileReminding<T>(display: Pick<ProgressDisplay, 'remind'>, work: () => Promise<T>): Promise<T> {
  const stillWaiting = (seconds: number): string => `still waiting for an answer: nothing for ${seconds} s`;
  const reminder = display.remind(stillWaiting, LONGEST_SILENCE_MS);
  try {
    return await work();
  } finally {
    reminder[Symbol.dispose]();
  }
}
