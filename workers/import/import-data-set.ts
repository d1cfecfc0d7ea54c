import type { Database } from 'better-sqlite3';
import { rulesVersion } from '../../src/shared/catalogue/counting.ts';
import { wordsOfFilters } from '../../src/shared/catalogue/filter-words.ts';
import { allMet, knownWords } from '../../src/shared/catalogue/known-words.ts';
import type { DiskFloor } from '../../src/shared/disk-floor.ts';
import type { DataSetRecord } from '../../src/shared/contract/manifest.ts';
import { addCounts, noCounts, type BatchCounts } from './features/batch.ts';
import { brokenTexts } from './features/broken-text.ts';
import { readCoverage } from './coverage.ts';
import { naming, type DataSetInput, type InspectedSource } from './sources/data-set-input.ts';
import type { Column, TableDefinition } from './features/feature-table.ts';
import { TableWriters } from './features/side-writers.ts';
import type { StoredGeometry } from '../geopackage/gpkg-geometry.ts';
import type { Preparers } from './features/preparers.ts';

export interface DataSetImport {
  readonly input: DataSetInput;
  /** Folder of the snapshot under construction. */
  readonly building: DiskFloor;
  readonly db: Database;
  readonly preparers: Preparers;
  /** Counts of the last snapshot; null when there is nothing to compare with. */
  readonly previous: Previous | null;
  /** Accept a loss of features and features outside Ontario. */
  readonly force: boolean;
  readonly onRows: (done: number, total: number) => void;
}

type Previous = Pick<DataSetRecord, 'featureCount' | 'parts' | 'dropped' | 'beside' | 'countedBy'>;

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
  checkRefused(task);
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

/**
 * Checks that a server's silence does not cost data: while the last snapshot has what a part held, its last good data are better than none.
 * @throws Error that names the part.
 */
function checkRefused({ input, previous }: DataSetImport): void {
  const held = Object.keys(previous?.parts ?? {});
  const silent = input.refused.find(({ isSilent, address }) => isSilent && held.some((url) => url.startsWith(address)));
  if (silent) throw new Error(`${silent.name}: ${silent.reason}`);
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
  const writers = new TableWriters(task.db, table);
  const writer = writers.main;
  const total = sources.reduce((sum, source) => sum + source.featureCount, 0);
  let done = 0;
  const onRead = (features: number) => {
    task.onRows((done += features), total);
  };
  let counts = noCounts;
  const parts: Record<string, number> = {};
  for (const source of sources) {
    const target = {
      definition,
      table,
      knownWords: knownWords(definition),
      writers,
      preparers,
      building,
      force,
      onRead,
    };
    const before = writer.count;
    counts = addCounts(counts, await naming(source.name, () => source.load(target)));
    parts[source.name] = writer.count - before;
  }
  const loaded = { featureCount: writer.count, dropped: counts.dropped, beside: writers.beside };
  if (writer.count === 0) {
    const names = sources.map(({ name }) => name).join(', ');
    throw new Error(`${names}: none of ${total} features was kept: ${describe(loaded)}`);
  }
  const countedBy = rulesVersion(definition.counts);
  checkParts(parts, task);
  // Without a part there is less, which is no loss of the others.
  const isWhole = Object.keys(task.previous?.parts ?? {}).every((name) => name in parts);
  if (isWhole) checkLoss(comparable(loaded, countedBy, task.previous), { force });
  writers.finish();
  const dateField = sources.find((source) => source.dateField !== null)?.dateField ?? null;
  return recordOf(task.input, table, { ...loaded, countedBy, parts, counts, hasArea, dateField });
}

function tableOf({ definition }: DataSetInput, sources: readonly InspectedSource[]): TableDefinition {
  const columns: Column[] = Object.entries(definition.fields)
    .filter(([name]) => sources.some((source) => source.fields.includes(name)))
    .map(([name, { type, steps, blank }]) => ({
      ...{ name, type },
      ...(steps ? { steps } : {}),
      ...(blank ? { blank } : {}),
    }));
  return { name: definition.id, title: definition.title, family: definition.geometry, columns };
}

/** Numbers of features of the last snapshot and of this one. */
interface Compared {
  readonly previousCount: number | undefined;
  readonly count: number;
}

/**
 * Compares the features that count. Where other rules decided that, it compares all that the sources have, because other rules are no loss.
 */
