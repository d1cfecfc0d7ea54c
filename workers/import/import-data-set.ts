import type { Database } from 'better-sqlite3';
import { rulesVersion, wordsOfFilters } from '../../src/catalogue/counting.ts';
import { allMet, knownWords } from '../../src/catalogue/known-words.ts';
import type { DiskFloor } from '../../src/messages/disk-floor.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import { type BatchCounts, addCounts, noCounts } from './features/batch.ts';
import { brokenTexts } from './features/broken-text.ts';
import type { ClaimedAreas } from './areas/claim-areas.ts';
import { readCoverage } from './areas/coverage.ts';
import { type KeptPart, keptSources } from './kept-parts.ts';
import { type DataSetInput, type InspectedSource, naming } from './sources/data-set-input.ts';
import type { Column, TableDefinition } from './features/feature-table.ts';
import { TableWriters } from './features/side-writers.ts';
import type { StoredGeometry } from '../geopackage/gpkg-geometry.ts';
import type { Preparers } from './features/preparers.ts';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { createHash } from 'node:crypto';
import { dayOf, isToCome } from '../../src/messages/time.ts';
import { sides, sideTable } from '../../src/catalogue/side-tables.ts';

export interface DataSetImport {
  readonly input: DataSetInput;
  /** Folder of the snapshot under construction. */
  readonly building: DiskFloor;
  readonly db: Database;
  readonly preparers: Preparers;
  /** Areas of the parts; null for a data set that has none. */
  readonly claimed: ClaimedAreas | null;
  /** Parts whose features stay as they are. */
  readonly kept: readonly KeptPart[];
  /** As in `DataSetRecord`; null when unknown. */
  readonly origin: string | null;
  /** Counts of the last snapshot; null when there is nothing to compare with. */
  readonly previous: Previous | null;
  /** Accept a loss of features and features outside Ontario. */
  readonly force: boolean;
  /** Accept another list of names where the definition says that the list is fixed. */
  readonly acceptNames: boolean;
  readonly onRows: (done: number, total: number) => void;
}

type Previous = Pick<DataSetRecord, 'featureCount' | 'parts' | 'dropped' | 'beside' | 'countedBy' | 'keptParts'>;

/** Largest share of features that a refresh may lose. A source that loses more is more likely broken than right. */
const MOST_LOST = 0.05;

/**
 * Reads one data set into its table, all of it or nothing.
 * @throws Error that names the file and its fault; the table is then unchanged.
 */
export async function importDataSet(task: DataSetImport): Promise<{
  readonly record: DataSetRecord;
  /** Empty unless the coverage is `area`. */
  readonly coverage: readonly StoredGeometry[];
}> {
  const coverage = await coverageOf(task);
  const sources = partsInUse(await task.input.inspect(task.building), task);
  task.db.exec('BEGIN');
  try {
    const kept = keptSources(task.db, task.input.definition.id, task.kept);
    const record = await load(task, [...sources, ...kept], coverage.length > 0);
    const content = contentOf(task.db, task.input.definition.id, record, coverage);
    task.db.exec('COMMIT');
    return { record: { ...record, content }, coverage };
  } catch (cause) {
    task.db.exec('ROLLBACK');
    throw cause;
  }
}

/** Returns the polygons inside which the data set knows the answer. */
async function coverageOf(task: DataSetImport): Promise<readonly StoredGeometry[]> {
  const { coverage } = task.input;
  return coverage.kind === 'parts' ? task.claimed!.polygons : readCoverage(coverage, task);
}

/** Leaves out the parts whose area is not known. @throws Error when no part is left. */
function partsInUse(sources: readonly InspectedSource[], { claimed, kept }: DataSetImport): readonly InspectedSource[] {
  const leftOut = claimed?.leftOut ?? [];
  const inUse = sources.filter(({ name }) => !leftOut.some(({ address }) => address === name));
  if (inUse.length > 0 || kept.length > 0 || leftOut.length === 0) return inUse;
  throw new Error(leftOut.map(({ part, reason }) => `${part}: ${reason}`).join('; '));
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
  const listedBefore = task.previous === null ? [] : listedIn(task.db, definition);
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
  checkRequired(task, table);
  const countedBy = rulesVersion(definition.counts);
  checkParts(parts, task);
  const changeOfNames = changeOfList(listedBefore, listedIn(task.db, definition));
  // Another list explains another number of features.
  if (changeOfNames !== null) checkNames(changeOfNames, task);
  else if (hasAllParts(parts, task)) checkLoss(comparable(loaded, countedBy, task.previous), { force });
  writers.finish();
  const dateField = sources.find((source) => source.dateField !== null)?.dateField ?? null;
  return recordOf(task, table, { ...loaded, countedBy, parts, counts, hasArea, dateField });
}

