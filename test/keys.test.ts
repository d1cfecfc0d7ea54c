import { expect } from 'chai';
import Database from 'better-sqlite3';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Authenticator } from '../src/accounts/authenticator.ts';
import { createKey } from '../src/accounts/key-format.ts';
import { issueKey, revokeKey } from '../src/accounts/keys.ts';
import { SqliteKeyStore } from '../src/accounts/sqlite-key-store.ts';
import { AppError } from '../src/problems.ts';
import { cli, cliOrThrow } from './support/cli.ts';
import { temporaryFolder } from './support/folder.ts';

const plain = { name: 'test', limitPerHour: null, expiresAt: null };

async function isRefused(authenticator: Authenticator, key: string): Promise<boolean> {
  const result: unknown = await authenticator.authenticate(`Bearer ${key}`).catch((cause: unknown) => cause);
  if (!(result instanceof AppError)) return false;
  expect(result.code).to.equal('UNAUTHORIZED');
  return true;
}

describe('Keys', () => {
  it('are stored as hashes only', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'accounts.sqlite');
    await using store = new SqliteKeyStore(file);
    const { key, record } = await issueKey(store, { ...plain, limitPerHour: 5 });
    expect(await store.list()).to.deep.equal([record]);
    expect(await store.find(record.secrets[0]!.hash)).to.deep.equal(record);
    for (const name of readdirSync(folder.path)) {
      expect(readFileSync(join(folder.path, name)).includes(key), name).to.equal(false);
    }
    const db = new Database(file);
    expect(db.pragma('journal_mode', { simple: true })).to.equal('wal');
    db.close();
  });

  it('let in while they are in force, and not once revoked or expired', async () => {
    using folder = temporaryFolder();
    await using store = new SqliteKeyStore(join(folder.path, 'accounts.sqlite'));
    const authenticator = new Authenticator(store);
    const soon = new Date(Date.now() + 300).toISOString();
    const { key } = await issueKey(store, { ...plain, expiresAt: soon });
    const other = await issueKey(store, plain);
    expect(await isRefused(authenticator, key)).to.equal(false);
    expect((await authenticator.authenticate(`bearer  ${other.key} `)).id).to.equal(other.record.id);
    await sleep(310);
    expect(await isRefused(authenticator, key), 'the cache knows the expiry').to.equal(true);
    await revokeKey(store, other.record.id);
    expect(await isRefused(new Authenticator(store), other.key)).to.equal(true);
    expect(await isRefused(authenticator, createKey()), 'unknown').to.equal(true);
  });

  it('are refused within 10 s of their revocation by a process that has them in its cache', async function () {
    this.timeout(15_000);
    using folder = temporaryFolder();
    const file = join(folder.path, 'accounts.sqlite');
    await using serving = new SqliteKeyStore(file);
    await using command = new SqliteKeyStore(file);
    const authenticator = new Authenticator(serving);
    const { key, record } = await issueKey(command, plain);
    expect(await isRefused(authenticator, key)).to.equal(false);
    await revokeKey(command, record.id);
    const start = performance.now();
    while (!(await isRefused(authenticator, key))) await sleep(50);
    expect(performance.now() - start).to.be.lessThan(10_000);
  });

  it('cost one look-up for many requests, known or not', async () => {
    using folder = temporaryFolder();
    await using store = new SqliteKeyStore(join(folder.path, 'accounts.sqlite'));
    const { key } = await issueKey(store, plain);
    let lookups = 0;
    const authenticator = new Authenticator({
      find: (hash) => {
        lookups++;
        return store.find(hash);
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(`Bearer ${key}`)));
    expect(lookups).to.equal(1);
    const unknown = createKey();
    for (let i = 0; i < 50; i++) expect(await isRefused(authenticator, unknown)).to.equal(true);
    expect(lookups).to.equal(2);
    for (let i = 0; i < 50; i++) await isRefused(authenticator, `${unknown.slice(0, -1)}!`);
    expect(lookups, 'a mistyped key needs none').to.equal(2);
  });

  it('are made, listed and revoked by commands that never print one again', () => {
    using folder = temporaryFolder();
    const key = cliOrThrow(
      folder.path,
      'keys',
      'create',
      '--name',
      'Ada',
      '--limit',
      '7',
      '--expires',
      '2099-01-01',
    ).trim();
    expect(key).to.match(/^olk_[0-9A-Za-z]{38}$/);
    const listed = cliOrThrow(folder.path, 'keys', 'list');
    expect(listed).to.contain('Ada').and.contain('\t7\t').and.contain('2099-01-01').and.contain('in force');
    expect(listed).not.to.contain(key);
    const id = /key_[0-9a-f]+/.exec(listed)![0];
    expect(cliOrThrow(folder.path, 'keys', 'revoke', id)).to.contain('revoked');
    expect(cliOrThrow(folder.path, 'keys', 'list')).to.contain('revoked 20');
    expect(cli(folder.path, 'keys', 'revoke', id)).to.include({ status: 1, stdout: '' });
    expect(cli(folder.path, 'keys', 'revoke', 'key_none').stderr).to.contain('there is no key key_none');
  }).timeout(60_000);

  it('are not made with a limit, a date or a name that cannot be meant', () => {
    using folder = temporaryFolder();
    for (const bad of [
      ['--name', 'A', '--limit', '0'],
      ['--name', 'A', '--limit', '1e3'],
      ['--name', 'A', '--expires', '2001-01-01'],
      ['--name', 'A', '--expires', 'tomorrow'],
      ['--name', ' '],
      [],
    ]) {
      const { status, stdout } = cli(folder.path, 'keys', 'create', ...bad);
      expect({ status, stdout }, bad.join(' ')).to.deep.equal({ status: 1, stdout: '' });
    }
  }).timeout(60_000);
});