function comparable(loaded: Features, countedBy: string | undefined, previous: Previous | null): Compared {
  if (previous === null || previous.countedBy === countedBy)
    return { previousCount: previous?.featureCount, count: loaded.featureCount };
  return { previousCount: allOf(previous), count: allOf(loaded) };
}

type Features = Pick<DataSetRecord, 'featureCount' | 'dropped'> & {
  readonly beside: DataSetRecord['beside'] | undefined;
};

function allOf({
  featureCount,
  dropped,
  beside = {},
}: Partial<Features> & Pick<Features, 'featureCount' | 'dropped'>): number {
  const others = [...Object.values(dropped), ...Object.values(beside)];
  return others.reduce((sum, count) => sum + count, featureCount);
}

function checkLoss(
  { previousCount, count }: Compared,
  {
    force,
    name = '',
  }: { readonly force: boolean; /** Beginning of the message of the error. */ readonly name?: string },
): void {
  if (force || previousCount === undefined || count >= previousCount * (1 - MOST_LOST)) return;
  throw new Error(`${name}has ${count} features, but the last snapshot has ${previousCount}: --force accepts the loss`);
}

/**
 * Checks each part: a small part may lose all its features unnoticed, and the answer in its area would then be "no".
 */
function checkParts(parts: Readonly<Record<string, number>>, { input, previous, force }: DataSetImport): void {
  for (const [name, count] of Object.entries(parts)) {
    if (count === 0 && input.coverage.kind === 'parts') throw new Error(`${name}: none of its features was kept`);
    checkLoss({ previousCount: previous?.parts?.[name], count }, { force, name: `${name}: ` });
  }
}

function describe({ dropped, beside = {} }: Features): string {
  const reasons = { ...dropped, ...(beside.unclear === undefined ? {} : { 'of unknown kind': beside.unclear }) };
  return Object.entries(reasons)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

type Dates = Pick<DataSetRecord, 'asOf' | 'asOfFrom' | 'sourceUntil'>;

/** Claims no later date than the source does. The sample is nobody's data. */
function dated(date: Dates, { definition, sample }: DataSetInput): Dates {
  const sourceUntil = sample ? undefined : definition.sourceUntil?.day;
  if (sourceUntil === undefined) return date;
  if (date.asOf <= sourceUntil) return { ...date, sourceUntil };
  return { asOf: sourceUntil, asOfFrom: 'statement of the source', sourceUntil };
}

interface Loaded extends Features {
  readonly countedBy: string | undefined;
  /** Features of each source. */
  readonly parts: Readonly<Record<string, number>>;
  readonly counts: BatchCounts;
  readonly hasArea: boolean;
  readonly dateField: string | null;
}

function recordOf(
  input: DataSetInput,
  table: TableDefinition,
  { featureCount, beside, countedBy, parts, counts, hasArea, dateField }: Loaded,
): DataSetRecord {
  const { definition, sample, attribution, files, notUsed, refused, coverage, origin, date } = input;
  return {
    title: definition.title,
    publisher: definition.publisher,
    licence: definition.licence.id,
    attribution,
    ...dated(date(counts.newestMs, dateField), input),
    files,
    // Without an area, parts know the answer only in their features.
    coverage: hasArea ? 'area' : coverage.kind === 'province' ? 'province' : 'features',
    fields: table.columns.map((column) => column.name),
    featureCount,
    ...(beside === undefined ? {} : { beside }),
    ...(countedBy === undefined ? {} : { countedBy }),
    ...(definition.filters ? { filterWords: allMet(wordsOfFilters(definition.filters), counts.metWords) } : {}),
    ...(Object.keys(brokenTexts(counts.texts)).length === 0 ? {} : { unreadableTexts: brokenTexts(counts.texts) }),
    ...(Object.keys(counts.unknownWords).length === 0 ? {} : { unknownWords: counts.unknownWords }),
    ...(coverage.kind === 'parts' || Object.keys(parts).length > 1 ? { parts } : {}),
    vertexCount: counts.vertices,
    repaired: counts.repaired,
    dropped: counts.dropped,
    sample,
    importedAt: new Date().toISOString(),
    ...(notUsed.length === 0 ? {} : { notUsed }),
    ...(refused.length === 0 ? {} : { refused: refused.map(({ name, reason }) => ({ part: name, reason })) }),
    ...(origin === null ? {} : { origin }),
  };
}