/** @throws Error when a field that the answers need is blank in all features: its values stand under another name, such as an alias. */
function checkRequired({ db, input: { definition }, force }: DataSetImport, { name, columns }: TableDefinition): void {
  if (force) return;
  const required = columns.filter((column) => definition.fields[column.name]?.required === true);
  const filled = db
    .prepare(`SELECT ${['1', ...required.map((column) => `COUNT("${column.name}")`)].join(', ')} FROM "${name}"`)
    .raw()
    .get() as number[];
  const blank = required.find((_, i) => filled[i + 1] === 0);
  if (blank) throw new Error(`the field "${blank.name}" has no value in any feature: --force accepts that`);
}

/** Without a part there is less, which is no loss of the others. */
function hasAllParts(parts: Readonly<Record<string, number>>, { previous }: DataSetImport): boolean {
  return Object.keys(previous?.parts ?? {}).every((name) => name in parts);
}

function tableOf({ definition }: DataSetInput, sources: readonly InspectedSource[]): TableDefinition {
  const columns: Column[] = Object.entries(definition.fields)
    .filter(([name]) => sources.some((source) => source.fields.includes(name)))
    .map(([name, { type, steps, blank }]) => ({
      name,
      type,
      ...(steps ? { steps } : {}),
      ...(blank ? { blank } : {}),
    }));
  return { name: definition.id, title: definition.title, family: definition.geometry, columns };
}

/**
 * Compares the features that count. Where other rules decided that, it compares all that the sources have, because other rules are no loss.
 */
function comparable(
  loaded: Features,
  countedBy: string | undefined,
  previous: Previous | null,
): { readonly previousCount: number | undefined; readonly count: number } {
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
  { previousCount, count }: { readonly previousCount: number | undefined; readonly count: number },
  {
    force,
    name = '',
  }: { readonly force: boolean; /** Beginning of the message of the error. */ readonly name?: string },
): void {
  if (force || previousCount === undefined || count >= previousCount * (1 - MOST_LOST)) return;
  throw new Error(`${name}has ${count} features, but the last snapshot has ${previousCount}: --force accepts the loss`);
}

