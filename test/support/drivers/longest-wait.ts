/**
 * Ends what hangs, and nothing else: a test or a hook may take a quarter of an hour, whatever less its file says, because a slow machine needs
 * many times what another one does. Mocha loads this file first.
 */
import childProcess, { type SpawnSyncOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import Mocha from 'mocha';

/** Nothing takes as long on a machine that has half a core for the whole suite. */
export const LONGEST_WAIT_MS = 900_000;

const { prototype } = Mocha.Runnable;
const limit = Reflect.get(prototype, 'timeout') as (this: unknown, ...ms: readonly (number | string)[]) => unknown;

/** As Mocha has it: without an argument it gives the limit, and 0 is none. */
function atLeast(this: unknown, ...[ms]: readonly (number | string)[]): unknown {
  if (ms === undefined) return limit.call(this);
  return limit.call(this, typeof ms === 'number' && ms > 0 ? Math.max(ms, LONGEST_WAIT_MS) : ms);
}

Reflect.set(prototype, 'timeout', atLeast);

type RunSync = (file: string, args?: readonly string[], options?: SpawnSyncOptions) => unknown;

/**
 * Gives `run` (`spawnSync` or `execFileSync`) with a limit for callers that set none: Mocha cannot end a test whose thread waits for a program.
 * @throws Error that names the program, so that the test fails which waited.
 */
export function endedAfter(limitMs: number, run: RunSync): RunSync {
  return function limited(file, ...rest) {
    const args = Array.isArray(rest[0]) ? (rest[0] as readonly string[]) : [];
    const options = rest.find((one): one is SpawnSyncOptions => one !== undefined && !Array.isArray(one));
    const result = run(file, args, { timeout: limitMs, killSignal: 'SIGKILL', ...options });
    const { error } = (result ?? {}) as { readonly error?: NodeJS.ErrnoException };
    if (options?.timeout === undefined && error?.code === 'ETIMEDOUT')
      throw new Error(`${[file, ...args].join(' ')} did not end within ${limitMs / 1000} s`, { cause: error });
    return result;
  };
}

for (const name of ['spawnSync', 'execFileSync'] as const)
  Reflect.set(childProcess, name, endedAfter(LONGEST_WAIT_MS, childProcess[name]));
syncBuiltinESMExports();
