import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './folder.ts';
import { freePort } from './free-port.ts';
import { until } from './patience.ts';

const run = promisify(execFile);

/** A real Slurm of this test alone, with controller and node on this machine. It needs root, as a node that runs jobs of others does. */
export class Slurm implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #processes: ChildProcess[] = [];

  private constructor() {}

  /** @throws Error when a program of Slurm is missing (`deploy/install-packages release`) or does not start. */
  static async start(): Promise<Slurm> {
    const slurm = new Slurm();
    try {
      await slurm.#start();
      return slurm;
    } catch (error) {
      await slurm[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** What its commands need. */
  get env(): { readonly SLURM_CONF: string } {
    return { SLURM_CONF: this.#path('slurm.conf') };
  }

  /** The tasks that have not ended, such as `12_5`. */
  async waiting(env: NodeJS.ProcessEnv): Promise<string[]> {
    const { stdout } = await run('squeue', ['--noheader', '--array', '--format=%i'], { env });
    return stdout.split('\n').filter((line) => line !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
    this.#folder[Symbol.dispose]();
  }

  async #start(): Promise<void> {
    const node = hostname().split('.')[0]!;
    for (const name of ['state', 'spool']) mkdirSync(this.#path(name));
    writeFileSync(this.#path('key'), randomBytes(1024), { mode: 0o600 });
    writeFileSync(this.#path('slurm.conf'), await this.#conf(node));
    const files = ['key', 'pid', 'log', 'seed'].map((kind) => `--${kind}-file=${this.#path(kind)}`);
    // Its socket would have to lie in folders of which nobody else may write any.
    this.#spawn('munged', '--foreground', '--force', `--socket=${this.#path('munge')}`, ...files);
    await this.#answers('munge', '--no-input', `--socket=${this.#path('munge')}`);
    this.#spawn('slurmctld', '-D', '-f', this.#path('slurm.conf'));
    await this.#answers('scontrol', 'ping');
    this.#spawn('slurmd', '-D', '-f', this.#path('slurm.conf'));
    await until(async () => {
      const { stdout } = await run('sinfo', ['--noheader', '--format=%t'], { env: { ...process.env, ...this.env } });
      return stdout.trim() === 'idle';
    }, 100);
  }

  /** slurm.conf(5). */
  async #conf(node: string): Promise<string> {
    return `ClusterName=test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${this.#path('munge')}
StateSaveLocation=${this.#path('state')}
SlurmdSpoolDir=${this.#path('spool')}
SlurmctldPidFile=${this.#path('slurmctld.pid')}
SlurmdPidFile=${this.#path('slurmd.pid')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MailProg=/bin/true
NodeName=${node} NodeAddr=127.0.0.1 CPUs=${availableParallelism()} State=UNKNOWN
PartitionName=all Nodes=${node} Default=YES State=UP
`;
  }

  #spawn(program: string, ...args: string[]): void {
    this.#processes.push(spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...this.env } }));
  }

  async #answers(program: string, ...args: string[]): Promise<void> {
    const env = { ...process.env, ...this.env };
    const asked = (): Promise<boolean> =>
      run(program, args, { env }).then(
        ({ stdout }) => !stdout.includes('DOWN'),
        () => false,
      );
    await until(asked, 100);
  }

  #path(name: string): string {
    return join(this.#folder.path, name);
  }
}
