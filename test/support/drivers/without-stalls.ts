import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Returns the milliseconds that the work took, without the longest time for which the machine did not run this process at all. Time for which the
 * process itself was busy counts.
 */
export async function msWithoutStalls(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  await work();
  const tookMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(startCpu);
  delays.disable();
  return tookMs - Math.max(0, delays.max / 1e6 - (user + system) / 1000);
}
