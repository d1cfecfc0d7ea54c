import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../src/core/keys/key-format.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { until } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { createKeyIn, ServiceProcess } from '../support/drivers/service-process.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { given } from '../support/drivers/given.ts';

type Environment = Readonly<Record<string, string>>;

describe('A plain key', function () {
  this.timeout(240_000);

  given('account', 'agents', 'batches', 'webhooks').it(
    'is in no log, message, argument or file, with keys in SQLite',
    async () => {
      using folder = ownSampleFolder();
      const { keys, printed } = await useKeys(folder.path, {}, ServiceProcess);
      expectNoneIn({ printed, ...filesIn(folder.path) }, keys);
    },
  );

  given('account', 'agents', 'batches', 'webhooks').it(
    'is in no log, message, argument or file, nor in what Redis writes, with keys in Redis',
    async () => {
      using folder = ownSampleFolder();
      await using redis = await RedisServer.start('--appendonly', 'yes', '--appendfsync', 'always');
      const { keys, printed } = await useKeys(folder.path, { REDIS_URL: redis.url }, ServiceHere);
      await using client = redis.client();
      await client.redis.save();
      const written = filesIn(redis.dir);
      expect(Object.keys(written).join(' '))
        .to.match(/dump\.rdb/)
        .and.match(/appendonly\.aof/);
      expectNoneIn({ printed, ...filesIn(folder.path), ...written }, keys);
    },
  );

  /** Everything that touches a key: lookups good and bad, billing, rotation, revocation, export and reports. */
  async function useKeys(
    dataDir: string,
    env: Environment,
    kind: typeof ServiceProcess | typeof ServiceHere,
  ): Promise<{ keys: string[]; printed: string }> {
    await using processor = await StripeServer.start();
    const commands: string[] = [];
    const run = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await commandHere(dataDir, env, ...args);
      if (status !== 0) throw new Error(stderr);
      commands.push(stdout, stderr);
      return stdout;
    };
    const first = createKeyIn(dataDir, env, '--customer', 'cus_1');
    const id = /key_[0-9a-f]{16}/.exec(await run('keys', 'list'))![0];
    await using service = await kind.start(dataDir, { ...env, ...processor.env, LOG_LEVEL: 'debug' });
    const commandLine = service instanceof ServiceProcess ? readFileSync(`/proc/${service.pid}/cmdline`, 'utf8') : '';
    const made = [await keyFrom(service, first, 'keys'), await keyFrom(service, first, 'keys/rotate')];
    const rotated = (await commandHere(dataDir, env, 'keys', 'rotate', id)).stdout;
    const second = /olk_[0-9A-Za-z]{38}/.exec(rotated)![0];
    const keys = [first, second, createKey(), `${second.slice(0, -1)}!`, ...made];
    for (const key of keys) {
      const bodies = [SAMPLE_ADDRESS, { address: key }, { address: `${key} Main St, Sampleton, ON` }, key, { key }];
      for (const body of bodies)
        await service.lookup(key, body, { headers: { 'Idempotency-Key': `retry-${key.length}` } });
      await service.lookup(key, SAMPLE_ADDRESS, { query: `?key=${encodeURIComponent(key)}` });
      await fetch(`${service.url}/${key}`, { headers: { Authorization: `Basic ${key}`, 'X-Request-Id': key } });
    }
    await service.metrics();
    await run('keys', 'list');
    await run('keys', 'revoke', id);
    await run('usage', 'report');
    // Events of lookups.
    await until(() => processor.accepted.length > 0);
    await service[Symbol.asyncDispose]();
    const printed = [...commands, JSON.stringify(service.lines), commandLine, JSON.stringify(processor.accepted)].join(
      '\n',
    );
    expect(printed, 'that the log was looked at').to.contain('/api/lookup');
    return { keys, printed };
  }
});

/** A key that `/api/account/…` makes, asked for again while a slow store has the service say 503. */
async function keyFrom({ url }: RunningService, key: string, path: string): Promise<string> {
  let made: { readonly key?: string } = {};
  await until(
    async () => {
      const response = await fetch(`${url}/api/account/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
      });
      made = (await response.json()) as typeof made;
      return response.status !== 503;
    },
    100,
    () => made,
  );
  return made.key!;
}

function expectNoneIn(texts: Readonly<Record<string, string>>, keys: readonly string[]): void {
  const found = Object.entries(texts).flatMap(([where, text]) =>
    // The secret part alone would be as bad.
    keys.filter((key) => text.includes(key.slice(4, 36))).map((key) => `key ${keys.indexOf(key)} is in ${where}`),
  );
  expect(found).to.deep.equal([]);
}

/** By name, as text; without the snapshot, which is no part of accounts. */
function filesIn(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('current') && statSync(join(dir, name)).isFile())
      .map((name) => [name, readFileSync(join(dir, name), 'latin1')]),
  );
}
