// Measure look-ups among 100,000 keys, in SQLite and in Redis (KEYS=N)
/** Look-ups among 100,000 keys (KEYS=N), in SQLite and in Redis, of keys that are not remembered: `make bench NAME=keys`. */
import { Authenticator } from '../../src/core/keys/authenticator.ts';
import { createKey, hashKey } from '../../src/core/keys/key-format.ts';
import { issueKey } from '../../src/core/keys/keys.ts';
import { keyPlaces } from '../support/drivers/key-stores.ts';
import { percentiles } from './parts/percentiles.ts';

const LOOKUPS = 20_000;
const AT_ONCE = 200;
const LONGEST_P99_MS = 1;

const count = Number(process.env['KEYS'] ?? 100_000);
const rows: Record<string, string | number>[] = [];
for (const [name, make] of Object.entries(keyPlaces)) {
  await using place = await make();
  await using store = await place.open();
  const keys: string[] = [];
  while (keys.length < count) {
    const issued = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => issueKey(store, { name: `bench ${i}` })),
    );
    keys.push(...issued.map(({ key }) => key));
  }
  const next = keys.values();
  const authenticator = new Authenticator(store);
  const subjects: Readonly<Record<string, () => Promise<unknown>>> = {
    known: () => store.find(hashKey(keys[Math.floor(Math.random() * keys.length)]!)),
    unknown: () => store.find(hashKey(createKey())),
    // With the header's reading, the checksum, the hash and the check; each key once, so none is remembered.
    'whole authentication': () => authenticator.authenticate(`Bearer ${next.next().value!}`),
  };
  for (const [subject, lookUp] of Object.entries(subjects)) {
    const times: number[] = [];
    for (let i = 0; i < Math.min(LOOKUPS, count); i++) {
      const start = performance.now();
      await lookUp();
      times.push(performance.now() - start);
    }
    const { p50, p99 } = percentiles(times);
    rows.push({ store: name, keys: keys.length, subject, 'p50 ms': p50, 'p99 ms': p99 });
  }
}
console.table(rows);
process.exitCode = rows.every((row) => Number(row['p99 ms']) < LONGEST_P99_MS) ? 0 : 1;
