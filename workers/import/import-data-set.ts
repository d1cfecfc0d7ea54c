import type { Database } from 'better-sqlite3';
import type { DataSetRecord } from '../../src/contract/manifest.ts';
import { addCounts, noCounts, type BatchCounts } from './batch.ts';
import { readCoverage } from './coverage.ts';
import { naming, type DataSetInput, type InspectedSource } from './data-set-input.ts';
import { createFeatureTable, type Column, type TableDefinition } from './feature-table.ts';
import type { StoredGeometry } from './gpkg-geometry.ts';
import type { Preparers } from './preparers.ts';

export interface DataSetImport {
  readonly input: DataSetInput;
  /** Folder of the snapshot that is built. */
  readonly building: string;
  readonly db: Database;
  readonly preparers: Preparers;
  /** Features of the last snapshot; null when there is nothing to compare with. */
  readonly previousCount: number | null;
  /** Accept a loss of features and features outside Ontario. */
  readonly force: boolean;
  readonly onRows: (done: number, total: number) => void;
}

export interface ImportedDataSet {
  readonly record: DataSetRecord;
  /** Empty unless the coverage is `area`. */
  readonly coverage: readonly StoredGeometry[];
}

/** A source that sheds more than this in one refresh is more likely broken than right. */
const MOST_LOST = 0.05;

/**
 * Reads one data set into its table, all of it or nothing.
 * @throws Error that names the file and what is wrong with it; the table is then as it was.
 */
export async function importDataSet(task: DataSetImport): Promise<ImportedDataSet> {
  const coverage = await readCoverage(task.input.coverage, task);
  const sources = await task.input.inspect(task.building);
  task.db.exec('BEGIN');
  try {
    const record = await load(task, sources);
    task.db.exec('COMMIT');
    return { record, coverage };
  } catch (cause) {
    task.db.exec('ROLLBACK');
    throw cause;
  }
}

async function load(task: DataSetImport, sources: readonly InspectedSource[]): Promise<DataSetRecord> {
  const { definition } = task.input;
  const { building, preparers, force } = task;
  const table = tableOf(task.input, sources);
  const writer = createFeatureTable(task.db, table);
  const total = sources.reduce((sum, source) => sum + source.featureCount, 0);
  let done = 0;
  const onRead = (features: number) => {
    task.onRows((done += features), total);
  };
  let counts = noCounts;
  for (const source of sources) {
    const target = { definition, table, writer, preparers, building, force, onRead };
    counts = addCounts(counts, await naming(source.name, () => source.load(target)));
  }
  if (writer.count === 0) throw new Error(`nothing is left of ${total} features: ${describe(counts.dropped)}`);
  checkLoss(writer.count, task);
  writer.finish();
  const dateField = sources.find((source) => source.dateField !== null)?.dateField ?? null;
  return recordOf(task.input, table, { featureCount: writer.count, counts, dateField });
}

function tableOf({ definition }: DataSetInput, sources: readonly InspectedSource[]): TableDefinition {
  const columns: Column[] = Object.entries(definition.fields)
    .filter(([name]) => sources.some((source) => source.fields.includes(name)))
    .map(([name, { type }]) => ({ name, type }));
  return { name: definition.id, title: definition.title, family: definition.geometry, columns };
}

function checkLoss(count: number, { previousCount, force }: DataSetImport): void {
  if (force || previousCount === null || count >= previousCount * (1 - MOST_LOST)) return;
  throw new Error(`has ${count} features, but the last snapshot ${previousCount}: --force accepts the loss`);
}

function describe(dropped: DataSetRecord['dropped']): string {
  return Object.entries(dropped)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

interface Loaded {
  readonly featureCount: number;
  readonly counts: BatchCounts;
  readonly dateField: string | null;
}

function recordOf(
  { definition, sample, attribution, files, notUsed, coverage, origin, date }: DataSetInput,
  table: TableDefinition,
  { featureCount, counts, dateField }: Loaded,
): DataSetRecord {
  return {
    title: definition.title,
    publisher: definition.publisher,
    licence: definition.licence.id,
    attribution,
    ...date(counts.newestMs, dateField),
    files,
    coverage: coverage.kind === 'box' || coverage.kind === 'file' ? 'area' : coverage.kind,
    fields: table.columns.map((column) => column.name),
    featureCount,
    vertexCount: counts.vertices,
    repaired: counts.repaired,
    dropped: counts.dropped,
    sample,
    importedAt: new Date().toISOString(),
    ...(notUsed.length === 0 ? {} : { notUsed }),
    ...(origin === null ? {} : { origin }),
  };
}
