/** What a restore does to keys that were ended since the backup: they stay ended where the store of before can be read, and the command says what differs. */
import { expect } from 'chai';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeBackup } from '../../src/features/backup/make-backup.ts';
import { Authenticator } from '../../src/core/keys/authenticator.ts';
import { resumeCustomer, suspendCustomer } from '../../src/core/keys/customers.ts';
import { findHolder, forgetKeys } from '../../src/features/privacy/customer-data.ts';
import type { KeyStore } from '../../src/core/keys/key-store.ts';
import { expireKey, issueKey, revokeKey, rotateKey, setKey, type IssuedKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { DAY_MS } from '../../src/messages/time.ts';
import { rotateSecret } from '../../src/features/webhooks/secrets.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { given } from '../support/drivers/given.ts';

interface Kind {
  readonly before?: (store: KeyStore, made: IssuedKey) => Promise<unknown>;
  readonly since: (store: KeyStore, made: IssuedKey) => Promise<unknown>;
  /** What the command says of it. */
  readonly says: RegExp;
  readonly holds: (store: KeyStore, made: IssuedKey) => Promise<void>;
}

const networks = ['203.0.113.0/24'];

async function isAccepted(store: KeyStore, key: string): Promise<boolean> {
  return new Authenticator(store).authenticate(`Bearer ${key}`).then(
    () => true,
    () => false,
  );
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a revocation': {
    since: (store, { record: { id } }) => revokeKey(store, id),
    says: /was revoked on 20\S+, and stays revoked/,
    holds: async (store, { key }) => {
      expect(await isAccepted(store, key)).to.equal(false);
    },
  },
  'a later secret': {
    since: (store, { record: { id } }) => rotateKey(store, id, 0),
    says: /has a later secret: those it replaced stay replaced/,
    holds: async (store, { key, record }) => {
      expect(await isAccepted(store, key)).to.equal(false);
      expect((await store.findById(record.id))?.revokedAt).to.equal(null);
    },
  },
  'other networks': {
    since: (store, { record: { id } }) => setKey(store, id, { limits: { networks, inFlight: 3 } }),
    says: /has other networks, which stay: 203\.0\.113\.0\/24; had another name, customer, end or other limits/,
    holds: async (store, { record }) => {
      expect((await store.findById(record.id))?.limits).to.deep.include({ networks, inFlight: null });
    },
  },
  'a suspension': {
    since: (store, { record }) => suspendCustomer(store, record.customer!, 'unpaid'),
    says: /cus_\d+: was suspended on 20\S+, and stays so/,
    holds: async (store, { record }) => {
      expect((await store.findById(record.id))?.isSuspended).to.equal(true);
    },
  },
  'the end of a suspension': {
    before: (store, { record }) => suspendCustomer(store, record.customer!, 'unpaid'),
    since: (store, { record }) => resumeCustomer(store, record.customer!),
    says: /cus_\d+: was resumed since, and stays so/,
    holds: async (store, { record }) => {
      expect((await store.findById(record.id))?.isSuspended).to.equal(false);
    },
  },
  'an end': {
    since: (store, { record: { id } }) => expireKey(store, id, new Date(Date.now() - 1000).toISOString()),
    says: /ends on 20\S+, which stays so/,
    holds: async (store, { key }) => {
      expect(await isAccepted(store, key)).to.equal(false);
    },
  },
  'a customer who was forgotten': {
    since: async (store, { record: { id, customer } }) => {
      await revokeKey(store, id);
      await forgetKeys(store, await findHolder(store, customer!));
    },
    says: /key_\w+: was forgotten since, and the backup has it again: run "customers forget cus_\d+"/,
    holds: async (store, { key }) => {
      expect(await isAccepted(store, key)).to.equal(false);
    },
  },
  'a later webhook secret': {
    before: (store, { record: { id } }) => rotateSecret(store, id),
    since: (store, { record: { id } }) => rotateSecret(store, id),
    says: /has a later webhook secret, which stays/,
    holds: async (store, { record: { id } }) => {
      expect(await store.changeWebhookSecrets(id, () => null)).to.have.length(2);
    },
  },
};

const NEW_AGAIN = /keys revoked since 20\S+ are valid again: revoke them/;

