import type { Logger } from 'winston';
import type { RedisClient } from '../../core/stores/redis.ts';

/** Where version 0.2.0 kept the batches of several machines, whose rows and answers are in a bucket. */
const PREFIX = '{land-lookup:batches}:';

/** Advice for the operator (docs/operations.md, Upgrade). */
const HELP =
  'start version 0.2.0 with its settings until "redis-cli HLEN {land-lookup:batches}:live" says 0 and clients have fetched their results';

/** Looks, in the background, for batches that only version 0.2.0 can finish, or give the results of, and logs how many there are. */
export function warnOfBatchesInRedis(redis: RedisClient, logger: Pick<Logger, 'warn'>): void {
  const look = async (): Promise<void> => {
    const [unfinished, withResults] = [await redis.hlen(`${PREFIX}live`), await redis.zcard(`${PREFIX}expiring`)];
    if (unfinished + withResults === 0) return;
    logger.warn('batches of version 0.2.0 are in Redis and its bucket, where this version does not look', {
      ...{ unfinished, withResults, help: HELP },
    });
  };
  const begin = (): void => {
    // Without an answer, whatever else needs Redis says so.
    look().catch(() => undefined);
  };
  if (redis.status === 'ready') begin();
  else redis.once('ready', begin);
}
