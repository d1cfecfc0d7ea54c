import type { Catalogue } from '../catalogue/catalogue.ts';

/** Data that every worker thread gets at its start. */
export interface WorkerData {
  /** `loadLock` of the process (src/core/pool/run-worker.ts). */
  readonly loadLock: SharedArrayBuffer;
}

/** Data that a lookup thread gets at its start. */
export interface LookupWorkerData extends WorkerData, Pick<Catalogue, 'answers' | 'further' | 'version'> {
  /** Names of features that FEATURES leaves out: the thread opens nothing of theirs. */
  readonly leftOut: readonly string[];
  /** The operating system is to prefer other threads. */
  readonly isLow: boolean;
}
