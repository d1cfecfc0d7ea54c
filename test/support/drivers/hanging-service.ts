import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { projectDir } from '../../../src/project/project.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../material/served-sample.ts';
import { cliArguments } from './cli.ts';
import { newKey, ServiceProcess } from './service-process.ts';

interface Ready {
  readonly ready: boolean;
  readonly notReady: readonly { readonly reason: string }[];
  readonly pool: { readonly hungThreads: number };
}

/** A service on the sample, the next lookup of which can be made to hang in its thread. */
export class HangingService implements AsyncDisposable {
  readonly process: ServiceProcess;
  readonly key: string;
  readonly #folder: ReturnType<typeof ownSampleFolder>;
  readonly #file: string;

  private constructor(folder: ReturnType<typeof ownSampleFolder>, key: string, started: ServiceProcess) {
    this.#folder = folder;
    this.#file = join(folder.path, 'hang');
    this.key = key;
    this.process = started;
  }

  static async start(deadlineMs: number): Promise<HangingService> {
    const folder = ownSampleFolder();
    // Loops of tests may ask more often than a key may by itself.
    const key = await newKey(folder.path, { limitPerHour: 1_000_000, limits: { batchRowsPerDay: 1000 } });
    const hang = pathToFileURL(join(projectDir, 'test', 'support', 'drivers', 'crash-thread.mjs')).href;
    const program = ['--import', hang, ...cliArguments, 'serve'];
    const env = { CRASH_FILE: join(folder.path, 'hang'), LOOKUP_DEADLINE_MS: String(deadlineMs), MAX_PENDING: '4' };
    const started = await ServiceProcess.start(folder.path, env, { program });
    await started.examplesMade();
    return new HangingService(folder, key, started);
  }

  /** From now on the next lookup hangs. */
  hangNext(): void {
    writeFileSync(this.#file, 'hang');
  }

  /** False as long as no lookup has come that hangs. */
  get hangs(): boolean {
    return !existsSync(this.#file);
  }

  /** Asks until a lookup has hung, and returns its answer: on a slow machine the first one may be too late before its thread begins with it. */
  async hangOne(ask: () => Promise<Response>): Promise<Response> {
    this.hangNext();
    for (;;) {
      const answer = await ask();
      expect(answer.status).to.equal(503);
      if (this.hangs) return answer;
    }
  }

  plain(): Promise<Response> {
    return this.process.lookup(this.key, SAMPLE_ADDRESS);
  }

  /** A costly one. */
  near(): Promise<Response> {
    return this.process.lookup(this.key, SAMPLE_ADDRESS, { query: '?detail=full&geometry=near' });
  }

  async readyz(): Promise<Ready> {
    return (await (await fetch(`${this.process.url}/readyz`)).json()) as Ready;
  }

  /** Asks until the thread is replaced. Returns the reasons why the service was not ready meanwhile. */
  async replaced(): Promise<string[]> {
    const told = new Set<string>();
    for (let state = await this.readyz(); state.pool.hungThreads === 0 || !state.ready; state = await this.readyz()) {
      for (const { reason } of state.notReady) told.add(reason);
      await sleep(50);
    }
    // For a moment, the probes that were given up still take the few places of this service.
    while ((await this.plain()).status !== 200) await sleep(50);
    return [...told];
  }

  /** The lines of the log about threads that were replaced. */
  get replacements(): ServiceProcess['lines'] {
    return this.process.lines.filter(({ message }) => message === 'a lookup hangs, its thread is replaced');
  }

  /** A thread that hangs keeps the process from ending by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.process.kill();
    this.#folder[Symbol.dispose]();
  }
}
