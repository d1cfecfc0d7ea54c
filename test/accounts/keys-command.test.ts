import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cliArguments, cliEnvironment } from '../support/drivers/cli.ts';
import { commandHere, commandHereOrThrow } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { RedisServer } from '../support/drivers/redis.ts';

const KEY = /^olk_[0-9A-Za-z]{38}$/;

describe('land-lookup keys', function () {
  this.timeout(240_000);

  it('makes, lists, rotates, changes and revokes keys, and never prints one again', async () => {
    using folder = temporaryFolder();
    const keys = async (...args: string[]): Promise<string> =>
      (await commandHereOrThrow(folder.path, 'keys', ...args)).trim();
    const key = await keys(
      'create',
      '--name',
      'Ada',
      '--limit',
      '7',
      '--expires',
      '2099-01-01',
      '--customer',
      'cus_A1',
    );
    expect(key).to.match(KEY);
    const id = /key_[0-9a-f]{16}/.exec(await keys('list'))![0];
    expect(await keys('list')).to.match(/Ada +7 +none +cus_A1 +1 .*2099-01-01T00:00:00.000Z +in force +never$/m);
    const rotated = await keys('rotate', id, '--overlap', '1');
    expect(rotated).to.match(KEY).and.not.equal(key);
    expect(await keys('set', id, '--limit', 'default', '--customer', 'none'))
      .to.contain('default')
      .and.contain('not billed');
    await keys(
      'set',
      id,
      '--budget',
      '500',
      '--burst',
      '20',
      '--in-flight',
      '8',
      '--networks',
      '203.0.113.0/24,2001:db8::1',
    );
    expect(await keys('list')).to.contain('500/month, 20/s, 8 at once, from 203.0.113.0/24 2001:db8::1/128');
    expect(await keys('set', id, '--budget', 'none', '--in-flight', 'default', '--networks', 'all')).to.contain(
      '  20/s  ',
    );
    expect(await keys('set', id, '--batch-rows-per-day', '10000')).to.contain('  20/s, 10000 batch rows/day  ');
    expect(await keys('set', id, '--batch-rows-per-day', '0')).to.contain('  20/s  ');
    expect(await keys('expire', id, 'never')).to.contain('never');
    expect(await keys('revoke', id)).to.contain('revoked');
    const [listed] = JSON.parse(await keys('list', '--json')) as readonly Readonly<Record<string, unknown>>[];
    expect(listed).to.include({
      id,
      name: 'Ada',
      state: 'revoked',
      secretsInForce: 2,
      lastUsedAt: null,
      customer: null,
    });
    expect(await keys('list', '--json')).to.not.contain('hash');
    const shown = (await keys('list')) + (await keys('audit')) + (await keys('audit', id)) + (await keys('export'));
    expect(shown).to.not.contain(key).and.not.contain(rotated);
    expect(await keys('audit'))
      .to.contain('rotate')
      .and.contain('revoke');
    expect(await commandHere(folder.path, {}, 'keys', 'revoke', id)).to.include({ status: 1, stdout: '' });
    expect((await commandHere(folder.path, {}, 'keys', 'revoke', 'key_none')).stderr).to.contain(
      'there is no key key_none',
    );
  });

  it('refuses what cannot be meant', async () => {
    using folder = temporaryFolder();
    for (const bad of [
      ['create', '--name', 'A', '--limit', '0'],
      ['create', '--name', 'A', '--limit', '1e3'],
      ['create', '--name', 'A', '--budget', '0'],
      ['create', '--name', 'A', '--networks', '203.0.113.0/33'],
      ['create', '--name', 'A', '--networks', 'example.org'],
      ['create', '--name', 'A', '--batch-rows-per-day', '-1'],
      ['set', 'key_0', '--batch-rows-per-day', 'none'],
      ['create', '--name', 'A', '--expires', '2001-01-01'],
      ['create', '--name', 'A', '--expires', 'tomorrow'],
      ['create', '--name', 'A', '--expires', '2101-02-30'],
      ['create', '--name', 'A', '--expires', '2101-02-30T10:00:00Z'],
      ['create', '--name', 'A', '--expires', '2101-02-03T25:00:00Z'],
      ['create', '--name', 'A', '--customer', 'Ada'],
      ['create', '--name', ' '],
      ['create'],
      ['rotate', 'key_0', '--overlap', '-1'],
    ]) {
      const { status, stdout } = await commandHere(folder.path, {}, 'keys', ...bad);
      expect({ status, stdout }, bad.join(' ')).to.deep.equal({ status: 1, stdout: '' });
    }
  });

  it('is told where an option took another one for its value, as any command is', async () => {
    using folder = temporaryFolder();
    for (const args of [
      ['keys', 'create', '--name', '--expires=2101-01-01'],
      ['usage', 'reconcile', '--journal', '--month=2026-01'],
      ['load-addresses', '--from', '--as-of=2026-01-01'],
    ]) {
      const { status, stderr } = await commandHere(folder.path, {}, ...args);
      expect(status, args.join(' ')).to.equal(1);
      expect(stderr).to.match(
        new RegExp(`^error: option '${args.at(-2)!} <.*>' has no value before '${args.at(-1)!}'\n`),
      );
    }
    expect(existsSync(join(folder.path, 'accounts.sqlite'))).to.equal(false);
  });

  it('are made by a user without a name too, as a container may have, and the audit has its number', async function () {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o777);
    const nameless = ['--reuid', '54321', '--regid', '54321', '--clear-groups', process.execPath, ...cliArguments];
    const keys = (...args: string[]) =>
      spawnSync('setpriv', [...nameless, 'keys', ...args], { encoding: 'utf8', env: cliEnvironment(folder.path, {}) });
    if (process.getuid?.() !== 0 || keys('--help').status !== 0) {
      console.log('skipped: needs root, and a checkout that others can read');
      this.skip();
    }
    const { status, stdout, stderr } = keys('create', '--name', 'A');
    expect(status, stderr).to.equal(0);
    expect(stdout.trim()).to.match(KEY);
    expect(await commandHereOrThrow(folder.path, 'keys', 'audit')).to.match(/ 54321@\S+ +create /);
  });

  it('deletes no usage before a day that is to come, or that no calendar has', async () => {
    using folder = temporaryFolder();
    for (const day of ['2101-01-01', '2025-02-30', 'yesterday']) {
      const { status, stderr } = await commandHere(folder.path, {}, 'usage', 'prune', '--before', day);
      expect([status, stderr.split('\n')[0]]).to.deep.equal([
        1,
        `error: option '--before <YYYY-MM-DD>' argument '${day}' is invalid. a day as YYYY-MM-DD, at most today`,
      ]);
    }
    const { status, stdout } = await commandHere(folder.path, {}, 'usage', 'prune', '--before', '2020-01-01');
    expect([status, stdout]).to.deep.equal([0, '0 lookups deleted\n']);
  });

  it('export to a disk without room: one sentence, and no file that looks like an export', async function () {
    using folder = temporaryFolder();
    using disk = temporaryFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', disk.path]).status !== 0) {
      console.log('skipped: cannot mount a small file system here');
      this.skip();
    }
    try {
      writeFileSync(join(disk.path, 'filler'), Buffer.alloc(4096));
      await commandHereOrThrow(folder.path, 'keys', 'create', '--name', 'A');
      const to = join(disk.path, 'keys.jsonl');
      const { status, stderr } = await commandHere(folder.path, {}, 'keys', 'export', '--to', to);
      expect(stderr).to.match(/^land-lookup: ENOSPC[^\n]*: check whether the disk is full \(df\)[^\n]*\n$/);
      expect([status, existsSync(to)]).to.deep.equal([1, false]);
    } finally {
      spawnSync('umount', ['-l', disk.path]);
    }
  });

  it('moves keys from a file to Redis and back without a change', async () => {
    await using server = await RedisServer.start();
    using folder = temporaryFolder();
    using back = temporaryFolder();
    const file = join(folder.path, 'keys.jsonl');
    const inRedis = async (dataDir: string, ...args: string[]): Promise<string> => {
      const { stdout, stderr, status } = await commandHere(dataDir, { REDIS_URL: server.url }, 'keys', ...args);
      if (status !== 0) throw new Error(stderr);
      return stdout;
    };
    await commandHereOrThrow(folder.path, 'keys', 'create', '--name', 'Ada');
    await commandHereOrThrow(
      folder.path,
      'keys',
      'create',
      '--name',
      'Bob',
      '--customer',
      'cus_B',
      '--batch-rows-per-day',
      '5000',
    );
    await commandHereOrThrow(folder.path, 'keys', 'export', '--to', file);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(await commandHereOrThrow(folder.path, 'keys', 'export')).to.equal(readFileSync(file, 'utf8'));
    expect((await commandHere(folder.path, {}, 'keys', 'export', '--to', file)).stderr).to.contain('already exists');
    expect(await inRedis(folder.path, 'import', file)).to.equal('2 keys imported, 0 existed already\n');
    expect(await inRedis(folder.path, 'import', file)).to.equal('0 keys imported, 2 existed already\n');
    expect(await inRedis(folder.path, 'export')).to.equal(readFileSync(file, 'utf8'));
    expect(await commandHereOrThrow(back.path, 'keys', 'import', file)).to.contain('2 keys imported');
    expect(await commandHereOrThrow(back.path, 'keys', 'export')).to.equal(readFileSync(file, 'utf8'));
    const id = /key_[0-9a-f]{16}/.exec(readFileSync(file, 'utf8'))![0];
    await inRedis(folder.path, 'revoke', id);
    expect(await inRedis(folder.path, 'import', file).catch(String)).to.contain('differs');
    writeFileSync(file, '{"id":"key_1"}\n');
    expect(await inRedis(folder.path, 'import', file).catch(String)).to.contain('line 1');
  });

  it('says so when Redis does not answer', async () => {
    using folder = temporaryFolder();
    const { stderr, status } = await commandHere(
      folder.path,
      { REDIS_URL: `unix://${folder.path}/none.sock` },
      'keys',
      'list',
    );
    expect(status).to.equal(1);
    expect(stderr).to.contain('the Redis of REDIS_URL cannot be used');
  });

  it('say so when the connection to Redis is lost right after it was made', async () => {
    using folder = temporaryFolder();
    await using server = await RedisServer.start();
    const between = createServer((client) => {
      const redis = connect(new URL(server.url).pathname);
      for (const socket of [client, redis]) socket.on('error', () => undefined);
      // The first command, behind what the library asks on each connection.
      client.on('data', (bytes) => (bytes.includes('format') ? client.destroy() : redis.write(bytes)));
      client.on('close', () => redis.destroy());
      redis.pipe(client);
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const url = `redis://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const { stderr, status } = await commandHere(folder.path, { REDIS_URL: url }, 'keys', 'list');
    between.close();
    expect([status, stderr]).to.deep.equal([
      1,
      'land-lookup: the Redis of REDIS_URL cannot be used: it does not answer\n',
    ]);
  });

  it('wait for a Redis that is slow, and say what to do when it does not answer a change', async () => {
    using folder = temporaryFolder();
    await using server = await RedisServer.start();
    await using client = server.client();
    const create = () => commandHere(folder.path, { REDIS_URL: server.url }, 'keys', 'create', '--name', 'Ada');
    const pause = (ms: number) => client.redis.call('CLIENT', 'PAUSE', ms, 'WRITE');
    await pause(1000);
    expect((await create()).status).to.equal(0);
    await pause(3_600_000);
    expect(await create()).to.deep.equal({
      status: 1,
      stdout: '',
      stderr:
        'land-lookup: the Redis of REDIS_URL did not answer in time, or the connection to it was lost: look whether the change was made before you try again\n',
    });
    await client.redis.call('CLIENT', 'UNPAUSE');
  });

  it('say what to do when Redis takes no changes', async () => {
    using folder = temporaryFolder();
    await using server = await RedisServer.start();
    await using client = server.client();
    await client.redis.replicaof('127.0.0.1', 1);
    const create = (url: string) => commandHere(folder.path, { REDIS_URL: url }, 'keys', 'create', '--name', 'Ada');
    expect(await create(server.url)).to.deep.include({ status: 1, stdout: '' });
    expect((await create(server.url)).stderr).to.match(
      /^land-lookup: the Redis of REDIS_URL refuses this: READONLY .*: it is a replica: name its master/,
    );
  });
});
