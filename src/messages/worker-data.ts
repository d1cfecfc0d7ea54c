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

/**
 * Memory for the short-lived objects of a worker thread. Without a limit V8 lets it grow to 100 MB per thread, and a
 * thread fills it before it collects garbage: an import of 100,000 polygons took 1,027 MB on Node.js 24 instead of 600,
 * and was no faster.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 12 } as const;

/** What a thread says to `land-lookup --version`. */
export interface ThreadVersions {
  readonly gdal: string;
  /** Numbers of formats of data, by the kind of data. */
  readonly formats: Readonly<Record<'usage' | 'cells' | 'suggestions', number>>;
}
