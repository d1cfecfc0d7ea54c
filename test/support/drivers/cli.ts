import { execFile, spawnSync } from 'node:child_process';
import { mainFile } from './program.ts';

export interface CliRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Arguments for Node that run the command line. */
export const cliArguments = [mainFile];

/** With one thread for lookups, because the start of another one takes longer than what most tests ask for. */
export function cliEnvironment(dataDir: string, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, DATA_DIR: dataDir, WORKER_THREADS: '1', ...env };
}

/** Runs `land-lookup` with its own data folder and waits for its end. */
export function cli(dataDir: string, ...args: string[]): CliRun {
  return cliIn(dataDir, {}, ...args);
}

/** As `cli`, with more environment variables. */
export function cliIn(dataDir: string, env: Readonly<Record<string, string>>, ...args: string[]): CliRun {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...cliArguments, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: cliEnvironment(dataDir, env),
  });
  return { status, stdout, stderr };
}

/** As `cliIn`, while this process goes on: for commands that ask a server of the test. */
export function cliBeside(dataDir: string, env: Readonly<Record<string, string>>, ...args: string[]): Promise<CliRun> {
  const options = { encoding: 'utf8', env: cliEnvironment(dataDir, env) } as const;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...cliArguments, ...args], options, (_failure, stdout, stderr) => {
      resolve({ status: child.exitCode, stdout, stderr });
    });
  });
}

/** As `cli`, and throws with what was printed unless the command ended with 0. */
export function cliOrThrow(dataDir: string, ...args: string[]): string {
  const { status, stdout, stderr } = cli(dataDir, ...args);
  if (status === 0) return stdout;
  throw new Error(`land-lookup ${args.join(' ')} ended with ${status ?? 'a signal'}\n${stdout}\n${stderr}`);
}
