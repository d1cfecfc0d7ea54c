/**
 * Writes data of this version into `test/kept-data/VERSION.tar.gz`, for the test that later versions read it: `npm run keep-data`, once before the version
 * in package.json is raised. It is the bundled sample with accounts, a usage journal and a batch, as real processes leave them, and what accounts are in
 * Redis (`redis.json`).
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suspendCustomer } from '../../src/core/keys/customers.ts';
import { issueKey, revokeKey, rotateKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { projectDir } from '../../src/project/project.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { rotateSecret, signingSecrets } from '../../src/features/webhooks/secrets.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { readAccounts, signupsToKeep, type KeptAccounts } from '../support/oracles/kept-accounts.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { createKey, ServiceProcess } from '../support/drivers/service-process.ts';

/** What `expected.json` says of the data. */
export interface KeptData {
  readonly version: string;
  readonly key: string;
  /** Body of the answer to `SAMPLE_ADDRESS`. */
  readonly answer: string;
  readonly idempotencyKey: string;
  readonly batch: string;
  readonly results: string;
  /** Lines of `usage report`. */
  readonly usage: string;
  /** What the store of keys held, in the file and in Redis; not in data of version 0.1.0. */
  readonly accounts?: KeptAccounts;
  readonly redisAccounts?: KeptAccounts;
}

const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
const archive = join(projectDir, 'test', 'kept-data', `${version}.tar.gz`);
// Also after the formats have changed, it must stay what that version wrote.
if (existsSync(archive)) throw new Error(`${archive} is there already: raise the version first`);
using imported = temporaryFolder();
using folder = temporaryFolder();
const dataDir = folder.path;
cliOrThrow(imported.path, 'load-layers', '--sample');
cliOrThrow(imported.path, 'load-addresses', '--sample');
const { id, dir } = requireCurrentSnapshot(imported.path);
mkdirSync(join(dataDir, 'snapshots', id), { recursive: true });
for (const file of readdirSync(dir)) copyFileSync(join(dir, file), join(dataDir, 'snapshots', id, file));
symlinkSync(join('snapshots', id), join(dataDir, 'current'));
const key = createKey(dataDir, '--batch-rows-per-day', '1000');
const kept = await use();
const usage = cliOrThrow(dataDir, 'usage', 'report');
const accounts = await fillAccounts(null);
const expected: KeptData = { version, key, ...kept, usage, accounts, redisAccounts: await keepRedis() };
writeFileSync(join(dataDir, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
mkdirSync(join(projectDir, 'test', 'kept-data'), { recursive: true });
execFileSync('tar', ['-C', dataDir, '--exclude', '*.lock', '-I', 'gzip -9', '-cf', archive, '.']);
console.log(`${archive}: ${readFileSync(archive).length} bytes`);

async function use(): Promise<Pick<KeptData, 'answer' | 'idempotencyKey' | 'batch' | 'results'>> {
  await using service = await ServiceProcess.start(dataDir);
  const idempotencyKey = 'kept-with-the-data';
  const answer = await service.lookup(key, SAMPLE_ADDRESS, { headers: { 'Idempotency-Key': idempotencyKey } });
  if (answer.status !== 200) throw new Error(`the lookup got ${answer.status}`);
  const headers = { Authorization: `Bearer ${key}` };
  const accepted = await fetch(`${service.url}/api/batches`, {
    ...{ method: 'POST', headers: { ...headers, 'Content-Type': 'text/csv' } },
    body: `address\n"${SAMPLE_ADDRESS.address}"\n"1 Nowhere Rd, Sampleton, ON"\n`,
  });
  if (accepted.status !== 202) throw new Error(`the batch got ${accepted.status}`);
  const { id: batch } = (await accepted.json()) as { id: string };
  const read = (path: string): Promise<Response> => fetch(`${service.url}/api/batches/${batch}${path}`, { headers });
  for (;;) {
    const { state } = (await (await read('')).json()) as { state: string };
    if (state === 'completed') break;
    await sleep(200);
  }
  const results = await (await read('/results')).text();
  return { answer: await answer.text(), idempotencyKey, batch, results };
}

/** Puts something of each kind into a store of keys. */
async function fillAccounts(redisUrl: string | null): Promise<KeptAccounts> {
  await using store = await openKeyStore({ dataDir, redisUrl });
  const { record } = await issueKey(store, {
    name: 'rotated',
    limitPerHour: 7,
    customer: 'cus_kept',
    limits: { budgetPerMonth: 50 },
  });
  await rotateKey(store, record.id, 3_600_000);
  const { record: revoked } = await issueKey(store, { name: 'revoked “é”', customer: 'cus_suspended' });
  await revokeKey(store, revoked.id);
  await store.noteUse(new Map([[record.id, '2026-11-01T12:00:00.000Z']]));
  await suspendCustomer(store, 'cus_suspended', 'does not pay');
  await signingSecrets(store, record.id);
  await rotateSecret(store, record.id);
  for (const signup of signupsToKeep(record.id)) await store.signups.update(signup.id, () => signup);
  return await readAccounts(store);
}

/** Writes everything that a Redis holds, as commands that bring it back. */
async function keepRedis(): Promise<KeptAccounts> {
  await using server = await RedisServer.start();
  const kept = await fillAccounts(server.url);
  await using client = server.client();
  const { redis } = client;
  const commands: string[][] = [];
  for (const name of (await redis.keys('*')).sort()) {
    const type = await redis.type(name);
    if (type === 'hash') commands.push(['HSET', name, ...Object.entries(await redis.hgetall(name)).flat()]);
    else if (type === 'set') commands.push(['SADD', name, ...(await redis.smembers(name))]);
    else if (type === 'list') commands.push(['RPUSH', name, ...(await redis.lrange(name, 0, -1))]);
    else commands.push(['SET', name, (await redis.get(name)) ?? '']);
  }
  writeFileSync(join(dataDir, 'redis.json'), JSON.stringify(commands));
  return kept;
}
