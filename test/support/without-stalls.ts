import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Returns the milliseconds that the work took, without the longest time for which the machine did not run this process at all. */
export async function msWithoutStalls(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const startMs = performance.now();
  await work();
  const tookMs = performance.now() - startMs;
  delays.disable();
  return tookMs - delays.max / 1e6;
}
