import { statSync } from 'node:fs';
import type { DataSetDefinition } from '../../../src/shared/catalogue/definition.ts';
import type { DataSetRecord } from '../../../src/shared/contract/manifest.ts';
import type { BatchCounts } from '../features/batch.ts';
import type { LoadTarget } from './load-features.ts';
import type { Coverage } from './source-manifest.ts';

/** A data set as an import gets it: listed in `sources.json`, or downloaded. */
export interface DataSetInput {
  readonly definition: DataSetDefinition;
  readonly sample: boolean;
  readonly attribution: string;
  /** Base names of files, or addresses of layers. */
  readonly files: readonly string[];
  /** Why sources that are preferred to these were not used. */
  readonly notUsed: readonly string[];
  /** Of all its sources on the disk, packed as they are. */
  readonly bytes: number;
  /** A coverage file's name is a whole path. */
  readonly coverage: Coverage;
  /** Names the content and how it is read: equal origins give equal tables. Null when it cannot be told. */
  readonly origin: string | null;
  /**
   * Looks at every source before anything is written, because most mistakes show there. Scratch files go into `building`.
   * @throws Error that names the source and what is wrong with it.
   */
  inspect(building: string): Promise<readonly InspectedSource[]>;
  /** The date of the data; `newestMs` is the newest date that the features carry, in this field. */
  readonly date: (newestMs: number | null, dateField: string | null) => Pick<DataSetRecord, 'asOf' | 'asOfFrom'>;
}

/** One source that can be read and fits the definition. */
export interface InspectedSource {
  readonly name: string;
  readonly featureCount: number;
  /** Fields of the definition that it has. */
  readonly fields: readonly string[];
  /** The field whose newest date is counted; null when there is none. */
  readonly dateField: string | null;
  /** Appends its features to the table. @throws Error when they cannot be read to the end, or lie elsewhere. */
  load(target: LoadTarget): Promise<BatchCounts>;
}

/** Of all these files; one that is missing counts nothing, and is missed when it is read. */
export function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Puts the source's name before what goes wrong with it. */
export async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
}