given('backup').describe('A restore of keys', function () {
  this.timeout(240_000);

  async function backUp(dataDir: string, redisUrl: string | null = null): Promise<string> {
    return makeBackup(
      { dataDir, redisUrl, minFreeDiskBytes: 0 },
      { to: `${dataDir}-backups`, settings: null, keep: 3 },
    );
  }

  async function restore(dataDir: string, from: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { status, stdout, stderr } = await commandHere(dataDir, env, 'restore', '--from', from);
    expect([status, stderr]).to.deep.equal([0, '']);
    return stdout;
  }

  const open = (dataDir: string, redisUrl: string | null = null) => openKeyStore({ dataDir, redisUrl });

  it('leaves ended what was ended since the backup, brings the rest back, and says both', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const made = new Map<string, IssuedKey>();
    let backup: string;
    {
      await using store = await open(dataDir);
      for (const [index, [name, { before }]] of Object.entries(KINDS).entries()) {
        const issued = await issueKey(store, { name, customer: `cus_${index}` });
        made.set(name, issued);
        await before?.(store, issued);
      }
      made.set('nothing', await issueKey(store, { name: 'nothing' }));
      backup = await backUp(dataDir);
      for (const [name, { since }] of Object.entries(KINDS)) await since(store, made.get(name)!);
      made.set('made since', await issueKey(store, { name: 'made since' }));
    }
    const said = await restore(dataDir, backup);
    expect(said).to.not.match(NEW_AGAIN);
    await using store = await open(dataDir);
    for (const [name, { says, holds }] of Object.entries(KINDS)) {
      expect(said, name).to.match(says);
      await holds(store, made.get(name)!);
    }
    expect(said).to.contain(`${made.get('made since')!.record.id} (made since): was made since`);
    expect(said).to.not.contain(made.get('nothing')!.record.id);
    expect(await isAccepted(store, made.get('nothing')!.key)).to.equal(true);
    expect((await store.audit()).filter(({ action }) => action === 'restore').length).to.be.at.least(6);
  });

  it('takes the backup where that is the later one', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    let id: string;
    let key: string;
    let old: string;
    let later: string;
    {
      await using store = await open(dataDir);
      const issued = await issueKey(store, { name: 'one' });
      ({ id } = issued.record);
      old = await backUp(dataDir);
      ({ key } = await rotateKey(store, id, DAY_MS));
      await setKey(store, id, { limits: { networks } });
      // Backups have names of whole seconds.
      later = await makeBackup(
        { dataDir, redisUrl: null, minFreeDiskBytes: 0 },
        { to: join(folder.path, 'others'), settings: null, keep: 3 },
      );
    }
    // As a machine that had the older data.
    const other = join(folder.path, 'other');
    expect(await restore(other, old)).to.match(NEW_AGAIN);
    expect(await restore(other, later)).to.not.contain(id);
    await using store = await open(other);
    expect(await isAccepted(store, key)).to.equal(true);
    expect((await store.findById(id))?.limits.networks).to.deep.equal(networks);
  });

  const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
    'is no database any more, beside a log': (file) => {
      writeFileSync(
        file,
        'this is no database, but a text that is long enough to be taken for a header of one'.repeat(9),
      );
      writeFileSync(`${file}-wal`, 'what a crash left');
    },
    'has damaged pages': (file) => {
      const db = new Database(file);
      db.pragma('journal_mode = DELETE');
      const bytes = db.serialize();
      db.close();
      bytes.fill(0xa5, 4096);
      writeFileSync(file, bytes);
    },
  };

  for (const [what, damage] of Object.entries(DAMAGES)) {
    it(`says what is valid again when the store of before ${what}`, async () => {
      using folder = temporaryFolder();
      const dataDir = join(folder.path, 'data');
      let key: string;
      let backup: string;
      {
        await using store = await open(dataDir);
        const issued = await issueKey(store, { name: 'one' });
        ({ key } = issued);
        backup = await backUp(dataDir);
        await revokeKey(store, issued.record.id);
      }
      damage(join(dataDir, 'accounts.sqlite'));
      expect(await restore(dataDir, backup)).to.match(NEW_AGAIN);
      await using store = await open(dataDir);
      expect(await isAccepted(store, key)).to.equal(true);
      const aside = readdirSync(dataDir).find((name) => name.startsWith('before-restore-'))!;
      expect(readdirSync(join(dataDir, aside))).to.include('accounts.sqlite');
    });
  }

  it('into Redis leaves what Redis has, and says what is valid again of what it has lost', async () => {
    using folder = temporaryFolder();
    await using redis = await RedisServer.start();
    const dataDir = join(folder.path, 'data');
    const env = { REDIS_URL: redis.url };
    let kept: IssuedKey;
    let lost: IssuedKey;
    let remembered: IssuedKey;
    let backup: string;
    {
      await using store = await open(dataDir, redis.url);
      kept = await issueKey(store, { name: 'kept' });
      lost = await issueKey(store, { name: 'lost' });
      remembered = await issueKey(store, { name: 'remembered' });
      backup = await backUp(dataDir, redis.url);
      await revokeKey(store, kept.record.id);
      await revokeKey(store, remembered.record.id);
    }
    const all = await restore(dataDir, backup, env);
    expect(all).to.contain('0 keys imported, 3 existed already').and.contain('3 keys were in Redis, and stay');
    expect(all).to.not.match(NEW_AGAIN);
    {
      await using client = redis.client();
      await client.redis.flushall();
    }
    const some = await restore(dataDir, backup, env);
    expect(some).to.match(NEW_AGAIN).and.to.contain(`Redis did not have ${lost.record.id} (lost)`);
    expect(some).to.contain(`${remembered.record.id} (remembered): was revoked on`);
    await using store = await open(dataDir, redis.url);
    expect(await isAccepted(store, lost.key)).to.equal(true);
    for (const { key } of [kept, remembered]) expect(await isAccepted(store, key)).to.equal(false);
  });
});