/** @throws Error that shows both lists, unless somebody has accepted the change. */
function checkNames(change: string, { input, force, acceptNames }: DataSetImport): void {
  if (force || acceptNames) return;
  const fields = input.definition.fixedList!.join(' and ');
  const accept = `land-lookup load-layers --only ${input.definition.id} --accept-names`;
  throw new Error(`its list (${fields}) is another one than in the last snapshot: ${change}. "${accept}" accepts it`);
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

/** Claims no later date than the source does, nor one to come, which a wrong clock gives to a file. The sample is nobody's data. */
function dated(found: Dates, { definition, sample }: DataSetInput): Dates {
  const date = isToCome(found.asOf) ? { ...found, asOf: dayOf(Date.now()) } : found;
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
  task: DataSetImport,
  table: TableDefinition,
  { featureCount, beside, countedBy, parts, counts, hasArea, dateField }: Loaded,
): DataSetRecord {
  const { input, kept, origin } = task;
  const { definition, sample, notUsed, coverage, date } = input;
  const leftOut = task.claimed?.leftOut ?? [];
  const inUse = input.files.filter((file) => !leftOut.some(({ address }) => address === file));
  const files = [...inUse, ...kept.flatMap(({ layers }) => layers.map(({ address }) => address))];
  return {
    title: definition.title,
    publisher: definition.publisher,
    licence: definition.licence.id,
    attribution: attributionOf(input, kept),
    ...dated(date(counts.newestMs, dateField), input),
    files,
    // Without an area, parts know the answer only in their features.
    coverage: hasArea ? 'area' : coverage.kind === 'province' ? 'province' : 'features',
    fields: table.columns.map((column) => column.name),
    featureCount,
    ...(beside === undefined ? {} : { beside }),
    ...(countedBy === undefined ? {} : { countedBy }),
    ...wordsOf(definition, counts),
    ...(coverage.kind === 'parts' || Object.keys(parts).length > 1 ? { parts } : {}),
    vertexCount: counts.vertices,
    repaired: counts.repaired,
    dropped: counts.dropped,
    sample,
    importedAt: new Date().toISOString(),
    ...(notUsed.length === 0 ? {} : { notUsed }),
    ...notesOf(task),
    ...(origin === null ? {} : { origin }),
  };
}

/** What is to be said of words in the attributes. */
function wordsOf(
  { filters }: DataSetInput['definition'],
  { metWords, texts, unknownWords }: BatchCounts,
): Pick<DataSetRecord, 'filterWords' | 'unreadableTexts' | 'unknownWords'> {
  const unreadableTexts = brokenTexts(texts);
  return {
    ...(filters ? { filterWords: allMet(wordsOfFilters(filters), metWords) } : {}),
    ...(Object.keys(unreadableTexts).length === 0 ? {} : { unreadableTexts }),
    ...(Object.keys(unknownWords).length === 0 ? {} : { unknownWords }),
  };
}

/** What is to be said of single parts. */
function notesOf({
  input,
  claimed,
  kept,
  previous,
}: DataSetImport): Pick<DataSetRecord, 'refused' | 'keptAreas' | 'keptParts' | 'refreshFailed'> {
  const { leftOut = [], keptAreas = [] } = claimed ?? {};
  const gone = input.refused.filter((part) => !kept.some((one) => one.refused === part));
  const refused = [
    ...gone.map(({ name, reason }) => ({ part: name, reason })),
    ...leftOut.map(({ part, reason }) => ({ part, reason })),
  ];
  return {
    ...(refused.length === 0 ? {} : { refused }),
    ...(keptAreas.length === 0 ? {} : { keptAreas }),
    ...notRefreshed(kept, previous),
  };
}

/** The licences of kept features ask for their attribution as before. */
function attributionOf({ attribution }: DataSetInput, kept: readonly KeptPart[]): string {
  const others = kept.flatMap(({ refused }) => refused.attribution ?? []);
  return [attribution, ...new Set(others.filter((other) => !attribution.includes(other)))].join(' ');
}

/** Says since when parts are kept. The data set is then as a whole not refreshed, although its other parts are. */
function notRefreshed(
  kept: readonly KeptPart[],
  previous: Previous | null,
): Pick<DataSetRecord, 'keptParts' | 'refreshFailed'> {
  if (kept.length === 0) return {};
  const now = new Date().toISOString();
  const sinceOf = (name: string) => previous?.keptParts?.find(({ part }) => part === name)?.since;
  const keptParts = kept.map(({ refused: { name, reason } }) => ({ part: name, reason, since: sinceOf(name) ?? now }));
  const reason = keptParts.map((one) => `${one.part}: ${one.reason}`).join('; ');
  return { keptParts, refreshFailed: { since: keptParts.map(({ since }) => since).toSorted()[0]!, reason } };
}

type Listed = Readonly<Record<string, unknown>>;

/** Most entries of a list in a message; the province has 444 municipalities. */
const MOST_SHOWN = 100;

/** Returns what a data set with a fixed list has in its table; empty for another data set, and without a table. */
function listedIn(db: Database, { id, fixedList = [] }: DataSetDefinition): readonly Listed[] {
  const columns = (db.pragma(`table_info("${id}")`) as { name: string }[]).map(({ name }) => name);
  const listed = fixedList.filter((field) => columns.includes(field)).map((field) => `"${field}"`);
  if (listed.length === 0) return [];
  return db.prepare(`SELECT DISTINCT ${listed.join(', ')} FROM "${id}"`).all() as Listed[];
}

/**
 * Compares the list of the last snapshot with the one of now, by the fields that both have. Returns what is gone and what is new, as the end of a
 * sentence; null when the lists are the same.
 */
function changeOfList(before: readonly Listed[], now: readonly Listed[]): string | null {
  const [first = {}] = now;
  const fields = Object.keys(before[0] ?? {}).filter((field) => field in first);
  if (fields.length === 0) return null;
  const [old, fresh] = [entriesOf(before, fields), entriesOf(now, fields)];
  const gone = [...old].filter((entry) => !fresh.has(entry));
  const added = [...fresh].filter((entry) => !old.has(entry));
  if (gone.length === 0 && added.length === 0) return null;
  return `${old.size} before, ${fresh.size} now; gone: ${shown(gone)}; new: ${shown(added)}`;
}

/** Numbers and names as people read them: `34 Toronto and Region Conservation Authority`. */
function entriesOf(rows: readonly Listed[], fields: readonly string[]): ReadonlySet<string> {
  return new Set(
    rows.map((row) =>
      fields.flatMap((field) => (row[field] == null ? [] : String(row[field] as string | number))).join(' '),
    ),
  );
}

function shown(entries: readonly string[]): string {
  if (entries.length === 0) return 'none';
  const sorted = entries.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const more = sorted.length > MOST_SHOWN ? ` and ${sorted.length - MOST_SHOWN} more` : '';
  return `${sorted
    .slice(0, MOST_SHOWN)
    .map((entry) => `"${entry}"`)
    .join(', ')}${more}`;
}

/**
 * Returns the SHA-256 of what a data set has in the file: its features and those beside them, in their order, because of equals the first one decides, and
 * the area that it knows. Equal contents give equal answers by equal definitions.
 */
function contentOf(
  db: Database,
  id: string,
  { beside = {}, coverage, fields }: Pick<DataSetRecord, 'beside' | 'coverage' | 'fields'>,
  area: readonly StoredGeometry[],
): string {
  const sum = createHash('sha256').update(JSON.stringify([coverage, fields]));
  for (const { blob } of area) sum.update(blob);
  for (const table of [id, ...sides.filter((side) => beside[side]).map((side) => sideTable(id, side))]) {
    sum.update(`\n${table}`);
    const rows = db.prepare(`SELECT * FROM "${table}" ORDER BY fid`).raw().iterate() as Iterable<unknown[]>;
    for (const [, geometry, ...attributes] of rows) sum.update(geometry as Buffer).update(JSON.stringify(attributes));
  }
  return sum.digest('hex');
}
