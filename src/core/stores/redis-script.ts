import { createHash } from 'node:crypto';
import type { RedisClient } from './redis.ts';

/** What a value of a script may be. */
interface Kinds {
  readonly text: string;
  readonly number: number;
  readonly flag: boolean;
  readonly texts: readonly string[];
  readonly textsByName: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, keyof Kinds>>;
type Values<F extends Fields> = { readonly [Name in keyof F]: Kinds[F[Name]] };

/**
 * Makes a script. Each name of a key in Redis and each value is a local variable of the script. A variable that the script does not declare is an error
 * when it runs, because Redis allows no global ones.
 */
export function redisScript<Name extends string, const F extends Fields>(
  names: readonly Name[],
  fields: F,
  body: string,
): {
  run(redis: RedisClient, names: Readonly<Record<Name, string>>, values: Values<F>): Promise<unknown>;
} {
  const values = Object.keys(fields);
  const text = [
    `local ${names.join(', ')} = unpack(KEYS)`,
    'local given = cjson.decode(ARGV[1])',
    ...values.map((name) => `local ${name} = given['${name}']`),
    body,
  ].join('\n');
  const sha1 = createHash('sha1').update(text).digest('hex');
  return {
    async run(redis, keys, given) {
      const args = [...names.map((name) => keys[name]), JSON.stringify(given)];
      try {
        return await redis.evalsha(sha1, names.length, ...args);
      } catch (cause) {
        // Sent only to a Redis that does not know it.
        if (!(cause instanceof Error && cause.message.startsWith('NOSCRIPT'))) throw cause;
        return await redis.eval(text, names.length, ...args);
      }
    },
  };
}
