import type { ImportProgress } from '../../src/messages/import.ts';

export type OnProgress = (progress: ImportProgress) => void;

const INTERVAL_MS = 200;

/**
 * Makes a function that passes on steps at once, and counts of rows at most five times per second, but always the last
 * count of a name.
 */
export function progressPoster(post: OnProgress): OnProgress {
  let nextMs = 0;
  return (progress) => {
    const isLast = progress.kind === 'step' || progress.done === progress.total;
    if (!isLast && Date.now() < nextMs) return;
    nextMs = Date.now() + INTERVAL_MS;
    post(progress);
  };
}
