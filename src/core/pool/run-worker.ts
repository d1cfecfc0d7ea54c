import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { builtDir, projectDir, runsFromSources } from '../../project/project.ts';
import { type Outcome, unwrap } from '../../messages/outcome.ts';
import { type WorkerData, threadLimits } from '../../messages/worker-data.ts';

/**
 * One lock for the whole process. GDAL's initialisation is not reentrant, so threads of all pools load their copies of
 * the binding one after another. Every worker gets the lock as `workerData.loadLock`.
 */
export const loadLock = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** Files in `workers/threads/` that export a task function as their default. */
type WorkerEntry =
  | 'lookup'
  | 'journal'
  | 'journal-reader'
  | 'empty-logs'
  | 'verify-cells'
  | 'import-layers'
  | 'import-addresses'
  | 'versions';

/** Returns the file of the entry: the source for a program that runs from its sources, otherwise the file that the build joined. */
export function workerFile(entry: WorkerEntry): string {
  const [folder, ending] = runsFromSources ? [projectDir, 'ts'] : [builtDir, 'js'];
  return pathToFileURL(join(folder, 'workers', 'threads', `${entry}.${ending}`)).href;
}

/** Time for which a thread waits for another task of its process, which need not start one then: an import has a task for each file that it downloads. */
const IDLE_MS = 5000;

/** More than any command asks for at once: one a core, or one a download. */
const MOST_THREADS = Math.max(16, availableParallelism());

const pools = new Map<WorkerEntry, Piscina<object, unknown>>();

/** Its threads end when they have nothing to do, and never keep the process from ending. */
function poolOf(entry: WorkerEntry): Piscina<object, unknown> {
  const existing = pools.get(entry);
  if (existing) return existing;
  const workerData: WorkerData = { loadLock };
  const pool = new Piscina<object, unknown>({
    filename: workerFile(entry),
    minThreads: 0,
    maxThreads: MOST_THREADS,
    idleTimeout: IDLE_MS,
    atomics: 'disabled',
    resourceLimits: threadLimits,
    workerData,
  });
  // Without a listener, a fault of a thread between two tasks would end the process.
  pool.on('error', () => undefined).setMaxListeners(MOST_THREADS + 1);
  pools.set(entry, pool);
  return pool;
}

/**
 * Runs one task of a command in a thread that does nothing else meanwhile. `onProgress` gets the progress that the worker posts on `task.progress`.
 * @throws AppError of a failed outcome; Error when the thread is lost.
 */
export async function runWorker<Task extends object, Progress, Result>(
  entry: WorkerEntry,
  task: Task,
  onProgress: (progress: Progress) => void,
): Promise<Result> {
  const pool = poolOf(entry);
  let lose: (cause: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (lose = reject));
  // Piscina reports a fault outside a task here.
  pool.once('error', lose);
  const { port1: ours, port2: theirs } = new MessageChannel();
  ours.on('message', onProgress);
  try {
    const run = pool.run({ ...task, progress: theirs }, { transferList: [theirs] });
    return unwrap((await Promise.race([run, lost])) as Outcome<Result>);
  } finally {
    ours.close();
    pool.off('error', lose);
  }
}

/** Says whether a thread could not start, whatever it was asked: it got no descriptor, or GDAL could not be loaded (`workers/geopackage/gdal.ts`). */
export function hasNotStarted(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_INIT_FAILED';
}
