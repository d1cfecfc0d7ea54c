/**
 * Ends what hangs, and nothing else: a test or a hook may take a quarter of an hour, whatever less its file says, because a slow machine needs
 * many times what another one does. Mocha loads this file first.
 */
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
