import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DataSetRecord } from '../../src/contract/manifest.ts';
import type { TableDefinition } from './feature-table.ts';
import type { DataSetImport } from './import-data-set.ts';
import type { BatchCounts } from './batch.ts';
import type { Coverage, SourceEntry } from './source-manifest.ts';

/** The manifest's record of an imported data set. */
export function recordOf(
  { definition, entry, from, sample }: DataSetImport,
  table: TableDefinition,
  { featureCount, counts }: { readonly featureCount: number; readonly counts: BatchCounts },
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
    featureCount,
    vertexCount: counts.vertices,
    repaired: counts.repaired,
    dropped: counts.dropped,
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
