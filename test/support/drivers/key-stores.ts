import { join } from 'node:path';
import { KeyStore } from '../../../src/core/keys/key-store.ts';
import { connectRedis, whenReady } from '../../../src/core/stores/redis.ts';
import { keyDocumentsIn, keysInFile } from '../../../src/core/keys/open-key-store.ts';
import { temporaryFolder } from './folder.ts';
import { PATIENT_REDIS } from './patience.ts';
import { RedisServer } from './redis.ts';

/** A place for keys that several stores open, as processes do. */
export interface KeyPlace extends AsyncDisposable {
  open(): Promise<KeyStore>;
  /** Everything that is stored, as text. */
  dump(): Promise<string>;
}

export const keyPlaces: Readonly<Record<string, () => Promise<KeyPlace>>> = {
  SQLite: () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'accounts.sqlite');
    return Promise.resolve({
      open: () => Promise.resolve(keysInFile(file)),
      dump: async () => {
        const { readFile, readdir } = await import('node:fs/promises');
        const names = await readdir(folder.path);
        return (await Promise.all(names.map((name) => readFile(join(folder.path, name), 'latin1')))).join('');
      },
      [Symbol.asyncDispose]: () => {
        folder[Symbol.dispose]();
        return Promise.resolve();
      },
    });
  },
  Redis: async () => {
    const server = await RedisServer.start();
    return {
      open: async () => {
        const redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
        await whenReady(redis, 60_000);
        return new KeyStore(keyDocumentsIn(redis));
      },
      dump: async () => {
        await using client = server.client();
        const { redis } = client;
        const values = (await redis.keys('*')).map(async (key) => {
          const type = await redis.type(key);
          if (type === 'set') return redis.smembers(key);
          if (type === 'string') return redis.get(key);
          return type === 'hash' ? redis.hgetall(key) : redis.lrange(key, 0, -1);
        });
        return JSON.stringify(await Promise.all(values));
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};
