/**
 * A container with a running systemd of its own (systemd-nspawn), as fast as this machine. It shares this machine's kernel and loopback network:
 * its ports 80, 443, 6379, 8081 and 8082 are this machine's. What it wrote survives its kill in this machine's memory, so a power failure is for
 * the emulated machine.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, createWriteStream, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Guest, GuestOptions } from './guest.ts';

export interface BootedContainerOptions extends GuestOptions {
  /** Its root folder. */
  readonly root: string;
}

export class BootedContainer implements Guest {
  readonly ended: Promise<unknown>;
  readonly #container: ChildProcess;
  readonly #toWalk: number;
  #errors = '';

  constructor({ root, data, part, console: file, onLine }: BootedContainerOptions) {
    const [toHost, fromHost] = ['to-host', 'from-host'].map((name) => pipe(join(root, 'root', name)));
    this.#toWalk = openSync(fromHost!, constants.O_RDWR);
    // The file system is mounted in a namespace that ends with the container.
    const command = 'mount -o loop "$1" "$2/var/lib/land-lookup" && shift 2 && exec systemd-nspawn "$@"';
    const options = ['--quiet', '--register=no', '--keep-unit', '--console=pipe', `--setenv=walk=${part}`, '--boot'];
    this.#container = spawn(
      'unshare',
      ['--mount', 'sh', '-c', command, 'sh', data, root, `--directory=${root}`, ...options],
      // systemd of Debian 13 refuses control groups of the first version.
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' } },
    );
    this.#container.stdout!.pipe(createWriteStream(file));
    this.#container.stderr!.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    const lines = spawn('cat', [toHost!], { stdio: ['ignore', 'pipe', 'ignore'] });
    createInterface(lines.stdout).on('line', (line) => {
      onLine(line.trim());
    });
    this.ended = once(this.#container, 'exit').finally(() => lines.kill());
  }

  get errors(): string {
    return this.#errors;
  }

  say(line: string): void {
    writeSync(this.#toWalk, `${line}\n`);
  }

  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#container;
    // systemd-nspawn ends when the container's first process has ended, and with it all others. The other way round they would live on.
    if (exitCode === null && signalCode === null)
      for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' '))
        process.kill(Number(child), 'SIGKILL');
    await this.ended;
  }
}

function pipe(path: string): string {
  if (!existsSync(path)) spawnSync('mkfifo', [path]);
  return path;
}
