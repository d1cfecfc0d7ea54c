import { createHash } from 'node:crypto';
import type { RedisClient } from './redis.ts';

/** A script that Redis runs as one step. Its names and values are known by the same words in Lua and in TypeScript. */
export interface RedisScript<Name extends string, Value extends string> {
  run(
    redis: RedisClient,
    names: Readonly<Record<Name, string>>,
    values: Readonly<Record<Value, string | number>>,
  ): Promise<unknown>;
}

/**
 * Makes a script. Each name of a key in Redis and each value is a local variable of the script. Values are texts; lists are sent as JSON. A variable
 * that the script does not declare is an error when it runs, because Redis allows no global ones.
 */
export function redisScript<Name extends string, Value extends string>(
  names: readonly Name[],
  values: readonly Value[],
  body: string,
): RedisScript<Name, Value> {
  const text = [declare(names, 'KEYS'), declare(values, 'ARGV'), body].join('\n');
  const sha1 = createHash('sha1').update(text).digest('hex');
  return {
    async run(redis, keys, args) {
      const all = [...names.map((name) => keys[name]), ...values.map((value) => args[value])];
      try {
        return await redis.evalsha(sha1, names.length, ...all);
      } catch (cause) {
        // Sent only to a Redis that does not know it.
        if (!(cause instanceof Error && cause.message.startsWith('NOSCRIPT'))) throw cause;
        return await redis.eval(text, names.length, ...all);
      }
    },
  };
}

function declare(variables: readonly string[], list: string): string {
  return variables.length === 0 ? '' : `local ${variables.join(', ')} = unpack(${list})`;
}
