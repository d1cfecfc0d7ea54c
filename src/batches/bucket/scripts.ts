import { createHash } from 'node:crypto';
import type { RedisClient } from '../../stores/redis.ts';
import * as batchScripts from './batch-scripts.ts';
import * as chunkScripts from './chunk-scripts.ts';
import * as snapshotScripts from './snapshot-scripts.ts';

/** What is the same in Redis for all machines. The braces keep it on one node of a cluster. */
export const PREFIX = '{land-lookup:batches}:';

const scripts = { ...batchScripts, ...chunkScripts, ...snapshotScripts };

export type ScriptName = keyof typeof scripts;

const hashes = Object.fromEntries(
  Object.entries(scripts).map(([name, text]) => [name, createHash('sha1').update(text).digest('hex')]),
) as Readonly<Record<ScriptName, string>>;

/** Runs a script. Sends its hash, and the script only to a Redis that does not know it. */
export async function runScript<T>(
  redis: RedisClient,
  name: ScriptName,
  args: readonly (string | number)[],
): Promise<T> {
  try {
    return (await redis.evalsha(hashes[name], 1, PREFIX, ...args)) as T;
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.startsWith('NOSCRIPT'))) throw cause;
    return (await redis.eval(scripts[name], 1, PREFIX, ...args)) as T;
  }
}
