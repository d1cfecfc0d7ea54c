import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { builtDir, projectDir, runsFromSources } from '../config.ts';
import type { Outcome } from '../shared/outcome.ts';
import { unwrap } from '../shared/outcome.ts';
import type { WorkerData } from '../shared/contract/worker-data.ts';
import { loadLock } from './load-lock.ts';
import { threadLimits } from '../shared/thread-limits.ts';

/** Files in `workers/threads/` that export a task function as their default. */
export type WorkerEntry =
  'lookup' | 'journal' | 'journal-reader' | 'verify-cells' | 'import-layers' | 'import-addresses' | 'gdal-version';

/** Returns the file of the entry: the source for a program that runs from its sources, otherwise the file that the build joined. */
export function workerFile(entry: WorkerEntry): string {
  const [folder, ending] = runsFromSources ? [projectDir, 'ts'] : [builtDir, 'js'];
  return pathToFileURL(join(folder, 'workers', 'threads', `${entry}.${ending}`)).href;
}

/**
 * Runs one task of a command in its own thread, and then ends the thread. `onProgress` gets the progress that the
 * worker posts on `task.progress`.
 * @throws AppError of a failed outcome; Error when the thread is lost.
 */
export async function runWorker<Task extends object, Progress, Result>(
  entry: WorkerEntry,
  task: Task,
  onProgress: (progress: Progress) => void,
): Promise<Result> {
  const workerData: WorkerData = { loadLock };
  const pool = new Piscina<Task & { progress: MessagePort }, Outcome<Result>>({
    filename: workerFile(entry),
    minThreads: 1,
    maxThreads: 1,
    atomics: 'disabled',
    resourceLimits: threadLimits,
    workerData,
  });
  // Piscina reports a fault outside a task here; without a listener it would end the process.
  const lost = new Promise<never>((_, reject) => pool.on('error', reject));
  const { port1: ours, port2: theirs } = new MessageChannel();
  ours.on('message', onProgress);
  try {
    return unwrap(await Promise.race([pool.run({ ...task, progress: theirs }, { transferList: [theirs] }), lost]));
  } finally {
    ours.close();
    await pool.close();
  }
}
