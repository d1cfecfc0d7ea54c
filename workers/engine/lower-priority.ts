import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Steps of the nice value: with 10 the thread gets a tenth of the processor that others want too (sched(7)). */
const STEPS = 10;

/**
 * Has the operating system prefer other threads to this one. On Linux each thread has a priority of its own, and `/proc/thread-self` leads to
 * `<process>/task/<thread>` (proc(5), setpriority(2)). Where that fails, the thread keeps its priority: it is as right, and others wait longer.
 */
export function lowerPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isInteger(thread)) {
      setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + STEPS));
    }
  } catch {
    // Not Linux, or the system does not allow it.
  }
}
