import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { issueKey, type NewKey } from '../../../src/core/keys/keys.ts';
import { openKeyStore } from '../../../src/core/keys/open-key-store.ts';
import { projectDir } from '../../../src/project/project.ts';
import { cliArguments, cliIn } from './cli.ts';
import { programFile } from './program.ts';
import { RunningService, SERVICE_ENV } from './running-service.ts';

type ServingProcess = ChildProcessByStdio<null, Readable, Readable>;

export interface ServiceProcessOptions {
  /** Arguments for Node; from the sources unless they say otherwise. */
  readonly program?: readonly string[];
  /** Keeps no lines of requests that went well: a load makes many. */
  readonly dropsRequests?: boolean;
}

/** Arguments for Node that run the compiled program as it is installed (deploy/systemd). */
export const compiledService = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
  join(projectDir, 'dist', 'src', 'main.js'),
  'serve',
];

/** A service that waits for its Redis for as long as a slow machine needs. */
export const patientWithRedis: ServiceProcessOptions = {
  program: [programFile('./patient-service', import.meta.url)],
};

/** A real `land-lookup serve` in a process of its own, on a free port. */
export class ServiceProcess extends RunningService implements AsyncDisposable {
  readonly #process: ServingProcess;

  private constructor(url: string, lines: readonly Readonly<Record<string, unknown>>[], child: ServingProcess) {
    super(url, lines);
    this.#process = child;
  }

  /** Resolves once it says that it serves. @throws Error with what it printed when it ends before. */
  static async start(
    dataDir: string,
    env: Readonly<Record<string, string>> = {},
    { program = [...cliArguments, 'serve'], dropsRequests = false }: ServiceProcessOptions = {},
  ): Promise<ServiceProcess> {
    const child = spawn(process.execPath, program, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DATA_DIR: dataDir, ...SERVICE_ENV, ...env },
    });
    const lines: Record<string, unknown>[] = [];
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const serving = new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).on('line', (text) => {
        if (dropsRequests && text.includes('"message":"request"') && !text.includes('"level":"error"')) return;
        const line = JSON.parse(text) as Record<string, unknown>;
        lines.push(line);
        if (line['message'] === 'serving') resolve(line['url'] as string);
      });
      child.once('exit', (code) => {
        reject(new Error(`serve ended with ${code ?? 'a signal'}: ${errors}`));
      });
    });
    return new ServiceProcess(await serving, lines, child);
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Sends SIGTERM and gives the exit code. */
  async stop(): Promise<number | null> {
    if (this.#hasEnded) return this.#process.exitCode;
    const ended = once(this.#process, 'exit') as Promise<[number | null]>;
    this.#process.kill('SIGTERM');
    return (await ended)[0];
  }

  /** Ends it at once, as a power failure does. */
  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }
}

/** A new key, straight into the store of the data folder, or of a Redis. */
export async function newKey(
  dataDir: string,
  values: Partial<NewKey> = {},
  redisUrl: string | null = null,
): Promise<string> {
  await using store = await openKeyStore({ dataDir, redisUrl });
  return (await issueKey(store, { name: 'test', ...values })).key;
}

/** A new key, made by the command. */
export function createKey(dataDir: string, ...options: string[]): string {
  return createKeyIn(dataDir, {}, ...options);
}

/** As `createKey`, with an environment that says where keys are. */
export function createKeyIn(dataDir: string, env: Readonly<Record<string, string>>, ...options: string[]): string {
  const { status, stdout, stderr } = cliIn(dataDir, env, 'keys', 'create', '--name', 'test', ...options);
  if (status !== 0) throw new Error(stderr);
  const key = /olk_[0-9A-Za-z]{38}/.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`no key in: ${stdout}`);
  return key;
}
