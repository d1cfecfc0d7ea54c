/** The installed tree, the units, and the runbook's commands. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { missingRight } from '../../src/core/units/unit-rights.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { obstacleHelp } from '../../src/core/http/health.ts';
import { unavailableReasons } from '../../src/messages/reasons.ts';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { commandHere, commandHereOrThrow } from '../support/drivers/command-here.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { newKey } from '../support/drivers/service-process.ts';
import { serveSample, storeSample } from '../support/material/snapshot-copies.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';
import { canUnshare, SANDBOX_UID, Unit, UnitSandbox } from './unit-sandbox.ts';
import { givenAll } from '../support/drivers/given.ts';

const read = (...path: string[]): string => readFileSync(join(projectDir, ...path), 'utf8');
const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(program, args, { cwd: projectDir, encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' });
/** Stands for the user of the import. */
const IMPORT_UID = SANDBOX_UID + 1;
/** Folders in which the test of links has put some. */
let linked = 0;
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** A port of four digits that is free, and so is the one with a 1 before it. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 2000 + Math.floor(Math.random() * 8000);
    const isFree = await Promise.all([port, 10_000 + port].map(canListen));
    if (isFree.every(Boolean)) return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

interface UnitRun {
  /** Begins the command that fails. */
  readonly failing?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the program of a unit with another one for Node.js. Returns its exit code, and what it asked Node.js to run. */
function runUnit(name: 'refresh' | 'follow' | 'reconcile', { failing = 'nothing', env = {} }: UnitRun) {
  using folder = temporaryFolder();
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  copyFileSync(join(projectDir, 'deploy', `bin-${name}`), join(bin, name));
  writeFileSync(join(bin, 'node'), `#!/bin/sh\nshift\necho "$@"\ncase "$*" in "${failing}"*) exit 1 ;; esac\n`, {
    mode: 0o755,
  });
  const { status, stdout } = spawnSync(join(bin, name), [], { encoding: 'utf8', env: { ...process.env, ...env } });
  return { status, calls: stdout.trim().split('\n') };
}

/** The commands of the runbook's shell blocks. */
const commands = [...read('docs', 'operations.md').matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block]) =>
  block!.trim().split('\n'),
);

