import { spawnSync } from 'node:child_process';

/** Runs a program that counts (`steps.ts`) in a process of its own, and returns what it prints. @throws Error with its complaints when it fails. */
export function countedSteps(program: string, ...args: readonly string[]): unknown {
  // What a compile cache has already compiled is not counted.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const options = { encoding: 'utf8', env, maxBuffer: 1 << 26 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
