/** What is kept of one customer: all of it is printed, and all but what bills need can be removed, beside a running service. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { FORGOTTEN } from '../../../src/features/privacy/customer-data.ts';
import { suspendCustomer } from '../../../src/core/keys/customers.ts';
import type { KeyStore } from '../../../src/core/keys/key-store.ts';
import { auditEntry, issueKey, setKey, type IssuedKey } from '../../../src/core/keys/keys.ts';
import { openKeyStore } from '../../../src/core/keys/open-key-store.ts';
import { QueueDatabase } from '../../../src/features/batches/store/queue-database.ts';
import { projectDir } from '../../../src/project/project.ts';
import { fresh, signupIdOf } from '../../../src/features/signup/signup-record.ts';
import { readDeliveries } from '../../../src/features/webhooks/kept-deliveries.ts';
import { rotateSecret } from '../../../src/features/webhooks/secrets.ts';
import { BatchClient } from '../../support/drivers/batch-client.ts';
import { record } from '../../support/drivers/billing.ts';
import { chosenFeatures } from '../../support/drivers/chosen-features.ts';
import type { CliRun } from '../../support/drivers/cli.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { openJournalHere } from '../../support/drivers/journal-here.ts';
import { PATIENT_REDIS, until } from '../../support/drivers/patience.ts';
import { RedisServer } from '../../support/drivers/redis.ts';
import { ServiceHere } from '../../support/drivers/service-here.ts';
import { StripeServer } from '../../support/doubles/stripe-server.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';

const hasBatches = ['batches', 'webhooks'].every((name) => chosenFeatures.includes(name));

/** What would name the customer, wherever it stands: in keys, the audit, sign-ups, batches, deliveries and requests. */
const NEEDLES = ['Ada Byron', 'ada@example.org', '203.0.113.77', ...(hasBatches ? ['ada-hook'] : [])];

const CUSTOMER = 'cus_Ada1';

interface Place extends AsyncDisposable {
  readonly dataDir: string;
  readonly redisUrl: string | null;
  readonly redis: RedisServer | null;
  readonly processor: StripeServer;
  run(...args: string[]): Promise<CliRun>;
}