describe('Installation', function () {
  this.timeout(480_000);
  const folder = temporaryFolder();
  const root = join(folder.path, 'root');
  const current = join(root, 'opt', 'land-lookup', 'current');
  before(() => {
    // Nothing to do after `make test`, which has built it.
    run('make', ['dist/.built']);
    run('deploy/install', [], { DESTDIR: root });
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('gives a tree that serves under what the unit allows: its user, a read-only root, no privileges', async function () {
    if (!canUnshare()) {
      console.log('skipped: mounts of its own are not permitted here');
      return this.skip();
    }
    const dataDir = join(folder.path, 'data');
    mkdirSync(dataDir);
    const snapshot = serveSample(dataDir, 1);
    const other = storeSample(dataDir, 2);
    const key = await newKey(dataDir);
    run('chown', ['-R', `${SANDBOX_UID}:${SANDBOX_UID}`, dataDir]);
    chmodSync(folder.path, 0o755);
    const unit = new Unit(join(root, 'etc/systemd/system/land-lookup@.service'));
    const port = await freePort();
    await using service = new UnitSandbox({ unit, dataDir, destDir: root, instance: String(port) });
    await service.until(() => service.states.includes('READY=1'));

    expect(new Set(service.status('Uid').split('\t'))).to.deep.equal(new Set([String(SANDBOX_UID)]));
    const confined = { CapEff: '0000000000000000', CapBnd: '0000000000000000', NoNewPrivs: '1', Umask: '0027' };
    for (const [name, value] of Object.entries(confined)) expect(service.status(name), name).to.equal(value);
    for (const place of ['/', '/usr', '/etc', '/opt/land-lookup/current/', '/run']) {
      expect(service.refusalToWrite(place), place).to.contain('Read-only file system');
    }
    expect(service.refusalToWrite('/var/lib/land-lookup')).to.equal('');

    const lookup = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/api/lookup`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify(SAMPLE_ADDRESS),
      });
    expect((await lookup()).status).to.equal(200);
    expect((await fetch(`http://127.0.0.1:1${port}/metrics`)).status).to.equal(200);
    for (const path of [
      '/',
      '/docs',
      '/web/main.js',
      '/vendor/maplibre-gl/maplibre-gl.mjs',
      '/vendor/pmtiles/pmtiles.js',
    ])
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, path).to.equal(200);
    expect(statSync(join(dataDir, 'usage.sqlite')).mode & 0o777).to.equal(0o600);

    useSnapshot(dataDir, other);
    expect(unit.one('ExecReload')).to.equal('/bin/kill -HUP $MAINPID');
    service.signal('SIGHUP');
    await service.until(() => service.lines.some((line) => line.includes('"snapshot in service"')));
    expect(service.lines.join()).to.contain(snapshot).and.to.contain(other);
    expect((await lookup()).status).to.equal(200);

    // By itself: after 10 s it would kill itself, and say so with another code.
    expect(await service.stop(), service.lines.join('\n')).to.equal(0);
    expect(Number(unit.one('TimeoutStopSec'))).to.be.above(10);
    expect(service.states).to.contain('STOPPING=1');
  });

  it('has one file for each kind of thread, and nothing that only the build uses', () => {
    const threads = join(current, 'dist', 'workers', 'threads');
    const files = readdirSync(threads).filter((name) => name.endsWith('.js'));
    expect(files).to.include.members(['lookup.js', 'journal.js', 'import-layers.js']);
    for (const file of files)
      expect(readFileSync(join(threads, file), 'utf8'), file).not.to.match(/^import.*'\.\.?\//m);
    for (const name of ['rolldown', 'typebox', 'mocha', 'typescript'])
      expect(existsSync(join(current, 'node_modules', name)), name).to.equal(false);
  });

  it('reads its settings as data in the command, and runs nothing that stands in them', () => {
    const ran = join(root, 'ran');
    writeFileSync(
      join(root, 'etc', 'land-lookup', 'land-lookup.env'),
      `HOST=127.0.0.1\nRATE_LIMIT_PER_HOUR=$(touch ${ran})\n`,
    );
    const command = (...args: string[]): string => run('deploy/bin-land-lookup', args, { DESTDIR: root });
    expect(() => command('keys', 'list')).to.throw('RATE_LIMIT_PER_HOUR');
    expect(existsSync(ran)).to.equal(false);
    writeFileSync(join(root, 'etc', 'land-lookup', 'land-lookup.env'), read('deploy/systemd/land-lookup.env'));
    expect(command('keys', 'list')).to.contain('last used');
  });

  it('gives secrets to a command as files, which go with it, and in no environment variable', async () => {
    const secret = join(root, 'etc', 'land-lookup', 'secrets', 'STRIPE_API_KEY');
    writeFileSync(secret, 'not-to-be-seen');
    const table = run('deploy/bin-land-lookup', ['check-config'], { DESTDIR: root, STRIPE_METER_EVENT: 'lookup' });
    expect(table).to.match(/^STRIPE_API_KEY +\(secret\) +file of the secret$/m);
    // In place of Node.js, a program that tells what it is given, and does not end.
    const release = join(folder.path, 'telling');
    mkdirSync(join(release, 'bin'), { recursive: true });
    const script = '#!/bin/sh\nenv\ncat "$CREDENTIALS_DIRECTORY/secrets_STRIPE_API_KEY"\necho\nexec sleep 600\n';
    writeFileSync(join(release, 'bin/node'), script, { mode: 0o755 });
    const command = spawn(join(projectDir, 'deploy/bin-land-lookup'), ['keys', 'list'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DESTDIR: root, LAND_LOOKUP_RELEASE: release },
    });
    let told = '';
    for await (const chunk of command.stdout as AsyncIterable<Buffer>) {
      told += chunk.toString();
      if (told.includes('not-to-be-seen\n')) break;
    }
    expect(told.match(/not-to-be-seen/g)).to.have.length(1);
    expect(told).to.match(/\nnot-to-be-seen\n$/);
    const [, credentials] = /^CREDENTIALS_DIRECTORY=(.+)$/m.exec(told)!;
    expect(statSync(credentials!).mode & 0o777).to.equal(0o700);
    command.kill('SIGKILL');
    while (existsSync(credentials!)) await sleep(20);
    rmSync(secret);
  });

  it('lets the import write snapshots and sources, and nothing else of the data', async function () {
    if (!canUnshare()) {
      console.log('skipped: other users are not permitted here');
      return this.skip();
    }
    const dataDir = join(folder.path, 'rights');
    const key = await newKey(dataDir);
    writeFileSync(join(dataDir, 'usage.sqlite'), 'usage', { mode: 0o640 });
    // As older installations have it.
    const older = serveSample(dataDir, 3);
    run('chown', ['-R', `${SANDBOX_UID}:${SANDBOX_UID}`, dataDir]);
    for (const name of ['accounts.sqlite', 'usage.sqlite']) chmodSync(join(dataDir, name), 0o640);
    run('deploy/make-data-folder', [dataDir, String(SANDBOX_UID), String(IMPORT_UID)]);
    chmodSync(folder.path, 0o755);
    expect(requireCurrentSnapshot(dataDir).id).to.equal(older);

    const as = (uid: number, ...command: readonly string[]) =>
      spawnSync('setpriv', ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', ...command], {
        ...{ encoding: 'utf8', cwd: dataDir, env: { PATH: process.env['PATH'], DATA_DIR: dataDir } },
      });
    const program = [
      'bash',
      '-c',
      'umask 0027; exec "$@"',
      '-',
      join(current, 'bin/node'),
      join(current, 'dist/src/main.js'),
    ];
    const imported = as(IMPORT_UID, ...program, 'load-layers', '--sample', '--only', 'greenbelt');
    expect(imported.status, imported.stdout + imported.stderr).to.equal(0);
    const { id, dir } = requireCurrentSnapshot(dataDir);
    expect(id).not.to.equal(older);
    expect(as(SANDBOX_UID, 'head', '-c', '1', join(dir, 'land.gpkg')).status).to.equal(0);
    expect(as(SANDBOX_UID, 'touch', join(dir, 'land.gpkg')).status).not.to.equal(0);
    const pruned = as(IMPORT_UID, ...program, 'snapshot', 'prune', '--keep', '1');
    expect(pruned.stdout, pruned.stderr).to.contain(older);

    for (const name of ['accounts.sqlite', 'usage.sqlite']) {
      expect(as(IMPORT_UID, 'cat', join(dataDir, name)).stderr, name).to.contain('Permission denied');
      expect(as(IMPORT_UID, 'touch', join(dataDir, name)).stderr, name).to.contain('Permission denied');
      expect(as(IMPORT_UID, 'rm', '-f', join(dataDir, name)).stderr, name).to.contain('Permission denied');
      // SQLite would replay a journal that somebody puts beside it.
      expect(as(IMPORT_UID, 'touch', join(dataDir, `${name}-wal`)).stderr, name).to.contain('Permission denied');
    }
    expect(as(SANDBOX_UID, ...program, 'keys', 'list').status).to.equal(0);
    expect(key).to.contain('olk_');
  });

  it('makes the data folder without following a link that the service or the import has put into it', function () {
    if (!canUnshare()) {
      console.log('skipped: other users are not permitted here');
      return this.skip();
    }
    const victim = join(folder.path, 'victim');
    mkdirSync(victim, { mode: 0o700 });
    for (const name of ['secret', 'other']) writeFileSync(join(victim, name), name, { mode: 0o600 });
    chmodSync(victim, 0o700);
    const state = (): string => run('find', [victim, '-printf', '%P %u %m %l\n']);
    const make = (dataDir: string) =>
      spawnSync('deploy/make-data-folder', [dataDir, String(SANDBOX_UID), String(IMPORT_UID)], { cwd: projectDir });
    const before = state();
    const newFolder = (): string => join(folder.path, `links-${++linked}`);
    for (const links of [
      { 'import.lock': 'secret' },
      { 'import.lock': 'made' },
      { snapshots: '.' },
      { sources: '.' },
      { snapshots: '.', current: '../etc/other' },
      { 'snapshots/current': 'secret' },
      { 'snapshots/land.gpkg': 'secret', 'sources/deep': '.' },
      { 'current.next': '.' },
    ]) {
      const dataDir = newFolder();
      mkdirSync(dataDir);
      for (const [name, to] of Object.entries(links)) {
        mkdirSync(dirname(join(dataDir, name)), { recursive: true });
        symlinkSync(join(victim, to), join(dataDir, name));
      }
      run('chown', ['-hR', `${SANDBOX_UID}:${SANDBOX_UID}`, dataDir]);
      // It may also end with what it could not do.
      make(dataDir);
      expect(state(), JSON.stringify(links)).to.equal(before);
    }
    // While it works, too.
    const dataDir = newFolder();
    expect(make(dataDir).status).to.equal(0);
    const swap =
      'while :; do rm -rf import.lock current; ln -s "$1/secret" import.lock; ln -s "$1" current; touch import.lock.new; mv -T import.lock.new import.lock; done';
    const given = ['--reuid', String(SANDBOX_UID), '--clear-groups', 'bash', '-c', swap, '-', victim];
    const swapping = spawn('setpriv', given, { cwd: dataDir, stdio: 'ignore' });
    for (let n = 0; n < inputs(30); n++) make(dataDir);
    swapping.kill('SIGKILL');
    expect(state()).to.equal(before);
  });

  it('goes back only to a release that reads what is there, and names the snapshot that it can serve', async () => {
    const dataDir = join(root, 'var', 'lib', 'land-lookup');
    const readable = storeSample(dataDir, 1);
    const database = new Database(join(dataDir, 'snapshots', readable, 'land.gpkg'));
    database.exec(
      `UPDATE gazetteer_directory SET data = CAST(json_set(CAST(data AS TEXT), '$.normaliser', 3) AS BLOB)`,
    );
    database.close();
    serveSample(dataDir, 2);
    await newKey(dataDir);
    const [present] = run('deploy/use-release', [], { DESTDIR: root }).trim().split('\n');
    // A release from before the addresses of today.
    const older = `${present!}-older`;
    const releases = join(root, 'opt/land-lookup/releases');
    run('cp', ['-al', join(releases, present!), join(releases, older)]);
    const thread = join(releases, older, 'dist/workers/threads/lookup.js');
    const program = readFileSync(thread, 'utf8');
    rmSync(thread);
    writeFileSync(thread, program.replace('readableNormalisers = [3, 4]', 'readableNormalisers = [3]'));

    const goBack = (): { readonly status: number | null; readonly stderr: string } =>
      spawnSync(join(projectDir, 'deploy/use-release'), [older], {
        encoding: 'utf8',
        env: { ...process.env, DESTDIR: root },
      });
    const refused = goBack();
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.match(/-older cannot serve the snapshot in service: .*address normaliser 4/);
    expect(refused.stderr).to.contain(`Run: land-lookup snapshot use ${readable}, and then this command again.`);
    expect(run('readlink', [current]).trim()).to.equal(`releases/${present!}`);

    useSnapshot(dataDir, readable);
    expect(goBack()).to.include({ status: 0, stderr: '' });
    expect(run('readlink', [current]).trim()).to.equal(`releases/${older}`);
    // The way forward asks the same.
    run('deploy/use-release', [present!], { DESTDIR: root });

    rmSync(join(dataDir, 'snapshots', readable), { recursive: true });
    serveSample(dataDir, 2);
    expect(goBack().stderr).to.contain('It can serve none of those that are stored.');
    for (const release of [older, present!]) run('deploy/use-release', [release, '--force'], { DESTDIR: root });
    rmSync(join(releases, older), { recursive: true });
  });

  it('keeps configuration over an upgrade, goes back, and leaves data and configuration when it is removed', () => {
    const settings = join(root, 'etc', 'land-lookup', 'land-lookup.env');
    writeFileSync(settings, 'HOST=127.0.0.2\n');
    const [first] = run('deploy/use-release', [], { DESTDIR: root }).trim().split('\n');
    const copy = `${first!}-b`;
    run('cp', ['-al', join(root, 'opt/land-lookup/releases', first!), join(root, 'opt/land-lookup/releases', copy)]);
    run('deploy/use-release', [copy, '--force'], { DESTDIR: root });
    expect(run('readlink', [current]).trim()).to.equal(`releases/${copy}`);
    run('deploy/use-release', [first!, '--force'], { DESTDIR: root });
    expect(run('readlink', [current]).trim()).to.equal(`releases/${first!}`);
    expect(() => run('deploy/use-release', ['none'], { DESTDIR: root })).to.throw('There is no release "none"');
    run('deploy/uninstall', [], { DESTDIR: root });
    expect(readFileSync(settings, 'utf8')).to.equal('HOST=127.0.0.2\n');
    expect(existsSync(join(root, 'var', 'lib', 'land-lookup'))).to.equal(true);
    expect(existsSync(join(root, 'opt', 'land-lookup'))).to.equal(false);
    expect(readdirSync(join(root, 'etc/systemd/system'))).to.deep.equal([]);
  });
});

