/** Keys, customers, sign-ups, secrets of webhooks and the audit, as earlier versions left them in a file and in Redis. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KeyStore, type KeyRecord } from '../../src/core/keys/key-store.ts';
import { issueKey, revokeKey } from '../../src/core/keys/keys.ts';
import { keyDocumentsIn, keysInFile, openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { projectDir } from '../../src/project/project.ts';
import { connectRedis, whenReady, type RedisClient } from '../../src/core/stores/redis.ts';
import { cliBeside } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import type { KeptData } from '../tools/keep-data.ts';
import { readAccounts } from '../support/oracles/kept-accounts.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';

interface Kept extends Disposable {
  readonly dir: string;
  readonly expected: KeptData;
  /** The file of keys. */
  readonly file: string;
}

/** Unpacks what a version left about accounts. */
function unpack(version: string): Kept {
  const folder = temporaryFolder();
  const archive = join(projectDir, 'test', 'kept-data', `${version}.tar.gz`);
  execFileSync('tar', ['-C', folder.path, '--exclude', './snapshots', '-xzf', archive]);
  return {
    dir: folder.path,
    expected: JSON.parse(readFileSync(join(folder.path, 'expected.json'), 'utf8')) as KeptData,
    file: join(folder.path, 'accounts.sqlite'),
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}

describe('Accounts in a file of an earlier version', function () {
  this.timeout(240_000);

  it('0.2.0: everything is as it was, also when processes open it at once', async () => {
    using kept = unpack('0.2.0');
    await using one = keysInFile(kept.file);
    await using two = keysInFile(kept.file);
    expect(await readAccounts(one)).to.deep.equal(kept.expected.accounts);
    const { keys } = kept.expected.accounts!;
    for (const { id, secrets, customer } of keys) {
      for (const { hash } of secrets)
        expect(await two.find(hash)).to.deep.include({ id, isSuspended: customer === 'cus_suspended' });
    }
    const { record } = await issueKey(one, { name: 'new', customer: 'cus_kept' });
    expect((await two.listOf('cus_kept')).map(({ id }) => id))
      .to.include.members([record.id])
      .and.have.length(2);
    expect((await two.audit()).at(-1)).to.include({ action: 'create', keyId: record.id });
  });

  it('0.1.0: its key has no limits and is found', async () => {
    using kept = unpack('0.1.0');
    await using store = keysInFile(kept.file);
    const { keys, customers, signups, audit } = await readAccounts(store);
    expect(keys).to.have.length(1);
    expect(keys[0]!.limits.networks).to.deep.equal([]);
    expect(await store.find(keys[0]!.secrets[0]!.hash)).to.deep.equal({ ...keys[0], isSuspended: false });
    expect([customers, signups]).to.deep.equal([[], []]);
    expect(audit.map(({ action }) => action)).to.include('create');
  });

  it('is kept as it was beside the present one, for its owner alone, and not copied again', async () => {
    using kept = unpack('0.2.0');
    const before = readFileSync(kept.file);
    const count = 'SELECT count(*) FROM api_key_secret';
    for (let i = 0; i < 2; i++) {
      await using store = keysInFile(kept.file);
      expect(await store.list()).to.have.length(3);
    }
    const copies = readdirSync(kept.dir).filter((name) => name.startsWith('accounts.sqlite.'));
    expect(copies).to.deep.equal(['accounts.sqlite.format-1']);
    const copy = new Database(join(kept.dir, copies[0]!));
    expect(copy.prepare(count).pluck().get()).to.equal(4);
    expect(copy.pragma('user_version', { simple: true })).to.equal(1);
    copy.close();
    expect(statSync(join(kept.dir, copies[0]!)).mode & 0o777).to.equal(0o600);
    expect(readFileSync(kept.file).equals(before)).to.equal(false);
  });

  it('is moved once by processes that start at once, each of which then finds everything', async () => {
    using kept = unpack('0.2.0');
    const runs = await Promise.all(Array.from({ length: 4 }, () => cliBeside(kept.dir, {}, 'keys', 'export')));
    const { keys, signups, customers } = kept.expected.accounts!;
    for (const { status, stdout, stderr } of runs) {
      expect(status, stderr).to.equal(0);
      expect(stdout.trim().split('\n')).to.have.length(keys.length + signups.length + customers.length);
    }
    const copies = readdirSync(kept.dir).filter((name) => name.startsWith('accounts.sqlite.'));
    expect(copies).to.deep.equal(['accounts.sqlite.format-1']);
    const copy = new Database(join(kept.dir, copies[0]!), { readonly: true });
    expect(copy.prepare('SELECT count(*) FROM api_key').pluck().get()).to.equal(3);
    copy.close();
  });

  it('can still be read by a process of version 0.2.0 that runs on, as it is now, and not changed', async () => {
    using kept = unpack('0.2.0');
    const old = new Database(kept.file);
    const find = old.prepare<[string], { readonly id: string; readonly revokedAt: string | null }>(
      `SELECT id, name, limit_per_hour AS limitPerHour, customer, limits, created_at AS createdAt, expires_at AS expiresAt,
         revoked_at AS revokedAt FROM api_key WHERE id = (SELECT key_id FROM api_key_secret WHERE hash = ?)`,
    );
    const secrets = old.prepare(
      `SELECT hash, created_at AS createdAt, expires_at AS expiresAt FROM api_key_secret WHERE key_id = ? ORDER BY created_at, hash`,
    );
    const customer = old.prepare(
      'SELECT customer, suspended_at AS suspendedAt, reason, resumed_at AS resumedAt, cause FROM customer WHERE customer = ?',
    );
    const seen = ({ id, secrets: own }: KeyRecord) => [
      find.get(own[0]!.hash),
      secrets.all(id),
      customer.get('cus_suspended'),
    ];
    const { keys } = kept.expected.accounts!;
    const before = keys.map(seen);
    await using store = keysInFile(kept.file);
    expect(keys.map(seen)).to.deep.equal(before);
    const { revokedAt } = await revokeKey(store, keys[0]!.id);
    expect(find.get(keys[0]!.secrets[0]!.hash)).to.include({ revokedAt });
    expect(() => old.prepare(`UPDATE api_key SET revoked_at = NULL`).run()).to.throw('view');
    old.close();
  });
});

describe('Accounts in a Redis of an earlier version', function () {
  this.timeout(240_000);

  async function fill(server: RedisServer, dir: string): Promise<void> {
    await using client = server.client();
    const commands = JSON.parse(readFileSync(join(dir, 'redis.json'), 'utf8')) as [string, ...string[]][];
    for (const [command, ...args] of commands) await client.redis.call(command, ...args);
  }

  async function connect(server: RedisServer): Promise<RedisClient> {
    const redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
    await whenReady(redis, 60_000);
    return redis;
  }

  it('0.2.0: everything is as it was, and the first change notes the format', async () => {
    using kept = unpack('0.2.0');
    await using server = await RedisServer.start();
    await fill(server, kept.dir);
    await using store = new KeyStore(keyDocumentsIn(await connect(server)));
    expect(await readAccounts(store)).to.deep.equal(kept.expected.redisAccounts);
    await issueKey(store, { name: 'new' });
    await using client = server.client();
    expect(await client.redis.get('{land-lookup:keys}:format')).to.equal('1');
  });

  it('of a later version is refused when it is opened, and by a process that is open', async () => {
    await using server = await RedisServer.start();
    await using store = new KeyStore(keyDocumentsIn(await connect(server)));
    const { record } = await issueKey(store, { name: 'before' });
    await using client = server.client();
    await client.redis.set('{land-lookup:keys}:format', '7');
    const refused = (work: Promise<unknown>): Promise<string> => work.then(() => 'done', String);
    const says = /was written by a later version of land-lookup \(format 7; this version knows 1\)/;
    expect(await refused(revokeKey(store, record.id))).to.match(says);
    expect((await store.findById(record.id))!.revokedAt).to.equal(null);
    using folder = temporaryFolder();
    expect(await refused(openKeyStore({ dataDir: folder.path, redisUrl: server.url }))).to.match(says);
  });
});