async function openPlace(withRedis: boolean): Promise<Place> {
  const folder = ownSampleFolder();
  const processor = await StripeServer.start();
  const redis = withRedis ? await RedisServer.start() : null;
  const env = { ...processor.env, ...(redis && { REDIS_URL: redis.url }) };
  return {
    ...{ dataDir: folder.path, redisUrl: redis?.url ?? null, redis, processor },
    run: (...args) => commandHere(folder.path, env, ...args),
    [Symbol.asyncDispose]: async () => {
      await processor[Symbol.asyncDispose]();
      await redis?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/**
 * Where a text is: files of the data folder, and keys of Redis. Another process reads the files: a process that opens and closes the file of a database loses
 * the locks that SQLite has on it there.
 */
async function placesOf({ dataDir, redis }: Place, needle: string): Promise<string[]> {
  const { stdout } = spawnSync('grep', ['-rlaF', needle, dataDir], { encoding: 'utf8' });
  const files = stdout.split('\n').filter((line) => line !== '');
  if (!redis) return files;
  await using client = redis.client();
  const found: string[] = [];
  for (const key of await client.redis.keys('*')) {
    const type = await client.redis.type(key);
    const value = await {
      string: () => client.redis.get(key),
      set: () => client.redis.smembers(key),
      hash: () => client.redis.hgetall(key),
      list: () => client.redis.lrange(key, 0, -1),
    }[type as 'string']();
    if (JSON.stringify([key, value]).includes(needle)) found.push(`Redis ${key}`);
  }
  return [...files, ...found];
}

/** Makes two customers with keys, of which the first is named in all that can name it. */
async function makeCustomers(store: KeyStore): Promise<{ readonly ada: IssuedKey; readonly bob: IssuedKey }> {
  const limits = { networks: ['203.0.113.77/32', '127.0.0.0/8'], batchRowsPerDay: 1000 };
  const ada = await issueKey(store, { name: 'Ada Byron', customer: CUSTOMER, limits });
  const bob = await issueKey(store, { name: 'Bob', customer: 'cus_Bob1', limits: { batchRowsPerDay: 1000 } });
  for (let i = 0; i < 30; i++) await issueKey(store, { name: `other ${i}` });
  await setKey(store, ada.record.id, { name: 'Ada Byron, ada@example.org' });
  // As versions up to 0.2.0 wrote it.
  const audit = auditEntry(ada.record.id, 'set', 'name=Ada Byron limitPerHour=null');
  await store.update(ada.record.id, (before) => ({ record: before, audit }));
  const id = signupIdOf('a secret of a browser that signed up');
  await store.signups.update(id, () => ({
    ...fresh(id, 'price_lookup'),
    ...{ state: 'shown', customer: CUSTOMER, keyId: ada.record.id, reason: 'mail of ada@example.org' },
  }));
  await rotateSecret(store, ada.record.id);
  return { ada, bob };
}

/** Asks with a request that can be repeated, whose name names somebody. */
async function ask(service: ServiceHere, key: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const headers = { 'Idempotency-Key': name };
    expect((await service.lookup(key, SAMPLE_ADDRESS, { headers })).status).to.equal(200);
  }
}

async function sendBatch(service: ServiceHere, key: string, who: string): Promise<string> {
  const response = await fetch(
    `${service.url}/api/batches?callback_url=${encodeURIComponent(`https://hooks.example.org/${who}-hook`)}`,
    {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${key}` },
      body: `custom_id,address,${who === 'ada' ? 'Ada Byron' : 'Note'}\n${who}@example.org,"${SAMPLE_ADDRESS.address}",x\n`,
    },
  );
  expect(response.status).to.equal(202);
  const { id } = (await response.json()) as { readonly id: string };
  await new BatchClient(() => service.url, key).ended(id);
  return id;
}

/** Ends the key, as if that had been a while ago. */
async function endLongAgo(place: Place, id: string): Promise<void> {
  await using store = await openKeyStore(place);
  const revokedAt = new Date(Date.now() - 60_000).toISOString();
  await store.update(id, (before) => ({ record: { ...before, revokedAt }, audit: auditEntry(id, 'revoke', '') }));
}

function linesOf({ stdout }: CliRun): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

describe('The data of one customer', function () {
  this.timeout(240_000);

  for (const withRedis of [false, true]) {
    it(`is printed, and forgotten but for what bills need, with keys in ${withRedis ? 'Redis' : 'a file'}`, async () => {
      await using place = await openPlace(withRedis);
      const { dataDir, redisUrl, processor } = place;
      const { ada, bob } = await (async () => {
        await using store = await openKeyStore(place);
        return await makeCustomers(store);
      })();
      const env = { ...processor.env, ...(redisUrl !== null && { REDIS_URL: redisUrl }) };
      await using service = await ServiceHere.start(dataDir, env, withRedis ? PATIENT_REDIS : {});
      for (let i = 0; i < 40; i++) {
        await ask(service, ada.key, [`${String((i * 7) % 40).padStart(3, '0')}-ada@example.org`]);
        await ask(service, bob.key, [`${String(i).padStart(3, '0')}-bob`]);
      }
      const [batches, bobsBatches] = hasBatches
        ? [[await sendBatch(service, ada.key, 'ada')], [await sendBatch(service, bob.key, 'bob')]]
        : [[], []];
      await using journal = await openJournalHere(dataDir);
      await until(async () => (await journal.do('backlog', null)).pending === 0);
      await until(() => readDeliveries(dataDir, [ada.record.id]).deliveries.length === batches.length);
      await using store = await openKeyStore(place);
      await suspendCustomer(store, CUSTOMER, 'Ada Byron did not pay');

      const exported = await place.run('customers', 'export', CUSTOMER);
      expect(exported.status, exported.stderr).to.equal(0);
      expect(exported.stderr).to.contain('backups');
      const lines = linesOf(exported);
      const kinds = lines.map((line) => Object.keys(line)[0]!);
      expect(new Set(kinds)).to.have.keys([
        ...['holder', 'key', 'suspension', 'signup', 'audit', 'lookups', 'usageOfDay', 'keptRequest'],
        ...(hasBatches ? ['batch', 'batchFile', 'delivery'] : []),
      ]);
      expect(kinds.filter((kind) => kind === 'keptRequest')).to.have.length(40);
      for (const needle of NEEDLES) expect(exported.stdout).to.contain(needle);
      for (const other of ['Bob', bob.record.id, ...bobsBatches, 'whsec_', ada.record.secrets[0]!.hash])
        expect(exported.stdout).to.not.contain(other);

      const refused = await place.run('customers', 'forget', CUSTOMER, '--yes');
      expect([refused.status, refused.stderr]).to.satisfy(
        ([status, text]: [number, string]) => status === 1 && text.includes(`keys are in force (${ada.record.id})`),
      );
      expect((await place.run('keys', 'revoke', ada.record.id)).status).to.equal(0);
      expect((await place.run('customers', 'forget', CUSTOMER, '--yes')).stderr).to.contain('until a moment ago');
      await endLongAgo(place, ada.record.id);
      const dry = await place.run('customers', 'forget', CUSTOMER);
      expect([dry.status, dry.stderr]).to.satisfy(
        ([status, text]: [number, string]) => status === 1 && text.includes('nothing was changed: give --yes'),
      );

      for (const needle of NEEDLES) expect(await placesOf(place, needle), needle).to.not.deep.equal([]);
      await record(journal, 3, { keyId: ada.record.id, customer: CUSTOMER, atMs: Date.now() - 86_400_000 });
      await until(async () => (await journal.do('backlog', null)).pending === 0);
      const bills = async (): Promise<unknown> => [
        (await place.run('usage', 'report', '--csv')).stdout,
        (await place.run('usage', 'reconcile')).stdout,
        await journal.do('usageOfHolder', { customer: CUSTOMER, keyIds: [ada.record.id] }),
        processor.accepted.map(({ identifier, customer }) => [identifier, customer]),
      ];
      const before = await bills();
      const [bobsKey, bobsRequests] = [await store.findById(bob.record.id), await requestsOf(dataDir, bob.record.id)];

      const forgotten = await place.run('customers', 'forget', CUSTOMER, '--yes');
      expect([forgotten.status, forgotten.stderr]).to.deep.equal([0, '']);
      expect(forgotten.stdout).to.contain(
        `1 keys, 1 sign-ups, 40 kept answers, ${batches.length} batches, ${batches.length} deliveries`,
      );
      for (const needle of [...NEEDLES, ada.record.secrets[0]!.hash, ...batches])
        expect(await placesOf(place, needle), needle).to.deep.equal([]);
      expect(await bills()).to.deep.equal(before);

      expect(await store.findById(ada.record.id)).to.include({ name: FORGOTTEN, customer: CUSTOMER });
      expect(await store.findById(bob.record.id)).to.deep.equal(bobsKey);
      expect(await requestsOf(dataDir, bob.record.id)).to.deep.equal(bobsRequests);
      const again = await service.lookup(bob.key, SAMPLE_ADDRESS, { headers: { 'Idempotency-Key': '007-bob' } });
      expect(again.status).to.equal(200);
      // With keys in Redis, the service hears of it a moment later.
      await until(async () => (await service.lookup(ada.key, SAMPLE_ADDRESS)).status === 401);
      const audit = (await store.audit()).filter(({ keyId }) => keyId === ada.record.id);
      expect(audit.map(({ action }) => action)).to.include.members(['create', 'set', 'revoke', 'forget']);
      expect((await place.run('customers', 'forget', CUSTOMER, '--yes')).status).to.equal(0);
    });
  }

  it('is that of a key without a customer, too; what names nobody is an error', async () => {
    await using place = await openPlace(false);
    await using store = await openKeyStore(place);
    const { record: alone } = await issueKey(store, { name: 'Ada Byron' });
    const { record: billed } = await issueKey(store, { name: 'Bob', customer: 'cus_Bob1' });
    expect(linesOf(await place.run('customers', 'export', alone.id))[1]).to.have.nested.property(
      'key.name',
      'Ada Byron',
    );
    await endLongAgo(place, alone.id);
    expect((await place.run('customers', 'forget', alone.id, '--yes')).status).to.equal(0);
    expect(await placesOf(place, 'Ada Byron')).to.deep.equal([]);
    const failures = {
      cus_typo: 'nothing is kept of cus_typo here',
      [billed.id]: 'name the customer',
      x: 'a customer id',
    };
    for (const [id, words] of Object.entries(failures)) {
      const { status, stderr } = await place.run('customers', 'export', id);
      expect([status, stderr.includes(words)], stderr).to.deep.equal([1, true]);
    }
  });

  it('is not forgotten while a sign-up or a batch is not over', async () => {
    await using place = await openPlace(false);
    await using store = await openKeyStore(place);
    const { record: key } = await issueKey(store, { name: 'Ada Byron', customer: CUSTOMER });
    await endLongAgo(place, key.id);
    await new QueueDatabase(join(place.dataDir, 'batches', 'queue.sqlite'))[Symbol.asyncDispose]();
    const id = signupIdOf('a secret');
    await store.signups.update(id, () => ({
      ...fresh(id, 'price'),
      state: 'issued',
      customer: CUSTOMER,
      keyId: key.id,
    }));
    const refusal = async (): Promise<string> => (await place.run('customers', 'forget', CUSTOMER, '--yes')).stderr;
    expect(await refusal()).to.contain('a sign-up is not over');
    await store.signups.update(id, (before) => before && { ...before, state: 'shown' });
    const queue = new Database(join(place.dataDir, 'batches', 'queue.sqlite'));
    queue
      .prepare<[string]>(
        `INSERT INTO batch (id, key_id, state, detail, snapshot, row_count, created_at, input_bytes, stored_bytes, expected_bytes, held_rows, day)
         VALUES ('bat_1', ?, 'running', 'plain', 's', 1, '', 0, 0, 0, 0, '')`,
      )
      .run(key.id);
    expect(await refusal()).to.contain('the batch bat_1 has not ended');
    queue.exec(`UPDATE batch SET state = 'failed', ended_at = created_at`);
    queue.close();
    expect((await place.run('customers', 'forget', CUSTOMER, '--yes')).status).to.equal(0);
  });

  it('is what the commands of the page about privacy are for', async () => {
    await using place = await openPlace(false);
    await using store = await openKeyStore(place);
    const { record: key } = await issueKey(store, { name: 'Ada Byron', customer: CUSTOMER });
    const page = readFileSync(join(projectDir, 'docs', 'privacy.md'), 'utf8');
    const commands = [...page.matchAll(/^sudo land-lookup (.*)$/gm)].map(([, command]) => command!);
    expect(commands).to.have.length(3);
    for (const command of commands) {
      if (command.includes('forget')) await endLongAgo(place, key.id);
      const { status, stderr } = await place.run(
        ...command.replace('CUSTOMER', CUSTOMER).replace('KEY', key.id).split(' '),
      );
      expect(status, `${command}: ${stderr}`).to.equal(0);
    }
  });

  it('names the copies that other commands have left, and ends with 1', async () => {
    await using place = await openPlace(false);
    await using store = await openKeyStore(place);
    const { record: key } = await issueKey(store, { name: 'Ada Byron', customer: CUSTOMER });
    await endLongAgo(place, key.id);
    const copy = join(place.dataDir, 'accounts.sqlite.format-1');
    writeFileSync(copy, 'Ada Byron');
    const { status, stdout } = await place.run('customers', 'forget', CUSTOMER, '--yes');
    expect(status).to.equal(1);
    expect(stdout).to.contain('These copies may still have it').and.contain(copy);
  });
});

async function requestsOf(dataDir: string, keyId: string): Promise<readonly unknown[]> {
  const db = new Database(join(dataDir, 'usage.sqlite'), { readonly: true });
  const rows = db.prepare('SELECT * FROM answer WHERE key_id = ? ORDER BY idempotency_key').all(keyId);
  const bytes = db.prepare('SELECT * FROM answer_bytes WHERE key_id = ?').all(keyId);
  db.close();
  return Promise.resolve([...rows, ...bytes]);
}
