import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import type { Journal } from './journal.ts';
import type { JournalWrites } from '../../messages/journal.ts';
import { DAY_MS, HOUR_MS } from '../../messages/time.ts';

const INTERVAL_MS = 6 * HOUR_MS;

/** Deletes old usage and old answers at the start and four times a day. */
export function keepRetention({
  journal,
  logger,
  retentionDays,
}: {
  journal: Pick<Journal, 'do'>;
  logger: Logger;
  retentionDays: number;
}): Loop {
  return new Loop({
    everyMs: INTERVAL_MS,
    turn: async () => {
      const lookups = await pruneUsage(journal, { usageKeptMs: retentionDays * DAY_MS });
      if (lookups === null) logger.warn('old usage stays until the clock can be trusted');
      else if (lookups > 0) logger.info('old usage deleted', { lookups, retentionDays });
    },
    onFailure: (cause) => logger.warn('old usage could not be deleted', { detail: String(cause) }),
  });
}

/**
 * Deletes all settled usage before a time or older than a time, in small steps, and answers that are too old for a retry. Returns the number
 * of deleted lookups; null: the wall clock cannot be trusted, and nothing was deleted.
 */
export async function pruneUsage(
  journal: Pick<Journal, 'do'>,
  which: JournalWrites['prune'][0],
): Promise<number | null> {
  for (let lookups = 0; ;) {
    const pruned = await journal.do('prune', which);
    if (pruned === null) return null;
    if (pruned.lookups + pruned.answers === 0) return lookups;
    lookups += pruned.lookups;
  }
}
