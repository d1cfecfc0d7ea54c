/** A restore where the backup, or what it replaces, is of an earlier version: what was ended since the backup stays ended, and all else is there. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeBackup } from '../../src/features/backup/make-backup.ts';
import { suspendCustomer } from '../../src/core/keys/customers.ts';
import { revokeKey, rotateKey, setKey } from '../../src/core/keys/keys.ts';
import { keysInFile } from '../../src/core/keys/open-key-store.ts';
import { projectDir } from '../../src/project/project.ts';
import { rotateSecret } from '../../src/features/webhooks/secrets.ts';
import { commandHereOrThrow } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { readAccounts, type KeptAccounts } from '../support/oracles/kept-accounts.ts';
import type { KeptData } from '../tools/keep-data.ts';
import { given } from '../support/drivers/given.ts';

const networks = ['203.0.113.0/24'];
const SINCE = '2026-11-26T12:00:00.000Z';

/** A data folder as a version left it, without snapshots. */
function unpack(version: string) {
  const folder = temporaryFolder();
  const archive = join(projectDir, 'test', 'kept-data', `${version}.tar.gz`);
  execFileSync('tar', ['-C', folder.path, '--exclude', './snapshots', '-xzf', archive]);
  const { usage } = JSON.parse(readFileSync(join(folder.path, 'expected.json'), 'utf8')) as KeptData;
  return { ...folder, dataDir: folder.path, usage, [Symbol.dispose]: folder[Symbol.dispose] };
}

/** Makes a backup, which copies the files as they are: over those of an earlier version, it is what that version would have made. */
function backUp(dataDir: string): Promise<string> {
  return makeBackup(
    { dataDir, redisUrl: null, minFreeDiskBytes: 0 },
    { to: `${dataDir}-backups`, settings: null, keep: 3 },
  );
}

/** Reads what a file of keys has, from a copy: a file of an earlier version would become one of this version. */
async function accountsIn(dataDir: string): Promise<KeptAccounts> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'accounts.sqlite');
  cpSync(join(dataDir, 'accounts.sqlite'), file);
  await using store = keysInFile(file);
  return await readAccounts(store);
}

function formatOf(dataDir: string): number {
  const db = new Database(join(dataDir, 'accounts.sqlite'), { readonly: true });
  try {
    return Number(db.pragma('user_version', { simple: true }));
  } finally {
    db.close();
  }
}

/** Ends everything of the first key, and the customer of the second if there is one, with the code of this version. */
async function endAllNow(dataDir: string): Promise<void> {
  await using store = keysInFile(join(dataDir, 'accounts.sqlite'));
  const [{ id } = { id: '' }, other] = await store.list();
  await rotateKey(store, id, 0);
  await setKey(store, id, { limits: { networks } });
  await rotateSecret(store, id);
  await revokeKey(store, id);
  if (other) await suspendCustomer(store, other.customer!, 'unpaid');
}

/** The same, as versions 0.1.0 and 0.2.0 wrote it. */
function endAllAsThen(dataDir: string): void {
  const db = new Database(join(dataDir, 'accounts.sqlite'));
  const [first, other] = db
    .prepare<[], { readonly id: string; readonly customer: string | null }>(
      'SELECT id, customer FROM api_key ORDER BY rowid',
    )
    .all();
  const { id } = first!;
  const audit = db.prepare(
    "INSERT INTO api_key_audit (at, actor, action, key_id, detail) VALUES (?, 'operator', ?, ?, '')",
  );
  db.prepare('UPDATE api_key_secret SET expires_at = ? WHERE key_id = ?').run(SINCE, id);
  db.prepare('INSERT INTO api_key_secret VALUES (?, ?, ?, NULL)').run('f'.repeat(64), id, SINCE);
  audit.run(SINCE, 'rotate', id);
  db.prepare("UPDATE api_key SET revoked_at = ?, limits = json_set(limits, '$.networks', json(?)) WHERE id = ?").run(
    ...[SINCE, JSON.stringify(networks), id],
  );
  audit.run(SINCE, 'set', id);
  const secret = { secret: 'whsec_xmquHKvo4JCVn2xFwSqkmdPB8ErjaX0FyNakIew2+FQ=', createdAt: SINCE, endsAt: null };
  db.prepare('INSERT INTO webhook_secrets VALUES (?, ?)').run(id, JSON.stringify([secret]));
  audit.run(SINCE, 'revoke', id);
  if (other) {
    db.prepare("INSERT INTO customer (customer, suspended_at, reason) VALUES (?, ?, 'unpaid')").run(
      other.customer,
      SINCE,
    );
    audit.run(SINCE, 'suspend', other.customer);
  }
  db.close();
}

given('backup').describe('A restore across versions', function () {
  this.timeout(240_000);

  /** Restores, and expects all that was ended since to stay so, and all else of the backup to be there. */
  async function expectRestored(dataDir: string, backup: string, usage: string): Promise<void> {
    const [then, ended] = [await accountsIn(backup), await accountsIn(dataDir)];
    const said = await commandHereOrThrow(dataDir, 'restore', '--from', backup);
    const { keys, customers, signups, webhookSecrets, audit } = await accountsIn(dataDir);
    const [first, ...others] = keys;
    const { id, revokedAt, secrets } = ended.keys[0]!;
    expect(revokedAt).to.be.a('string');
    expect(first).to.deep.include({ id, revokedAt, secrets });
    expect(first!.limits).to.deep.equal({ ...then.keys[0]!.limits, networks });
    expect(webhookSecrets).to.deep.equal(ended.webhookSecrets);
    expect(others).to.deep.equal(then.keys.slice(1));
    expect(customers).to.deep.equal(ended.customers);
    expect(customers.filter(({ suspendedAt }) => suspendedAt !== null)).to.have.length(others.length);
    expect(signups).to.deep.equal(then.signups);
    expect(audit.slice(0, then.audit.length)).to.deep.equal(then.audit);
    for (const words of [/was revoked on 20/, /has a later secret/, /has other networks/, /has a later webhook secret/])
      expect(said).to.match(words);
    if (others.length > 0) expect(said).to.match(/cus_kept: was suspended on 20/);
    expect(await commandHereOrThrow(dataDir, 'usage', 'report')).to.equal(usage);
  }

  for (const version of ['0.1.0', '0.2.0']) {
    it(`${version}: its backup, over the stores of now`, async () => {
      using kept = unpack(version);
      const backup = await backUp(kept.dataDir);
      expect(formatOf(backup)).to.equal(formatOf(kept.dataDir)).and.be.below(2);
      await endAllNow(kept.dataDir);
      expect(formatOf(kept.dataDir)).to.equal(2);
      await expectRestored(kept.dataDir, backup, kept.usage);
    });

    it(`${version}: a backup of now, over its stores`, async () => {
      using kept = unpack(version);
      using later = unpack(version);
      await using store = keysInFile(join(later.dataDir, 'accounts.sqlite'));
      expect(await store.list()).to.have.length(version === '0.1.0' ? 1 : 3);
      const backup = await backUp(later.dataDir);
      endAllAsThen(kept.dataDir);
      expect([formatOf(backup), formatOf(kept.dataDir)]).to.deep.equal([2, version === '0.1.0' ? 0 : 1]);
      await expectRestored(kept.dataDir, backup, kept.usage);
    });
  }
});
