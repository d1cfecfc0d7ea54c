import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DataSetRecord } from '../../src/contract/manifest.ts';
import type { TableDefinition } from './feature-table.ts';
import type { DataSetImport } from './import-data-set.ts';
import type { LoadCounts } from './load-features.ts';
import type { Coverage, SourceEntry } from './source-manifest.ts';

type Counts = Pick<DataSetRecord, 'featureCount' | 'vertexCount' | 'repaired' | 'dropped'>;

/** The manifest's record of an imported data set. */
export function recordOf(
  { definition, entry, from, sample }: DataSetImport,
  table: TableDefinition,
  counts: Counts,
): DataSetRecord {
  const { title, publisher, licence } = definition;
  return {
    title,
    publisher,
    licence: licence.id,
    attribution: licence.attribution,
    asOf: entry.asOf ?? fileDate(entry, from),
    asOfFrom: entry.asOf === null ? 'file date' : 'source manifest',
    files: entry.files.map((file) => basename(file)),
    coverage: coverageName({ definition, entry }),
    fields: table.columns.map((column) => column.name),
    ...counts,
    sample,
    importedAt: new Date().toISOString(),
  };
}

/** Where the data set knows the answer: the import manifest says so, else the definition. */
export function coverageOf({ definition, entry }: Pick<DataSetImport, 'definition' | 'entry'>): Coverage {
  return entry.coverage ?? { kind: definition.coverage };
}

function coverageName(task: Pick<DataSetImport, 'definition' | 'entry'>): DataSetRecord['coverage'] {
  const { kind } = coverageOf(task);
  return kind === 'box' || kind === 'file' ? 'area' : kind;
}

/** The newest file's own date. */
function fileDate(entry: SourceEntry, from: string): string {
  const newestMs = Math.max(...entry.files.map((file) => statSync(join(from, file)).mtimeMs));
  return new Date(newestMs).toISOString().slice(0, 10);
}

/** The counts of all files together. */
export function sumOf(counts: readonly LoadCounts[]): Omit<Counts, 'featureCount'> {
  const dropped: Record<string, number> = {};
  let [vertexCount, repaired] = [0, 0];
  for (const file of counts) {
    vertexCount += file.vertices;
    repaired += file.repaired;
    for (const [reason, count] of Object.entries(file.dropped)) dropped[reason] = (dropped[reason] ?? 0) + count;
  }
  return { vertexCount, repaired, dropped };
}