/** The units as they are installed, in a folder of their own. */
const installed = temporaryFolder();
const unitsDir = join(installed.path, 'units');
run('deploy/fill-root', [installed.path, 'units', 'commands']);
after(() => {
  installed[Symbol.dispose]();
});

describe('The units', () => {
  it('share one bound of memory, whatever the number of processes', () => {
    const names = readdirSync(unitsDir).filter((name) => name.endsWith('.service'));
    expect(names).to.have.length(6);
    for (const name of names) {
      const unit = new Unit(join(unitsDir, name));
      expect(unit.one('Slice'), name).to.equal('landlookup.slice');
      expect(unit.one('NoNewPrivileges'), name).to.equal('yes');
    }
    expect(Number(/MemoryMax=(\d+)%/.exec(read('deploy/systemd/landlookup.slice'))![1])).to.be.below(100);
  });
});

describe('The unit of the service', () => {
  it('refuses the system calls for resources, but lets a thread lower its priority (docs/decisions/0123)', () => {
    const unit = new Unit(join(unitsDir, 'land-lookup@.service'));
    // systemd applies them in this order.
    const filter = ['@system-service', '~@privileged @resources', 'setpriority'];
    expect(unit.all('SystemCallFilter')).to.deep.equal(filter);
  });
});

describe('The flags of V8', () => {
  it('stand in the first line of the program alone, from which the unit and the container have them', () => {
    const [first] = read('src/main.ts').split('\n');
    const { flags } = /^#!\/usr\/bin\/env -S node (?<flags>(--[\w-]+(=\d+)? ?){3})$/.exec(first!)!.groups!;
    const unit = new Unit(join(unitsDir, 'land-lookup@.service'));
    expect(unit.one('ExecStart')).to.contain(` /opt/land-lookup/current/bin/node ${flags!} /opt/`);
    expect(read('deploy/Containerfile')).to.match(
      /^ENTRYPOINT \["\/opt\/land-lookup\/current\/dist\/src\/main\.js"\]$/m,
    );
    for (const name of readdirSync(join(projectDir, 'deploy'), { recursive: true, encoding: 'utf8' }))
      if (statSync(join(projectDir, 'deploy', name)).isFile())
        expect(read('deploy', name), name).not.to.contain(flags!.split('=')[0]);
  });
});

