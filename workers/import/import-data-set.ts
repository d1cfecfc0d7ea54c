import type { Database } from 'better-sqlite3';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import type { DataSetRecord } from '../../src/contract/manifest.ts';
import { addCounts, noCounts } from './batch.ts';
import { readCoverage } from './coverage.ts';
import { coverageOf, recordOf } from './data-set-record.ts';
import { createFeatureTable, type Column, type TableDefinition } from './feature-table.ts';
import type { StoredGeometry } from './gpkg-geometry.ts';
import { inspectFiles, naming, type InspectedFile } from './inspect-files.ts';
import { loadFeatures } from './load-features.ts';
import type { Preparers } from './preparers.ts';
import type { SourceEntry } from './source-manifest.ts';

export interface DataSetImport {
  readonly definition: DataSetDefinition;
  readonly entry: SourceEntry;
  /** Folder that the entry's file names are relative to. */
  readonly from: string;
  readonly sample: boolean;
  /** Folder of the snapshot that is built. */
  readonly building: string;
  readonly db: Database;
  readonly preparers: Preparers;
  readonly onRows: (done: number, total: number) => void;
}

export interface ImportedDataSet {
  readonly record: DataSetRecord;
  /** Empty unless the coverage is `area`. */
  readonly coverage: readonly StoredGeometry[];
}

/**
 * Reads one data set into its table, all of it or nothing.
 * @throws Error that names the file and what is wrong with it; the table is then as it was.
 */
export async function importDataSet(task: DataSetImport): Promise<ImportedDataSet> {
  const coverage = await readCoverage(coverageOf(task), task.from, task);
  const files = await inspectFiles(task);
  task.db.exec('BEGIN');
  try {
    const record = await load(task, files);
    task.db.exec('COMMIT');
    return { record, coverage };
  } catch (cause) {
    task.db.exec('ROLLBACK');
    throw cause;
  }
}

async function load(task: DataSetImport, files: readonly InspectedFile[]): Promise<DataSetRecord> {
  const { definition, building, preparers } = task;
  const table = tableOf(definition, files);
  const writer = createFeatureTable(task.db, table);
  const total = files.reduce((sum, file) => sum + file.featureCount, 0);
  let done = 0;
  const onRead = (features: number) => {
    task.onRows((done += features), total);
  };
  let counts = noCounts;
  for (const file of files) {
    const target = { definition, table, writer, preparers, building, onRead };
    counts = addCounts(counts, await naming(file.name, () => loadFeatures(file, target)));
  }
  if (writer.count === 0) throw new Error(`nothing is left of ${total} features: ${describe(counts.dropped)}`);
  writer.finish();
  return recordOf(task, table, { featureCount: writer.count, counts });
}

function tableOf(definition: DataSetDefinition, files: readonly InspectedFile[]): TableDefinition {
  const columns: Column[] = Object.entries(definition.fields)
    .filter(([name]) => files.some((file) => file.fields.includes(name)))
    .map(([name, { type }]) => ({ name, type }));
  return { name: definition.id, title: definition.title, family: definition.geometry, columns };
}

function describe(dropped: DataSetRecord['dropped']): string {
  return Object.entries(dropped)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
