/** Backup and restore of keys, usage journal and settings. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { makeBackup } from '../../../src/features/backup/make-backup.ts';
import { backupRefused, requireLasting } from '../../../src/features/backup/refused.ts';
import { restoreBackup } from '../../../src/features/backup/restore-backup.ts';
import { requireCurrentSnapshot } from '../../../src/core/snapshots/current.ts';
import { cli, cliArguments, cliBeside } from '../../support/drivers/cli.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { canUnshare } from '../../service/unit-sandbox.ts';
import { openJournalHere } from '../../support/drivers/journal-here.ts';
import { RedisServer } from '../../support/drivers/redis.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';
import { SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { ServiceHere } from '../../support/drivers/service-here.ts';
import { newKey, ServiceProcess } from '../../support/drivers/service-process.ts';
import { StripeServer } from '../../support/doubles/stripe-server.ts';

const everything = { fromMs: 0, toMs: 9e15 };

async function usageOf(dataDir: string) {
  await using journal = await openJournalHere(dataDir);
  return await journal.do('report', everything);
}

async function record(dataDir: string, ids: readonly string[]): Promise<void> {
  await using journal = await openJournalHere(dataDir);
  for (const id of ids) {
    const usage = { id, keyId: 'key_a', customer: 'cus_a', atMs: Date.now() };
    await journal.do('record', { usage, answered: null });
  }
}

describe('backup and restore', function () {
  this.timeout(240_000);

  it('bring keys and lookups back; what was pending becomes uncertain, and nothing that was there is lost', async () => {
    using folder = temporaryFolder();
    const [dataDir, to, settings] = ['data', 'backups', 'settings.env'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await newKey(dataDir, { name: 'first' });
    await record(dataDir, ['lkp_1', 'lkp_2']);
    writeFileSync(settings, 'PORT=8080\n');
    const made = await commandHere(dataDir, {}, 'backup', '--to', to, '--settings', settings);
    expect([made.status, made.stderr]).to.deep.equal([0, '']);
    const backup = made.stdout.trim().replace('backup made: ', '');
    expect(readdirSync(backup)).to.have.members(['accounts.sqlite', 'backup.json', 'settings.env', 'usage.sqlite']);
    for (const name of readdirSync(backup)) expect(statSync(join(backup, name)).mode & 0o077, name).to.equal(0);

    await record(dataDir, ['lkp_3']);
    await newKey(dataDir, { name: 'second' });
    const restored = cli(dataDir, 'restore', '--from', backup);
    expect([restored.status, restored.stderr]).to.deep.equal([0, '']);
    expect(restored.stdout).to.contain('2 lookups were not delivered').and.contain(join(backup, 'settings.env'));
    expect(await usageOf(dataDir)).to.have.length(1);
    expect((await usageOf(dataDir))[0]).to.include({ lookups: 2, pending: 0, uncertain: 2 });
    expect((await commandHere(dataDir, {}, 'keys', 'list')).stdout)
      .to.contain('first')
      .and.not.contain('second');

    const [before] = readdirSync(dataDir).filter((name) => name.startsWith('before-restore-'));
    expect((await usageOf(join(dataDir, before!)))[0]).to.include({ lookups: 3, pending: 3 });
  });

  it('can be begun by several at once, and clears what killed ones left, but nothing that is being made', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const to = join(folder.path, 'backups');
    await newKey(dataDir, { name: 'first' });
    await record(dataDir, ['lkp_1']);
    const left = (name: string, hours: { readonly folder: number; readonly file: number }): string => {
      const path = join(to, name);
      mkdirSync(path, { recursive: true });
      const file = join(path, 'usage.sqlite');
      writeFileSync(file, 'part');
      const since = (h: number): Date => new Date(Date.now() - h * 3_600_000);
      utimesSync(file, since(hours.file), since(hours.file));
      utimesSync(path, since(hours.folder), since(hours.folder));
      return name;
    };
    left('land-lookup-20260101T000000Z.unfinished', { folder: 3, file: 3 });
    left('land-lookup-20260101T000000Z.77.unfinished', { folder: 25, file: 24 });
    const others = [
      left('land-lookup-20260101T000001Z.78.unfinished', { folder: 3, file: 0.1 }),
      left('land-lookup-20260101T000002Z.79.unfinished', { folder: 0.1, file: 0.1 }),
      left('notes.unfinished', { folder: 30, file: 30 }),
    ];
    const runs = await Promise.all([1, 2, 3, 4].map(() => cliBeside(dataDir, {}, 'backup', '--to', to)));
    for (const { status, stderr } of runs)
      if (status !== 0) expect(stderr).to.match(/^land-lookup: \S+Z already exists: wait a second and try again\n$/);
    const made = runs.flatMap(({ status, stdout }) => (status === 0 ? [basename(stdout.trim())] : []));
    expect(made).to.not.deep.equal([]);
    expect(readdirSync(to)).to.have.members([...made, ...others]);
    for (const name of made)
      expect(readdirSync(join(to, name))).to.have.members(['accounts.sqlite', 'backup.json', 'usage.sqlite']);
  });

  it('can be made under load, and a restored service bills nothing twice', async () => {
    using folder = temporaryFolder();
    await using stripe = await StripeServer.start();
    const dataDir = join(folder.path, 'data');
    const to = join(folder.path, 'backups');
    const key = await newKey(dataDir, { customer: 'cus_drill' });
    symlinkSync(requireCurrentSnapshot(sampleDataDir()).dir, join(dataDir, 'current'));
    const { env } = stripe;
    // The processor takes the events, but nobody hears of it.
    stripe.fault = () => '500 after';
    let answered = 0;
    let backup: string;
    {
      await using service = await ServiceProcess.start(dataDir, env);
      const ask = async (): Promise<void> => {
        for (let n = 0; n < 60; n++) if ((await service.lookup(key, SAMPLE_ADDRESS)).status === 200) answered++;
      };
      const load = Promise.all([ask(), ask()]);
      while (answered < 20) await sleep(5);
      backup = await makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes: 0 }, { to, settings: null, keep: 3 });
      await load;
      const inUse = await commandHere(dataDir, {}, 'restore', '--from', backup);
      expect([inUse.status, inUse.stderr]).to.satisfy(
        ([status, text]: [number, string]) => status === 1 && text.includes('is in use: stop the service first'),
      );
      await service.kill();
    }
    expect(answered).to.equal(120);
    expect((await commandHere(dataDir, {}, 'restore', '--from', backup)).status).to.equal(0);
    stripe.fault = () => 'none';
    const { duplicates } = stripe;
    await using service = await ServiceHere.start(dataDir, env);
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    while ((await usageOf(dataDir))[0]!.pending > 0) await sleep(50);
    const [row] = await usageOf(dataDir);
    expect(row).to.include({ delivered: row!.lookups - row!.uncertain });
    expect(row!.uncertain).to.be.above(0);
    expect([row!.delivered, stripe.duplicates]).to.deep.equal([1, duplicates]);
  });

  /** Waits until a restore has begun to prepare the files that it puts into place. */
  async function prepared(dataDir: string): Promise<void> {
    while (!existsSync(join(dataDir, 'restoring', 'usage.sqlite'))) await nextTurn();
  }

  const logsIn = (dataDir: string): string[] => readdirSync(dataDir).filter((name) => /-(wal|shm|journal)$/.test(name));

  it('lets no program open what it replaces, or leave a log that would be applied to what was restored', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    await newKey(dataDir);
    await record(dataDir, ['lkp_1']);
    const options = { to: join(folder.path, 'backups'), settings: null, keep: 1 };
    const backup = await makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes: 0 }, options);
    await record(dataDir, ['lkp_2']);

    const restoring = restoreBackup({ dataDir, redisUrl: null }, backup);
    await prepared(dataDir);
    const late = ['usage.sqlite', 'accounts.sqlite'].map((name) => new Database(join(dataDir, name), { timeout: 0 }));
    const failureOf = (db: Database.Database): string => {
      try {
        db.pragma('journal_mode = WAL');
        db.exec('CREATE TABLE late (x)');
        return 'none';
      } catch (cause) {
        return (cause as { readonly code?: string }).code ?? String(cause);
      }
    };
    expect(late.map(failureOf)).to.deep.equal(['SQLITE_BUSY', 'SQLITE_BUSY']);
    await restoring;
    // They have the files open that were moved aside.
    expect(late.map(failureOf)).to.deep.equal(['SQLITE_READONLY_DBMOVED', 'SQLITE_READONLY_DBMOVED']);
    for (const db of late) db.close();
    expect(logsIn(dataDir)).to.deep.equal([]);
    expect((await usageOf(dataDir))[0]).to.include({ lookups: 1, uncertain: 1 });
  });

  it('replaces nothing when a program begins a database meanwhile where there was none', async () => {
    using folder = temporaryFolder();
    const [dataDir, fresh] = [join(folder.path, 'data'), join(folder.path, 'fresh')];
    await newKey(dataDir);
    await record(dataDir, ['lkp_1']);
    const options = { to: join(folder.path, 'backups'), settings: null, keep: 1 };
    const backup = await makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes: 0 }, options);
    const restoring = restoreBackup({ dataDir: fresh, redisUrl: null }, backup).then(() => 'restored', String);
    await prepared(fresh);
    const begun = new Database(join(fresh, 'accounts.sqlite'));
    begun.pragma('journal_mode = WAL');
    begun.exec('CREATE TABLE begun (x)');
    expect(await restoring).to.contain('accounts.sqlite is in use: stop the service first');
    expect(existsSync(join(fresh, 'usage.sqlite'))).to.equal(false);
    expect(begun.pragma('integrity_check', { simple: true })).to.equal('ok');
    begun.close();
    expect((await commandHere(fresh, {}, 'restore', '--from', backup)).status).to.equal(0);
    expect((await usageOf(fresh))[0]).to.include({ lookups: 1, uncertain: 1 });
  });

  it('is not begun over the log of a database that somebody deleted', async () => {
    using folder = temporaryFolder();
    const [dataDir, to] = [join(folder.path, 'data'), join(folder.path, 'backups')];
    await newKey(dataDir);
    await record(dataDir, ['lkp_1']);
    const options = { to, keep: 1, settings: null };
    const backup = await makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes: 0 }, options);
    rmSync(join(dataDir, 'usage.sqlite'));
    const log = join(dataDir, 'usage.sqlite-wal');
    writeFileSync(log, 'what a crash left');
    const restore = () => restoreBackup({ dataDir, redisUrl: null }, backup).then(() => 'restored', String);
    expect(await restore()).to.contain(`${log} is the log of a database that is not there: move it away first`);
    expect(readdirSync(dataDir)).to.not.include('usage.sqlite');
    rmSync(log);
    expect(await restore()).to.equal('restored');
    expect((await usageOf(dataDir))[0]).to.include({ lookups: 1, uncertain: 1 });
  });

  it('copies keys out of Redis and into another one', async () => {
    using folder = temporaryFolder();
    await using from = await RedisServer.start();
    await using into = await RedisServer.start();
    const dataDir = join(folder.path, 'data');
    const created = await commandHere(dataDir, { REDIS_URL: from.url }, 'keys', 'create', '--name', 'shared');
    expect(created.status, created.stderr).to.equal(0);
    const made = await commandHere(dataDir, { REDIS_URL: from.url }, 'backup', '--to', join(folder.path, 'backups'));
    const backup = made.stdout.trim().replace('backup made: ', '');
    expect((await commandHere(dataDir, {}, 'restore', '--from', backup)).stderr).to.contain('set REDIS_URL');
    const restored = await commandHere(dataDir, { REDIS_URL: into.url }, 'restore', '--from', backup);
    expect(restored.stdout, restored.stderr).to.contain('1 keys imported');
    expect((await commandHere(dataDir, { REDIS_URL: into.url }, 'keys', 'list')).stdout).to.contain('shared');
  });

  it('is not begun without the room for it, or without what lookups need afterwards on the same disk', async function () {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    await newKey(dataDir);
    const options = { settings: null, keep: 1 };
    const failureOf = (to: string, minFreeDiskBytes: number) =>
      makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes }, { to, ...options }).then(String, String);
    const to = join(folder.path, 'backups');
    expect(await failureOf(to, Number.MAX_SAFE_INTEGER))
      .to.contain('MB more are needed, and')
      .and.contain('stay free for lookups (MIN_FREE_DISK_MB)');
    expect(readdirSync(to)).to.deep.equal([]);
    const other = join(folder.path, 'other');
    mkdirSync(other);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', other]).status !== 0) {
      console.log('skipped: cannot mount a small file system here');
      this.skip();
    }
    try {
      expect(await failureOf(other, 0)).to.match(
        /the disk of .* has \d MB free; \d MB more are needed: free some space$/,
      );
      expect(readdirSync(other)).to.deep.equal([]);
    } finally {
      spawnSync('umount', [other]);
    }
  });

  it('says how to get the right to write to the folder of the backups', function () {
    const refusal = (code: string, to: string): string =>
      backupRefused(to, Object.assign(new Error(`${code}: no`), { code })).message;
    const owner = 'give it to the user of the service, with "sudo install -d -o land-lookup -g land-lookup -m 0700 ';
    expect(refusal('EACCES', '/srv/b')).to.equal(`no backup can be made in /srv/b (EACCES: no): ${owner}/srv/b"`);
    const homes = refusal('EACCES', '/home/x/b');
    expect(homes)
      .to.contain(owner)
      .and.match(/sudo systemctl edit land-lookup-backup".*"\[Service\]" and "ProtectHome=no"$/);
    expect(refusal('EROFS', '/etc/b')).to.contain('"ReadWritePaths=/etc/b"');

    if (!canUnshare()) return this.skip();
    using folder = temporaryFolder();
    const to = join(folder.path, 'backups');
    mkdirSync(to);
    mkdirSync(join(folder.path, 'data'));
    const mounted = 'mount -t tmpfs -o ro tmpfs "$0" && exec "$@"';
    const command = [process.execPath, ...cliArguments, 'backup', '--to', join(to, 'daily')];
    const run = spawnSync('unshare', ['--mount', 'bash', '-c', mounted, to, ...command], {
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: join(folder.path, 'data') },
    });
    expect(run.status).to.equal(1);
    expect(run.stderr).to.match(
      /no backup can be made in \S+\/daily \(EROFS.*\): mount its disk for writing; where the unit/,
    );
    expect(run.stderr).to.contain('sudo systemctl edit land-lookup-backup');
  });

  it('is not made in a folder that ends with the unit of the backup', () => {
    const privateTmp =
      '1 2 8:1 /var/tmp/systemd-private-0f-land-lookup-backup.service-Xy/tmp /var/tmp rw - ext4 /dev/sda1 rw\n';
    for (const to of ['/var/tmp', '/var/tmp/b'])
      expect(() => {
        requireLasting(to, `0 0 8:1 / / rw - ext4 /dev/sda1 rw\n${privateTmp}`);
      }).to.throw('which has its own /var/tmp: take a folder below /srv, /mnt or /var, or run "sudo systemctl edit');
    for (const to of ['/var/tmpdir', '/tmp/b', '/var']) requireLasting(to, privateTmp);
    requireLasting('/var/tmp/b', '1 2 8:1 / / rw - ext4 /dev/sda1 rw\n');
  });

  it('refuses a backup that has changed, and keeps only so many', async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const to = join(folder.path, 'backups');
    await newKey(dataDir);
    const backups: string[] = [];
    for (let n = 0; n < 3; n++) {
      backups.push(await makeBackup({ dataDir, redisUrl: null, minFreeDiskBytes: 0 }, { to, settings: null, keep: 2 }));
      await sleep(1100);
    }
    expect(backups.map((backup) => existsSync(backup))).to.deep.equal([false, true, true]);
    appendFileSync(join(backups[2]!, 'accounts.sqlite'), 'x');
    const before = readFileSync(join(dataDir, 'accounts.sqlite'));
    const refused = await commandHere(dataDir, {}, 'restore', '--from', backups[2]!);
    expect([refused.status, refused.stderr]).to.satisfy(
      ([status, text]: [number, string]) => status === 1 && text.includes('has changed since the backup was made'),
    );
    expect(readFileSync(join(dataDir, 'accounts.sqlite')).equals(before)).to.equal(true);
    expect((await commandHere(dataDir, {}, 'restore', '--from', to)).stderr).to.contain(
      'name the folder of one backup',
    );
  });

  it('keeps the backup that it made, also with a clock that is behind', async () => {
    using folder = temporaryFolder();
    const [dataDir, to] = ['data', 'backups'].map((name) => join(folder.path, name)) as [string, string];
    const earlier = ['land-lookup-20990101T000000Z', 'land-lookup-20990102T000000Z'];
    for (const name of earlier) mkdirSync(join(to, name), { recursive: true });
    const config = { dataDir, redisUrl: null, minFreeDiskBytes: 0 };
    const made = await makeBackup(config, { to, settings: null, keep: 2 });
    expect(readdirSync(to)).to.have.members([basename(made), earlier[1]]);
  });
});
