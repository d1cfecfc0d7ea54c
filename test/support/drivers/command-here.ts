/**
 * `land-lookup` in this process: a command takes up to a third of a second of the processor less than one in a process of its own (`cli.ts`), which only
 * signals, standard input, imports and one try of each command need. Its lookups on the sample are those of the thread that the suites share.
 */
import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { LookupPool } from '../../../src/core/pool/lookup-pool.ts';
import { cliEnvironment, type CliRun } from './cli.ts';
import { programFile } from './program.ts';
import { servesSnapshotOfSample, sharedSample } from './snapshots.ts';

/** As `cliIn`. Commands that are asked for at once run one after the other: they share the environment and the outputs of this process. */
export function commandHere(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<CliRun> {
  const run = last.then(() => runHere(cliEnvironment(dataDir, env), args));
  last = run.catch(() => undefined);
  return run;
}

/** As `cliOrThrow`. */
export async function commandHereOrThrow(dataDir: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await commandHere(dataDir, {}, ...args);
  if (status === 0) return stdout;
  throw new Error(`land-lookup ${args.join(' ')} ended with ${status ?? 'a signal'}\n${stdout}\n${stderr}`);
}

const program = pathToFileURL(programFile('../../../src/main', import.meta.url)).href;
const outputs = ['stdout', 'stderr'] as const;
const exit = process.exit.bind(process);
let last: Promise<unknown> = Promise.resolve();

async function runHere(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<CliRun> {
  const { argv, exitCode } = process;
  const before = { ...process.env };
  const run = { status: null as number | null, stdout: '', stderr: '' };
  for (const name of outputs) {
    process[name].write = keeper((text) => {
      if (run.status === null) run[name] += text;
    });
  }
  process.exit = (code) => {
    run.status ??= Number(code);
    throw new Error('the command has ended');
  };
  const startPool = LookupPool.start.bind(LookupPool);
  LookupPool.start = (options) => (isShared(options) ? lentPool() : startPool(options));
  process.argv = [argv[0]!, program, ...args];
  process.exitCode = 0;
  replaceEnvironment(env);
  try {
    // The module runs the command each time that it is loaded under another name.
    await import(`${program}?run=${randomUUID()}`);
    return { ...run, status: run.status ?? process.exitCode };
  } finally {
    for (const name of outputs) Reflect.deleteProperty(process[name], 'write');
    LookupPool.start = startPool;
    Object.assign(process, { argv, exit, exitCode });
    replaceEnvironment(before);
  }
}

type PoolOptions = Parameters<typeof LookupPool.start>[0];

/** Whether a command would start the same as all suites of this process share. */
function isShared({ isCommand = false, threads, catalogue, snapshotDir }: PoolOptions): boolean {
  return isCommand && threads === 1 && servesSnapshotOfSample(snapshotDir, catalogue);
}

/** What a command asks of its pool; it closes nothing. */
async function lentPool(): Promise<LookupPool> {
  const { pool } = await sharedSample();
  const asked: Pick<LookupPool, 'lookup' | typeof Symbol.asyncDispose> = {
    lookup: pool.lookup.bind(pool),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return asked as LookupPool;
}

function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
}

/** Takes the place of a stream's `write`. */
function keeper(keep: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...more: readonly unknown[]) => {
    keep(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = more.at(-1) as string | (() => void) | undefined;
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
}
