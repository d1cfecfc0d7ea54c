// Check that who has a stolen key changes nothing after its owner has ended it, in 1,000 races for each kind of change
/**
 * Two serving processes with one Redis, which both remember a key. Its owner ends it: rotates it over HTTP at one of them, or an operator revokes it, confines
 * it to other networks or suspends its customer. At that moment the thief asks both processes for a change, of each kind. Every answer but 401, 402 and 403 is
 * one that the thief has won. Then owner and thief rotate a key at the same moment, at two processes: only one of them may. `make stress NAME=stolen-key`,
 * with RACES=50 for fewer.
 */
import { suspendCustomer } from '../../src/core/keys/customers.ts';
import type { KeyStore } from '../../src/core/keys/key-store.ts';
import { issueKey, revokeKey, setKey, type IssuedKey } from '../../src/core/keys/keys.ts';
import { keyStoreOn } from '../../src/core/keys/open-key-store.ts';
import { connectRedis, whenReady } from '../../src/core/stores/redis.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { patientWithRedis, ServiceProcess } from '../support/drivers/service-process.ts';
import { ownSampleFolder } from '../support/material/served-sample.ts';

const races = Number(process.env['RACES'] ?? 1000);
const AT_ONCE = 16;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const ROTATION: Asked = { method: 'POST', path: '/api/account/keys/rotate', body: { overlapHours: 0 } };

/** Ids that nobody has: what is not refused gets 404. */
const KINDS: readonly Asked[] = [
  ROTATION,
  { method: 'PATCH', path: '/api/account', body: { networks: ['0.0.0.0/0'] } },
  { method: 'POST', path: '/api/account/keys', body: { name: 'further' } },
  { method: 'DELETE', path: '/api/account/keys/key_0123456789abcdef' },
  { method: 'POST', path: '/api/account/portal' },
  { method: 'POST', path: '/api/webhooks/secret' },
  { method: 'POST', path: `/api/webhooks/deliveries/evt_${'0'.repeat(32)}/resend` },
  { method: 'DELETE', path: '/api/batches/bat_00000000000000000000000000000000' },
  { method: 'POST', path: '/api/batches/bat_00000000000000000000000000000000/cancel' },
];

/** Where a suspended customer may make changes, its owner is not suspended. */
const forSuspended = ({ path }: Asked): boolean => path.startsWith('/api/account') && path !== '/api/account/keys';

await using redis = await RedisServer.start();
using folder = ownSampleFolder();
// A busy machine may take longer than a command of the program waits.
const client = connectRedis(redis.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
await whenReady(client, PATIENT_REDIS.redisTimeoutMs);
await using store: KeyStore = keyStoreOn(client, { dataDir: folder.path });
const env = { REDIS_URL: redis.url, TRUST_PROXY_HOPS: '1' };
const start = (): Promise<ServiceProcess> => ServiceProcess.start(folder.path, env, patientWithRedis);
const [one, two] = await Promise.all([start(), start()]);

let addresses = 0;
/** From an address of its own, so that refusals do not add up. */
async function ask({ url }: ServiceProcess, key: string, { method, path, body }: Asked): Promise<number> {
  addresses++;
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-forwarded-for': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function remembered(race: number): Promise<IssuedKey> {
  const made = await issueKey(store, { name: 'stolen', customer: `cus_${race}_${addresses}` });
  await Promise.all([one, two].map((service) => ask(service, made.key, { method: 'GET', path: '/api/account' })));
  return made;
}

async function end({ key, record }: IssuedKey, race: number, kind: Asked): Promise<void> {
  switch (race % 4) {
    case 0:
      await revokeKey(store, record.id);
      return;
    case 1:
      await setKey(store, record.id, { limits: { networks: ['203.0.113.0/24'] } });
      return;
    case 2:
      if (!forSuspended(kind)) await suspendCustomer(store, record.customer!, 'unpaid');
      if (!forSuspended(kind)) return;
  }
  const status = await ask(race % 8 < 4 ? one : two, key, ROTATION);
  if (status !== 200) throw new Error(`the owner got ${status}`);
}

/** Runs all races, some at once. */
async function run(race: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < races) await race(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
}

let isRight = true;
try {
  for (const kind of KINDS) {
    const won: Record<number, number> = {};
    await run(async (race) => {
      const made = await remembered(race);
      await end(made, race, kind);
      for (const status of await Promise.all([ask(one, made.key, kind), ask(two, made.key, kind)]))
        if (![401, 402, 403].includes(status)) won[status] = (won[status] ?? 0) + 1;
    });
    isRight &&= Object.keys(won).length === 0;
    console.log(`${kind.method} ${kind.path}`, { races, 'won by the thief': won });
  }
  let both = 0;
  await run(async (race) => {
    const { key } = await remembered(race);
    const statuses = await Promise.all([ask(one, key, ROTATION), ask(two, key, ROTATION)]);
    if (statuses.filter((status) => status === 200).length !== 1) both++;
  });
  isRight &&= both === 0;
  console.log('both rotate at the same moment', { races, 'not exactly one may': both });
} finally {
  await Promise.all([one.stop(), two.stop()]);
}
console.log(isRight ? 'as promised' : 'NOT as promised');
process.exitCode = isRight ? 0 : 1;