describe('The unit of the refresh', () => {
  const unit = new Unit(join(unitsDir, 'land-lookup-refresh.service'));

  it('has a user and settings of its own, without the secrets of the service', () => {
    expect(unit.one('User')).to.equal('land-lookup-import');
    expect(read('deploy', 'systemd', 'land-lookup.sysusers')).to.match(/^u land-lookup-import /m);
    expect(unit.one('EnvironmentFile')).to.equal('-/etc/land-lookup/import.env');
    const settings = read('deploy', 'systemd', 'import.env').match(/^#?[A-Z]\w+(?==)/gm);
    const refresh = ['#MIN_FREE_DISK_MB', '#REFRESH_LAYERS_FROM', '#REFRESH_ADDRESSES_FROM'];
    expect(settings).to.have.members([...refresh, '#FOLLOW_FROM']);
    // systemd gives the whole state directory to the unit's user.
    expect(unit.all('StateDirectory')).to.deep.equal([]);
  });

  it('writes snapshots, sources and its lock, and does not see accounts, usage, settings and backups', () => {
    const data = '/var/lib/land-lookup';
    expect(unit.one('ProtectSystem')).to.equal('strict');
    expect(unit.one('ReadWritePaths').split(' ')).to.have.members(
      ['snapshots', 'sources', 'import.lock'].map((name) => `${data}/${name}`),
    );
    const databases = ['accounts', 'usage', 'known-keys'].flatMap((name) =>
      ['', '-wal', '-shm'].map((end) => `-${data}/${name}.sqlite${end}`),
    );
    const hidden = unit.all('InaccessiblePaths').flatMap((paths) => paths.split(' '));
    const settings = ['land-lookup.env', 'secrets'].map((name) => `-/etc/land-lookup/${name}`);
    const folders = [`-${data}/batches`, '-/var/backups/land-lookup'];
    expect(hidden).to.have.members([...databases, ...settings, ...folders]);
  });

  for (const [failing, status, calls] of [
    ['load-layers', 1, ['load-layers --partial', 'snapshot prune --keep 3']],
    ['snapshot verify', 1, ['load-layers --partial', 'snapshot verify', 'snapshot prune --keep 3']],
    ['nothing', 0, ['load-layers --partial', 'snapshot verify', 'snapshot prune --keep 3']],
  ] as const) {
    it(`deletes old snapshots when ${failing} fails`, () => {
      expect(runUnit('refresh', { failing })).to.deep.equal({ status, calls });
    });
  }
});

describe('The unit of a follower', () => {
  const unit = new Unit(join(unitsDir, 'land-lookup-follow.service'));
  const refresh = new Unit(join(unitsDir, 'land-lookup-refresh.service'));

  it('has the user of the import, and writes snapshots alone', () => {
    expect(unit.one('User')).to.equal('land-lookup-import');
    expect(unit.one('EnvironmentFile')).to.equal('-/etc/land-lookup/import.env');
    const data = '/var/lib/land-lookup';
    expect(unit.one('ReadWritePaths').split(' ')).to.have.members([`${data}/snapshots`, `${data}/import.lock`]);
    expect(unit.all('InaccessiblePaths')).to.deep.equal(refresh.all('InaccessiblePaths'));
  });

  for (const [failing, from, status, calls] of [
    ['nothing', 'https://a/b', 0, ['snapshot pull --from https://a/b', 'snapshot prune --keep 3']],
    ['snapshot pull', 'https://a/b', 1, ['snapshot pull --from https://a/b', 'snapshot prune --keep 3']],
    ['nothing', '', 1, ['']],
  ] as const) {
    it(`runs ${calls.join(', ') || 'nothing without an address'} when ${failing} fails`, () => {
      expect(runUnit('follow', { failing, env: { FOLLOW_FROM: from } })).to.deep.equal({ status, calls });
    });
  }
});

describe('The unit that asks the sources', () => {
  const unit = new Unit(join(unitsDir, 'land-lookup-sources.service'));
  const refresh = new Unit(join(unitsDir, 'land-lookup-refresh.service'));

  it('has the user of the import, writes where the service reads what it finds, and takes a drift for no failure', () => {
    expect(unit.one('User')).to.equal('land-lookup-import');
    expect(unit.one('EnvironmentFile')).to.equal('-/etc/land-lookup/import.env');
    expect(unit.one('ReadWritePaths')).to.equal('/var/lib/land-lookup/snapshots');
    expect(unit.all('InaccessiblePaths')).to.deep.equal(refresh.all('InaccessiblePaths'));
    expect(unit.one('ExecStart')).to.match(/ sources --check$/);
    expect(unit.one('SuccessExitStatus')).to.equal('3');
  });
});

describe('The unit of the backup', () => {
  it('lets BACKUP_DIR be any folder of its user, but where the command names a line that it lacks', () => {
    const unit = new Unit(join(unitsDir, 'land-lookup-backup.service'));
    // The last one holds.
    expect(unit.all('ProtectSystem')).to.deep.equal(['strict', 'full']);
    expect(unit.all('ReadWritePaths')).to.deep.equal([]);
    expect([unit.one('ProtectHome'), unit.one('PrivateTmp')]).to.deep.equal(['yes', 'yes']);
    for (const [place, line] of [
      ['/home/b', 'ProtectHome=no'],
      ['/var/tmp/b', 'PrivateTmp=no'],
      ['/etc/b', 'ReadWritePaths=/etc/b'],
    ] as const)
      expect(missingRight(place)).to.contain(`"${line}"`);
    for (const place of ['/srv/b', '/mnt/b', '/var/backups/b', '/b']) expect(missingRight(place)).to.equal(null);
  });
});

describe('Units', function () {
  this.timeout(240_000);
  it('pass systemd-analyze verify, with an exposure under 1.5, which the drop-in gives', function () {
    if (!hasSystemd) this.skip();
    using folder = temporaryFolder();
    cpSync(unitsDir, folder.path, { recursive: true });
    const jobs = ['refresh', 'follow', 'reconcile', 'backup', 'sources'].map((job) => `land-lookup-${job}`);
    const names = [
      'land-lookup@.service',
      ...jobs.map((job) => `${job}.service`),
      ...jobs.map((job) => `${job}.timer`),
    ];
    for (const name of names) {
      // The programs are not installed here.
      const text = readFileSync(join(unitsDir, name), 'utf8').replaceAll(
        /\/opt\/land-lookup\/current\/bin\/\w+/g,
        '/bin/true',
      );
      writeFileSync(join(folder.path, name), text);
    }
    const instance = join(folder.path, 'land-lookup@8081.service');
    copyFileSync(join(folder.path, 'land-lookup@.service'), instance);
    const units = [instance, ...names.slice(1).map((name) => join(folder.path, name))];
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' });
    expect(verify.stderr + verify.stdout).to.equal('');
    for (const unit of units.slice(0, 1 + jobs.length)) {
      const { status, stdout } = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--threshold=15', '--no-pager', unit],
        { encoding: 'utf8' },
      );
      expect(status, stdout.split('\n').slice(-3).join('\n')).to.equal(0);
    }
  });
});

