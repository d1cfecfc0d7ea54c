import type { Database } from 'better-sqlite3';
import type { DiskFloor } from '../../src/shared/disk-floor.ts';
import type { DataSetRecord } from '../../src/shared/contract/manifest.ts';
import { addCounts, noCounts, type BatchCounts } from './features/batch.ts';
import { readCoverage } from './coverage.ts';
import { naming, type DataSetInput, type InspectedSource } from './sources/data-set-input.ts';
import { createFeatureTable, type Column, type TableDefinition } from './features/feature-table.ts';
import type { StoredGeometry } from '../geopackage/gpkg-geometry.ts';
import type { Preparers } from './features/preparers.ts';

export interface DataSetImport {
  readonly input: DataSetInput;
  /** Folder of the snapshot under construction. */
  readonly building: DiskFloor;
  readonly db: Database;
  readonly preparers: Preparers;
  /** Counts of the last snapshot; null when there is nothing to compare with. */
  readonly previous: Pick<DataSetRecord, 'featureCount' | 'parts'> | null;
  /** Accept a loss of features and features outside Ontario. */
  readonly force: boolean;
  readonly onRows: (done: number, total: number) => void;
}

export interface ImportedDataSet {
  readonly record: DataSetRecord;
  /** Empty unless the coverage is `area`. */
  readonly coverage: readonly StoredGeometry[];
}

/** Largest share of features that a refresh may lose. A source that loses more is more likely broken than right. */
const MOST_LOST = 0.05;

/**
 * Reads one data set into its table, all of it or nothing.
 * @throws Error that names the file and its fault; the table is then unchanged.
 */
export async function importDataSet(task: DataSetImport): Promise<ImportedDataSet> {
  const coverage = await readCoverage(task.input.coverage, task);
  const sources = await task.input.inspect(task.building);
  task.db.exec('BEGIN');
  try {
    const record = await load(task, sources, coverage.length > 0);
    task.db.exec('COMMIT');
    return { record, coverage };
  } catch (cause) {
    task.db.exec('ROLLBACK');
    throw cause;
  }
}

async function load(
  task: DataSetImport,
  sources: readonly InspectedSource[],
  hasArea: boolean,
): Promise<DataSetRecord> {
  const { definition } = task.input;
  const { preparers, force } = task;
  const building = task.building.folder;
  const table = tableOf(task.input, sources);
  const writer = createFeatureTable(task.db, table);
  const total = sources.reduce((sum, source) => sum + source.featureCount, 0);
  let done = 0;
  const onRead = (features: number) => {
    task.onRows((done += features), total);
  };
  let counts = noCounts;
  const parts: Record<string, number> = {};
  for (const source of sources) {
    const target = { definition, table, writer, preparers, building, force, onRead };
    const before = writer.count;
    counts = addCounts(counts, await naming(source.name, () => source.load(target)));
    parts[source.name] = writer.count - before;
  }
  if (writer.count === 0) {
    const names = sources.map(({ name }) => name).join(', ');
    throw new Error(`${names}: none of ${total} features was kept: ${describe(counts.dropped)}`);
  }
  checkLoss(writer.count, { previousCount: task.previous?.featureCount, force });
  if (task.input.coverage.kind === 'parts') checkParts(parts, task);
  writer.finish();
  const dateField = sources.find((source) => source.dateField !== null)?.dateField ?? null;
  return recordOf(task.input, table, { featureCount: writer.count, parts, counts, hasArea, dateField });
}

function tableOf({ definition }: DataSetInput, sources: readonly InspectedSource[]): TableDefinition {
  const columns: Column[] = Object.entries(definition.fields)
    .filter(([name]) => sources.some((source) => source.fields.includes(name)))
    .map(([name, { type }]) => ({ name, type }));
  return { name: definition.id, title: definition.title, family: definition.geometry, columns };
}

interface Compared {
  readonly previousCount: number | undefined;
  readonly force: boolean;
  /** Beginning of the message of the error. */
  readonly name?: string;
}

function checkLoss(count: number, { previousCount, force, name = '' }: Compared): void {
  if (force || previousCount === undefined || count >= previousCount * (1 - MOST_LOST)) return;
  throw new Error(`${name}has ${count} features, but the last snapshot has ${previousCount}: --force accepts the loss`);
}

/**
 * Checks each part: a small part may lose all its features unnoticed, and the answer in its area would then be "no".
 */
function checkParts(parts: Readonly<Record<string, number>>, { previous, force }: DataSetImport): void {
  for (const [name, count] of Object.entries(parts)) {
    if (count === 0) throw new Error(`${name}: none of its features was kept`);
    checkLoss(count, { previousCount: previous?.parts?.[name], force, name: `${name}: ` });
  }
}

function describe(dropped: DataSetRecord['dropped']): string {
  return Object.entries(dropped)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

interface Loaded {
  readonly featureCount: number;
  /** Features of each source. */
  readonly parts: Readonly<Record<string, number>>;
  readonly counts: BatchCounts;
  readonly hasArea: boolean;
  readonly dateField: string | null;
}

function recordOf(
  { definition, sample, attribution, files, notUsed, coverage, origin, date }: DataSetInput,
  table: TableDefinition,
  { featureCount, parts, counts, hasArea, dateField }: Loaded,
): DataSetRecord {
  return {
    title: definition.title,
    publisher: definition.publisher,
    licence: definition.licence.id,
    attribution,
    ...date(counts.newestMs, dateField),
    files,
    // Without an area, parts know the answer only in their features.
    coverage: hasArea ? 'area' : coverage.kind === 'province' ? 'province' : 'features',
    fields: table.columns.map((column) => column.name),
    featureCount,
    ...(coverage.kind === 'parts' ? { parts } : {}),
    vertexCount: counts.vertices,
    repaired: counts.repaired,
    dropped: counts.dropped,
    sample,
    importedAt: new Date().toISOString(),
    ...(notUsed.length === 0 ? {} : { notUsed }),
    ...(origin === null ? {} : { origin }),
  };
}
