import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { openJournal, type BatchMachineOptions } from './batch-machine-journal.ts';
import { temporaryFolder } from './folder.ts';
import { programFile } from './program.ts';

const program = programFile('./batch-machine', import.meta.url);

/** A machine of its own, with its own data: a process that can be killed and started again, or stopped for a while. */
export class BatchMachine implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #options: BatchMachineOptions;
  #child: ChildProcess | null = null;

  constructor(options: Omit<BatchMachineOptions, 'dataDir'>) {
    this.#options = { ...options, dataDir: this.#folder.path };
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [program, JSON.stringify(this.#options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    await once(child.stdout, 'data');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ids of the lookups that it has billed, and chunks that it has finished. */
  read(): { readonly billed: readonly string[]; readonly finished: readonly string[] } {
    const db = openJournal(this.#folder.path);
    try {
      const billed = db.prepare<[], string>('SELECT lookup_id FROM billed').pluck().all();
      return { billed, finished: db.prepare<[], string>('SELECT chunk FROM finished').pluck().all() };
    } finally {
      db.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }
}