describe('The daily comparison of the bills', () => {
  it("gives the other machines' journals to the command", () => {
    for (const [journals, more] of [
      ['', ''],
      ['/a.sqlite /b.sqlite', ' --journal /a.sqlite /b.sqlite'],
    ] as const) {
      const ran = runUnit('reconcile', { env: { RECONCILE_JOURNALS: journals } });
      expect(ran).to.deep.equal({ status: 0, calls: [`usage reconcile --days 35${more}`] });
    }
  });
});

describe('Runbook', function () {
  this.timeout(480_000);

  givenAll().it('has commands that work', async () => {
    await using processor = await StripeServer.start();
    using folder = temporaryFolder();
    const snapshot = serveSample(folder.path, 1);
    const created = await commandHereOrThrow(folder.path, 'keys', 'create', '--name', 'runbook');
    expect(created).to.contain('olk_');
    const id = /\S+/.exec(
      (await commandHereOrThrow(folder.path, 'keys', 'list')).split('\n').find((line) => line.includes('runbook'))!,
    )!;
    const ours = commands
      .map((line) => /^sudo land-lookup (.*)/.exec(line)?.[1])
      // What doctor ends with depends on the machine; it has tests of its own.
      .filter((command) => command !== undefined && command !== 'doctor' && !command.startsWith('load-'));
    expect(ours.length).to.be.above(8);
    for (const command of new Set(ours)) {
      const backups = join(folder.path, 'backups');
      const place = join(folder.path, 'place');
      mkdirSync(place, { recursive: true });
      const places = command!
        .replace('/var/backups/land-lookup', backups)
        .replace('/srv/land-snapshots', place)
        .replace('/var/lib/land-lookup/keys.jsonl', join(folder.path, 'keys.jsonl'))
        .replace('/etc/land-lookup/land-lookup.env', join(projectDir, 'deploy/systemd/land-lookup.env'))
        .replace('BACKUP', () => readdirSync(backups)[0]!);
      const args = places.replace('SNAPSHOT', snapshot).replace('KEY', id[0]).split(' ');
      const { status, stderr } = await commandHere(folder.path, processor.env, ...args);
      expect(status, `${command!}: ${stderr}`).to.equal(0);
    }
  });

  it('names make targets, units and programs that exist', () => {
    const makefile = read('Makefile');
    const known =
      /^(sudo )?(make (?<target>\S+)( SUITE=\w+)?|sudoedit \S+|systemctl .*|land-lookup.*|apt (install \.\/land-lookup_VERSION_amd64\.deb|purge land-lookup)|podman .*)$/;
    for (const command of commands) {
      const target = known.exec(command)?.groups?.['target'];
      expect(command).to.match(known);
      if (target !== undefined) expect(makefile).to.match(new RegExp(`^${target}:`, 'm'));
    }
  });

  it('says what to do for each alert', () => {
    const alerts = [...read('deploy', 'monitoring', 'alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const told = [...read('docs', 'operations.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(told).to.have.members(alerts);
    const named = [...read('deploy', 'monitoring', 'alerts.yml').matchAll(/runbook: 'docs\/operations\.md#(\w+)'/g)];
    expect(named.map(([, anchor]) => anchor)).to.deep.equal(alerts.map((name) => name!.toLowerCase()));
  });

  it('says what to do for each reason of a 503 and of a process that is not ready', () => {
    const sections = new Map(
      read('docs', 'operations.md')
        .split(/^### /m)
        .map((text) => [/^\w+/.exec(text)?.[0], text]),
    );
    for (const reason of Object.keys(unavailableReasons))
      expect(sections.get('LandLookupErrors')).to.match(new RegExp(`^\\| \`${reason}\` +\\| \\S`, 'm'));
    for (const obstacle of [...Object.keys(obstacleHelp), 'GEOCODER_UNREACHABLE'])
      expect(sections.get('LandLookupNotReady')).to.contain(`\`${obstacle}\``);
  });

  it('has alerts that see every route with a key', () => {
    const rules = read('deploy', 'monitoring', 'alerts.yml').split('- alert: ');
    const errors = rules.find((rule) => rule.startsWith('LandLookupErrors\n'))!;
    const excluded = [...new Set([...errors.matchAll(/route!~"([^"]+)"/g)].map(([, routes]) => routes))];
    expect(excluded).to.deep.equal(['/healthz|/readyz']);
    const slow = rules.filter((rule) => rule.startsWith('LandLookupSlow'));
    const timed = new RegExp(`^(${slow.map((rule) => /route=~"([^"]+)"/.exec(rule)![1]).join('|')})$`);
    const { paths } = JSON.parse(read('docs', 'openapi.json')) as { paths: Readonly<Record<string, object>> };
    const asked = Object.keys(paths).filter((path) => /^\/(api|mcp)/.test(path));
    // Uploads and downloads of batches last as long as their files; the catalogue, the rules, the vintages and the examples need no key.
    const untimed = asked.filter(
      (path) => !timed.test(path) && !/^\/api\/(batches|layers|rules|vintages|examples)/.test(path),
    );
    expect(asked.length).to.be.above(10);
    expect(untimed).to.deep.equal([]);
  });
});
