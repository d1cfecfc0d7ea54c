/** Commands that only read: on a disk that is full or read-only, without a data folder, and about what is not there. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../src/core/files/make-folder.ts';
import { commandHere, commandHereOrThrow } from '../support/drivers/command-here.ts';
import { fillDisk } from '../support/drivers/fill-disk.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { serveSample } from '../support/material/snapshot-copies.ts';
import { givenAll } from '../support/drivers/given.ts';

const reading = [
  ['usage', 'report'],
  ['keys', 'list'],
  ['keys', 'audit'],
  ['keys', 'export'],
  ['customers', 'list'],
  ['customers', 'show', 'cus_A'],
  ['snapshot', 'list'],
] as const;

const changing = [
  ['keys', 'revoke', 'key_1'],
  ['customers', 'suspend', 'cus_A'],
  ['usage', 'reconcile'],
  ['usage', 'resend', '--rejected'],
  ['usage', 'prune', '--before', '2026-01-01'],
  ['usage', 'trust-clock'],
  ['snapshot', 'prune'],
  ['snapshot', 'verify'],
  ['backup', '--to', 'backups'],
] as const;

describe('A command that only reads', function () {
  this.timeout(240_000);
  const material = temporaryFolder();
  const expected = new Map<string, string>();
  before(async () => {
    await commandHereOrThrow(material.path, 'keys', 'create', '--name', 'Ada', '--customer', 'cus_A');
    await commandHereOrThrow(material.path, 'usage', 'trust-clock');
    addLookup(material.path);
    serveSample(material.path, 1);
    // As an import leaves it.
    writeFileSync(join(material.path, 'import.lock'), '');
    for (const command of reading) expected.set(command.join(' '), await commandHereOrThrow(material.path, ...command));
    expect(expected.get('usage report')).to.match(/key_1 +cus_A +1 /);
  });
  after(() => {
    material[Symbol.dispose]();
  });

  for (const [kind, spoil] of Object.entries({
    'is read-only': (path: string) => {
      must('mount', '-o', 'remount,ro', path);
    },
    'is full': fillDisk,
  })) {
    it(`says the same on a disk that ${kind}`, async function () {
      using folder = temporaryFolder();
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', folder.path]).status !== 0) {
        console.log('skipped: cannot mount a file system here');
        return this.skip();
      }
      try {
        cpSync(material.path, folder.path, { recursive: true, verbatimSymlinks: true });
        spoil(folder.path);
        if (kind === 'is read-only')
          expect(() => {
            makeFolder(join(folder.path, 'snapshots', 'building-1', 'below'));
          }).to.throw('EROFS');
        const before = readdirSync('/dev/shm');
        for (const command of reading)
          expect(await commandHere(folder.path, {}, ...command), command.join(' ')).to.deep.equal({
            ...{ status: 0, stderr: '', stdout: expected.get(command.join(' ')) },
          });
        expect(readdirSync('/dev/shm').filter((name) => !before.includes(name) && name.startsWith('land-lookup-'))).to
          .be.empty;
        const { status, stdout } = await commandHere(folder.path, {}, 'load-addresses', '--sample');
        expect(status).to.equal(1);
        expect(stdout)
          .to.match(kind === 'is full' ? /the disk of .* has 0 MB free/ : /read-only file system.*mount the disk/)
          .and.not.contain('check the path');
      } finally {
        spawnSync('umount', ['-l', folder.path]);
      }
    });
  }

  it('reads keys of Redis, too, where what this machine knows of them cannot be written', async function () {
    await using server = await RedisServer.start();
    using folder = temporaryFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder.path]).status !== 0) {
      console.log('skipped: cannot mount a file system here');
      return this.skip();
    }
    try {
      const env = { REDIS_URL: server.url };
      expect((await commandHere(folder.path, env, 'keys', 'create', '--name', 'Ada')).status).to.equal(0);
      must('mount', '-o', 'remount,ro', folder.path);
      expect((await commandHere(folder.path, env, 'keys', 'list')).stdout).to.contain('Ada');
      expect((await commandHere(folder.path, env, 'keys', 'create', '--name', 'Bob')).stderr).to.contain(
        'mount the disk for writing',
      );
    } finally {
      spawnSync('umount', ['-l', folder.path]);
    }
  });

  givenAll().it('or that changes what is there makes no data folder, and names the one that is missing', async () => {
    using folder = temporaryFolder();
    const mistyped = join(folder.path, 'land-loookup');
    for (const command of [...reading, ...changing]) {
      const { status, stdout, stderr } = await commandHere(mistyped, {}, ...command);
      expect({ status, stdout }, command.join(' ')).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr, command.join(' ')).to.contain(`there is no data folder ${mistyped}: correct DATA_DIR`);
      expect(existsSync(mistyped), command.join(' ')).to.equal(false);
    }
    writeFileSync(mistyped, '');
    expect((await commandHere(mistyped, {}, 'keys', 'list')).stderr).to.contain('there is no data folder');
  });

  it('says that there is no such key or customer', async () => {
    for (const [command, words] of [
      [['keys', 'audit', 'nope'], 'there is no key nope: see "land-lookup keys list"'],
      [['customers', 'show', 'cus_typo'], 'there is no customer cus_typo here'],
      [['usage', 'report', '--key', 'nope'], 'there is no key nope'],
    ] as const) {
      const { status, stdout, stderr } = await commandHere(material.path, {}, ...command);
      expect({ status, stdout }, command.join(' ')).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.contain(words);
    }
    const id = /key_[0-9a-f]{16}/.exec(expected.get('keys list')!)![0];
    expect(await commandHereOrThrow(material.path, 'keys', 'audit', id)).to.contain('create');
    expect(await commandHereOrThrow(material.path, 'usage', 'report', '--key', id)).to.match(/^month/);
  });
});

/** As the service writes it. */
function addLookup(dataDir: string): void {
  const db = new Database(join(dataDir, 'usage.sqlite'));
  db.exec(
    `INSERT INTO usage (id, key_id, customer, at_ms, state) VALUES ('l1', 'key_1', 'cus_A', ${Date.now()}, 'pending')`,
  );
  db.close();
}

function must(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
