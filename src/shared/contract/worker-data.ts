import type { Catalogue } from '../catalogue/catalogue.ts';

/** What every worker thread is started with. */
export interface WorkerData {
  /** `loadLock` of the process (src/pool/load-lock.ts). */
  readonly loadLock: SharedArrayBuffer;
}

/** What a lookup thread is started with. */
export interface LookupWorkerData extends WorkerData {
  readonly answers: Catalogue['answers'];
}
