import { workerData } from 'node:worker_threads';
import type { WorkerData } from '../../src/messages/worker-data.ts';

const FREE = 0;
const HELD = 1;

/** Time after which a thread takes over the lock: loading takes well under a second, so the holder must have died. */
const TAKE_OVER_MS = 30_000;

/**
 * Runs `work` while no other thread of the process does. Without a lock in `workerData` (main thread) it runs at once.
 */
export function underLoadLock<T>(work: () => T): T {
  const shared = (workerData as Partial<WorkerData> | null)?.loadLock;
  if (!shared) return work();
  const lock = new Int32Array(shared);
  acquire(lock);
  try {
    return work();
  } finally {
    Atomics.store(lock, 0, FREE);
    Atomics.notify(lock, 0, 1);
  }
}

function acquire(lock: Int32Array): void {
  while (Atomics.compareExchange(lock, 0, FREE, HELD) === HELD) {
    if (Atomics.wait(lock, 0, HELD, TAKE_OVER_MS) === 'timed-out') return;
  }
}
