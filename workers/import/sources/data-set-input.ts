import { statSync } from 'node:fs';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { RefusedPart } from '../../../src/messages/import.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import type { DiskFloor } from '../../../src/messages/disk-floor.ts';
import type { BatchCounts } from '../features/batch.ts';
import type { LoadTarget } from './load-features.ts';
import type { Coverage } from './source-manifest.ts';
import { messageOf } from '../../../src/words.ts';

/** A data set to import, listed in `sources.json` or downloaded. */
export interface DataSetInput {
  readonly definition: DataSetDefinition;
  readonly sample: boolean;
  readonly attribution: string;
  /** Base names of files, or addresses of layers. */
  readonly files: readonly string[];
  /** Reasons why preferred sources were not used. */
  readonly notUsed: readonly string[];
  /** Parts that are left out. */
  readonly refused: readonly RefusedPart[];
  /** Of all its sources on the disk, compressed as they are. */
  readonly bytes: number;
  readonly coverage: Coverage;
  /** Identifies the content and how it is read: equal origins give equal tables. Null when unknown. */
  readonly origin: string | null;
  /**
   * Inspects every source before anything is written, because this shows most mistakes. Temporary files go into
   * the folder.
   * @throws Error that names the source and its fault.
   */
  inspect(building: DiskFloor): Promise<readonly InspectedSource[]>;
  /** Returns the date of the data; `newestMs` is the newest date of the features in this field. */
  readonly date: (newestMs: number | null, dateField: string | null) => Pick<DataSetRecord, 'asOf' | 'asOfFrom'>;
}

/** A source that can be read and fits the definition. */
export interface InspectedSource {
  readonly name: string;
  readonly featureCount: number;
  /** Fields of the definition that it has. */
  readonly fields: readonly string[];
  /** The date field; null when there is none. */
  readonly dateField: string | null;
  /** Appends its features to the table. @throws Error when they cannot be read to the end, or lie outside Ontario. */
  load(target: LoadTarget): Promise<BatchCounts>;
}

/** Returns the bytes of all these files. One that is missing or cannot be reached counts 0 here, and fails when it is read. */
export function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + sizeOf(file), 0);
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Adds the source's name to the messages of its errors. */
export async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${name}: ${messageOf(cause)}`, { cause });
  }
}
