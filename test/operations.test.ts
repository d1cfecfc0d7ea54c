/** The installed tree, the units, and the runbook's commands. */
import { expect } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../src/config.ts';
import { temporaryFolder } from './support/folder.ts';
import { cli, cliOrThrow } from './support/cli.ts';
import { serveSample } from './support/snapshot-copies.ts';

const read = (...path: string[]): string => readFileSync(join(projectDir, ...path), 'utf8');
const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(program, args, { cwd: projectDir, encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' });
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The commands of the runbook's shell blocks. */
const commands = [...read('docs', 'operations.md').matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block]) =>
  block!.trim().split('\n'),
);

describe('Installation', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const root = join(folder.path, 'root');
  const dist = join(folder.path, 'dist');
  const current = join(root, 'opt', 'land-lookup', 'current');
  before(() => {
    run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', '--noCheck', '--outDir', dist]);
    run('deploy/install', [], { DESTDIR: root, DIST: dist });
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('gives a tree that serves as a user who may write nothing but the data', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const dataDir = join(folder.path, 'data');
    mkdirSync(dataDir);
    serveSample(dataDir, 1);
    chmodSync(folder.path, 0o755);
    chownSync(dataDir, 65534, 65534);
    const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--no-new-privs', '--bounding-set', '-all'];
    const node = join(current, 'bin', 'node');
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
    const child = spawn('setpriv', [...as, node, join(current, 'dist', 'src', 'main.js'), 'serve'], { env, cwd: '/' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const serving = new Promise<void>((resolve) => {
      child.stdout.on('data', () => {
        if (output.includes('"serving"')) resolve();
      });
    });
    await Promise.race([serving, ended]);
    child.kill('SIGTERM');
    expect(await ended, output).to.equal(0);
  });

  it('keeps configuration over an upgrade, goes back, and leaves data and configuration when it is removed', () => {
    const settings = join(root, 'etc', 'land-lookup', 'land-lookup.env');
    writeFileSync(settings, 'HOST=127.0.0.2\n');
    const [first] = run('deploy/use-release', [], { DESTDIR: root }).trim().split('\n');
    const copy = `${first!}-b`;
    run('cp', ['-r', join(root, 'opt/land-lookup/releases', first!), join(root, 'opt/land-lookup/releases', copy)]);
    run('deploy/use-release', [copy], { DESTDIR: root });
    expect(run('readlink', [current]).trim()).to.equal(`releases/${copy}`);
    run('deploy/use-release', [first!], { DESTDIR: root });
    expect(run('readlink', [current]).trim()).to.equal(`releases/${first!}`);
    expect(() => run('deploy/use-release', ['none'], { DESTDIR: root })).to.throw('There is no release "none"');
    run('deploy/uninstall', [], { DESTDIR: root });
    expect(readFileSync(settings, 'utf8')).to.equal('HOST=127.0.0.2\n');
    expect(existsSync(join(root, 'var', 'lib', 'land-lookup'))).to.equal(true);
    expect(existsSync(join(root, 'opt', 'land-lookup'))).to.equal(false);
    expect(existsSync(join(root, 'etc/systemd/system/land-lookup@.service'))).to.equal(false);
  });
});

describe('Units', function () {
  this.timeout(60_000);
  it('pass systemd-analyze verify, with an exposure under 2.0', function () {
    if (!hasSystemd) this.skip();
    using folder = temporaryFolder();
    const names = ['land-lookup@.service', 'land-lookup-refresh.service', 'land-lookup-refresh.timer'];
    for (const name of names) {
      // The programs are not installed here.
      const text = read('deploy', 'systemd', name).replaceAll(/\/opt\/land-lookup\/current\/bin\/\w+/g, '/bin/true');
      writeFileSync(join(folder.path, name), text);
    }
    const instance = join(folder.path, 'land-lookup@8081.service');
    copyFileSync(join(folder.path, 'land-lookup@.service'), instance);
    const units = [instance, ...names.slice(1).map((name) => join(folder.path, name))];
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' });
    expect(verify.stderr + verify.stdout).to.equal('');
    for (const unit of units.slice(0, 2)) {
      const { status, stdout } = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--threshold=20', '--no-pager', unit],
        { encoding: 'utf8' },
      );
      expect(status, stdout.split('\n').slice(-3).join('\n')).to.equal(0);
    }
  });
});

describe('Runbook', function () {
  this.timeout(120_000);

  it('has commands that work', () => {
    using folder = temporaryFolder();
    const snapshot = serveSample(folder.path, 1);
    const created = cliOrThrow(folder.path, 'keys', 'create', '--name', 'runbook');
    expect(created).to.contain('olk_');
    const id = /\S+/.exec(
      cliOrThrow(folder.path, 'keys', 'list')
        .split('\n')
        .find((line) => line.includes('runbook'))!,
    )!;
    const ours = commands
      .map((line) => /^sudo land-lookup (.*)/.exec(line)?.[1])
      .filter((command) => command !== undefined && !command.startsWith('load-'));
    expect(ours.length).to.be.above(8);
    for (const command of new Set(ours)) {
      const args = command!.replace('SNAPSHOT', snapshot).replace('KEY', id[0]).split(' ');
      const { status, stderr } = cli(folder.path, ...args);
      expect(status, `${command!}: ${stderr}`).to.equal(0);
    }
  });

  it('names make targets, units and programs that exist', () => {
    const makefile = read('Makefile');
    const known = /^(sudo )?(make (?<target>\S+)|sudoedit \S+|systemctl .*|land-lookup.*)$/;
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
  });
});
