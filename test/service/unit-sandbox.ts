/**
 * Runs an installed program as systemd would, as far as that goes without systemd: the restrictions are read from the unit file. The root is
 * put together of mounts in a namespace of their own; what needs a filter of system calls or a control group is left out.
 */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { temporaryFolder } from '../support/drivers/folder.ts';

/** What systemd gives to every service. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin';

/** Stands for the unit's user, which this machine may not have. */
export const SANDBOX_UID = 64_321;

/** Directives of a unit's [Service] section and of the drop-ins that are installed beside it, with all values of each. */
export class Unit {
  readonly #values = new Map<string, string[]>();

  constructor(file: string) {
    for (const one of [file, ...dropInsOf(file)]) {
      const [, section = ''] = /^\[Service\]\n([^]*?)(?:^\[|$(?![^]))/m.exec(readFileSync(one, 'utf8')) ?? [];
      for (const [, name, value] of section.matchAll(/^(\w+)=(.*)$/gm)) {
        this.#values.set(name!, [...this.all(name!), value!]);
      }
    }
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** @throws Error when the unit does not say. */
  one(name: string): string {
    const [value, ...others] = this.all(name);
    if (value === undefined || others.length > 0) throw new Error(`the unit has ${name} not once`);
    return value;
  }

  is(name: string, value: string): boolean {
    return this.all(name).at(-1) === value;
  }
}

/** In the order in which systemd reads them: by their names, whatever the folder. */
function dropInsOf(file: string): string[] {
  const folders = [`${file}.d`, file.replace(/-\w+\.service$/, '-.service.d')];
  const files = folders
    .filter((folder) => folder.endsWith('.d') && existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return files.sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
}

export const canUnshare = (): boolean =>
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

export interface SandboxOptions {
  /** Folder that `deploy/install` took as `DESTDIR`. */
  readonly destDir: string;
  /** Becomes the state directory. */
  readonly dataDir: string;
  readonly unit: Unit;
  /** The unit's `%i`. */
  readonly instance: string;
}

export class UnitSandbox implements AsyncDisposable {
  /** What the service printed, and what it told systemd. */
  readonly lines: string[] = [];
  readonly states: string[] = [];
  readonly #folder = temporaryFolder();
  readonly #listener: ChildProcessByStdio<null, Readable, null>;
  readonly #main: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<number | null>;

  constructor(options: SandboxOptions) {
    const [root, run] = ['root', 'run'].map((name) => join(this.#folder.path, name)) as [string, string];
    mkdirSync(root);
    mkdirSync(run);
    chmodSync(this.#folder.path, 0o755);
    this.#listener = spawn('python3', ['-c', LISTENER, join(run, 'notify')], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(this.#listener.stdout).on('line', (line) => this.states.push(line));
    this.#main = spawn('unshare', ['--mount', 'bash', '-euc', script(options, root, run)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH },
    });
    for (const stream of [this.#main.stdout, this.#main.stderr]) {
      createInterface(stream).on('line', (line) => this.lines.push(line));
    }
    this.#ended = new Promise((resolve) => this.#main.once('exit', resolve));
  }

  /** Each program replaced the one before it, down to the service. */
  get pid(): number {
    return this.#main.pid!;
  }

  /** A line of `/proc/PID/status`. */
  status(name: string): string {
    return new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))![1]!;
  }

  /** Why root cannot make a file there, among the service's mounts; empty when it can. */
  refusalToWrite(folder: string): string {
    const program = ['--mount', '--root', '/usr/bin/mktemp', '-p', folder];
    return spawnSync('nsenter', ['--target', String(this.pid), ...program], { encoding: 'utf8' }).stderr;
  }

  /** Resolves when `is` holds. @throws Error with what was printed when the service ends before. */
  async until(is: () => boolean): Promise<void> {
    while (!is()) {
      if (this.#main.exitCode !== null) throw new Error(this.lines.join('\n'));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#main.kill(name);
  }

  /** @returns the exit code. */
  async stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
    this.#listener.kill();
    this.#folder[Symbol.dispose]();
  }
}

/** systemd's end of the socket. Prints one state a line. */
const LISTENER = `
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
while True:
    print(receiver.recv(4096).decode(), flush=True)
`;

/** Mounts, then the service in place of the shell. */
function script({ destDir, dataDir, unit, instance }: SandboxOptions, root: string, run: string): string {
  const state = `/var/lib/${unit.one('StateDirectory')}`;
  return [
    ...mounts(unit, root),
    `bind() { mkdir -p "${root}$2"; mount --bind "$1" "${root}$2"; mount -o "remount,bind,$3" "${root}$2"; }`,
    'bind /usr /usr ro',
    // The machine's own, with what the installation put there.
    `mkdir ${root}/etc; cp -a /etc/. ${destDir}/etc/land-lookup ${root}/etc/; bind ${root}/etc /etc ro`,
    `bind ${destDir}/opt/land-lookup /opt/land-lookup ro`,
    `bind ${run} /run/systemd ro`,
    `bind ${dataDir} ${state} rw`,
    ...(unit.is('ProtectSystem', 'strict') ? [`mount -o remount,ro ${root}`] : []),
    `umask ${unit.one('UMask')}`,
    ['exec chroot', root, ...confinement(unit), environment(destDir, unit), command(unit, instance)].join(' '),
  ].join('\n');
}

function mounts(unit: Unit, root: string): string[] {
  const proc = [
    ...(unit.is('ProtectProc', 'invisible') ? ['hidepid=invisible'] : []),
    ...(unit.is('ProcSubset', 'pid') ? ['subset=pid'] : []),
  ];
  const devices = unit.is('PrivateDevices', 'yes') ? 'null zero full random urandom' : '';
  const temporary = unit.is('PrivateTmp', 'yes')
    ? (folder: string) => `mount -t tmpfs -o mode=1777 tmpfs ${root}${folder}`
    : (folder: string) => `mount --bind ${folder} ${root}${folder}`;
  return [
    `mount -t tmpfs -o mode=0755 tmpfs ${root}`,
    `mkdir -p ${root}/{proc,dev,tmp,var/tmp}`,
    `for name in bin sbin lib lib64; do [ ! -L /$name ] || cp -P /$name ${root}/; done`,
    `mount -t proc ${proc.length > 0 ? `-o ${proc.join(',')} ` : ''}proc ${root}/proc`,
    `for name in ${devices}; do touch ${root}/dev/$name; mount --bind /dev/$name ${root}/dev/$name; done`,
    temporary('/tmp'),
    temporary('/var/tmp'),
    ...(unit.is('ProtectHome', 'yes') ? [] : [`mkdir ${root}/home; mount --rbind /home ${root}/home`]),
  ];
}

/** Limits, user and privileges. */
function confinement(unit: Unit): string[] {
  const core = unit.one('LimitCORE');
  const files = highestLimit(Number(unit.one('LimitNOFILE')));
  return [
    `prlimit --nofile=${files}:${files} --core=${core}:${core}`,
    `setpriv --reuid ${SANDBOX_UID} --regid ${SANDBOX_UID} --clear-groups --inh-caps=-all`,
    ...(unit.is('CapabilityBoundingSet', '') ? ['--bounding-set=-all'] : []),
    ...(unit.is('AmbientCapabilities', '') ? ['--ambient-caps=-all'] : []),
    ...(unit.is('NoNewPrivileges', 'yes') ? ['--no-new-privs'] : []),
  ];
}

/** This, or what there is where the limit may not be raised. */
function highestLimit(files: number): number {
  const mayRaise = spawnSync('prlimit', [`--nofile=${files}:${files}`, 'true']).status === 0;
  return mayRaise ? files : Number(spawnSync('bash', ['-c', 'ulimit -Hn']).stdout);
}

function environment(destDir: string, unit: Unit): string {
  const settings = readFileSync(`${destDir}${unit.one('EnvironmentFile')}`, 'utf8').match(/^\w+=.*$/gm) ?? [];
  const watchdogUs = Number(unit.one('WatchdogSec')) * 1_000_000;
  const told = [`PATH=${PATH}`, 'NOTIFY_SOCKET=/run/systemd/notify', `WATCHDOG_USEC=${watchdogUs}`];
  return `env -i -C ${unit.one('WorkingDirectory')} ${[...told, ...unit.all('Environment'), ...settings].join(' ')}`;
}

function command(unit: Unit, instance: string): string {
  return unit.one('ExecStart').replaceAll('%i', instance);
}
