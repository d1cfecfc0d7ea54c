import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { gdal } from '../../geopackage/gdal.ts';
import { checkTexts } from '../features/broken-text.ts';
import { type FieldMap, mapFields, valueReader, epochMs, newestOf } from '../features/attribute-values.ts';
import { wordsOfFilters } from '../../../src/catalogue/counting.ts';
import type { KnownWords } from '../../../src/catalogue/known-words.ts';
import {
  type BatchCounts,
  type Preparation,
  type PreparedBatch,
  type RawBatch,
  addCounts,
  noCounts,
} from '../features/batch.ts';
import type { TableDefinition, Column } from '../features/feature-table.ts';
import type { Writers } from '../features/side-writers.ts';
import { type Source, type SourceOptions, crsName, openSource, placedFeatures, crsText } from './open-source.ts';
import type { TextEncoding } from './text-encoding.ts';
import type { Preparers } from '../features/preparers.ts';
import { NO_NUMBER, placelessReasons, SURFACES } from '../features/prepare-geometry.ts';
import type Gdal from 'gdal-async';
import type { Attribute } from '../../geopackage/attribute.ts';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import { chunkFile, type DownloadedSource } from '../../../src/messages/import.ts';

/** One file of a data set, with the path for GDAL. */
export interface SourceFile {
  readonly path: string;
  readonly options: SourceOptions;
  /** The file's field name -> the definition's. */
  readonly rename: Readonly<Record<string, string>>;
  /** The date field; null: none. */
  readonly dateField: string | null;
}

export interface LoadTarget {
  readonly definition: Pick<DataSetDefinition, 'fields' | 'counts' | 'filters'>;
  readonly table: TableDefinition;
  readonly knownWords: KnownWords;
  readonly writers: Writers;
  readonly preparers: Preparers;
  /** Folder for temporary files. */
  readonly building: string;
  /** Features outside Ontario are left out without an error. */
  readonly force: boolean;
  readonly onRead: (features: number) => void;
}

/** Largest share of features outside Ontario. A few are normal; more mean a wrong CRS or a file of another area. */
const MOST_OUTSIDE = 0.05;

/**
 * Appends the features of one file to the table.
 * @throws Error when the file ends early, or more than 5 % of its features lie outside Ontario.
 */
export async function loadFeatures(file: SourceFile, target: LoadTarget): Promise<BatchCounts> {
  const { writers } = target;
  const before = writers.counts;
  try {
    return await loadFile(file, target);
  } catch (cause) {
    if (!(cause instanceof CurvedGeometry)) throw cause;
    writers.truncate(before);
    using copy = straightened(file, target.building);
    return await loadFile({ ...file, path: copy.path }, target).catch((error: unknown) => {
      throw error instanceof CurvedGeometry ? new Error(SURFACES, { cause: error }) : error;
    });
  }
}

async function loadFile(file: SourceFile, target: LoadTarget): Promise<BatchCounts> {
  const source = openSource(file.path, file.options);
  try {
    const counts = await loadLayer(source, file, target);
    // GDAL does not report a damaged file; only the number of features shows the damage.
    if (counts.read !== source.featureCount)
      throw new Error(`is damaged or truncated: ${counts.read} of ${source.featureCount} features could be read`);
    checkPlaced(counts, { file, source }, target);
    checkPlace(counts, source.crs, target);
    checkText(counts, source.encoding, target);
    return counts;
  } finally {
    source.close();
  }
}

/** Formats of which GDAL sorts the rings, which it leaves as they are where one of them is no ring. */
const ofEsri: readonly string[] = ['ESRI Shapefile', 'ESRIJSON', 'OpenFileGDB'];

async function loadLayer(source: Source, { rename, dateField }: SourceFile, target: LoadTarget): Promise<BatchCounts> {
  const { definition, table, preparers } = target;
  const nestedAreHoles = ofEsri.includes(source.layer.ds.driver.description);
  const preparation = { ...preparationOf(target, source.crs), nestedAreHoles };
  const batches = readBatches(source, table.columns, mapFields(definition, rename, source.fields), dateField);
  return storePrepared(preparers.prepare(preparation, batches, source.featureCount), target);
}

function preparationOf({ definition, table, knownWords }: LoadTarget, crs: string): Preparation {
  const { columns, family } = table;
  const filterWords = wordsOfFilters(definition.filters ?? []);
  return { crs, family, columns, rules: definition.counts ?? [], knownWords, filterWords, nestedAreHoles: false };
}

/** Writes features as they become ready, in the order of the source. */
async function storePrepared(
  batches: AsyncIterable<PreparedBatch>,
  { writers, onRead }: Pick<LoadTarget, 'writers' | 'onRead'>,
): Promise<BatchCounts> {
  let counts = noCounts;
  for await (const batch of batches) {
    store(batch, writers);
    counts = addCounts(counts, batch.counts);
    onRead(batch.counts.read);
  }
  return counts;
}

function store({ blobs, sizes, bounds, values, sides }: PreparedBatch, writers: Writers): void {
  let offset = 0;
  sizes.forEach((size, i) => {
    const blob = Buffer.from(blobs.buffer, blobs.byteOffset + offset, size);
    const [minX, minY, maxX, maxY] = bounds.subarray(i * 4, i * 4 + 4) as unknown as [number, number, number, number];
    writers.of(sides[i] ?? null).add({ blob, minX, minY, maxX, maxY }, values[i]!);
    offset += size;
  });
}

/**
 * @throws Error when too many features lie outside Ontario, or where nobody knows, unless that is accepted: near those that are left out, the answer is
 * "no".
 */
function checkPlace(
  { misplaced, misplacedAt, read, dropped }: BatchCounts,
  crs: string,
  { force }: Pick<LoadTarget, 'force'>,
): void {
  if (force) return;
  const broken = dropped[NO_NUMBER] ?? 0;
  if (broken > read * MOST_OUTSIDE) throw new Error(`${broken} of ${read} features have ${NO_NUMBER}`);
  const placeless = placelessReasons.filter((reason) => dropped[reason] !== undefined);
  const count = placeless.reduce((sum, reason) => sum + dropped[reason]!, 0);
  if (count > read * MOST_OUTSIDE) {
    const reasons = placeless.map((reason) => `${dropped[reason]} ${reason}`).join(', ');
    throw new Error(
      count === read
        ? `none of ${read} features was kept: ${reasons}`
        : `of ${read} features, these cannot be placed: ${reasons}. Correct the file, or choose the others with "where"; --force leaves them out`,
    );
  }
  if (misplaced <= read * MOST_OUTSIDE) return;
  throw new Error(
    `${misplaced} of ${read} features lie outside Ontario when coordinates such as ${misplacedAt} are read as ` +
      `${crsName(crs)}: give the right CRS as "crs", or choose Ontario's features with "where"`,
  );
}

/** @throws Error when GDAL has read no geometry of features that have one in the file, unless that is accepted. */
function checkPlaced(
  { read, dropped }: BatchCounts,
  { file, source }: { readonly file: SourceFile; readonly source: Source },
  { force }: Pick<LoadTarget, 'force'>,
): void {
  const without = dropped['no geometry'] ?? 0;
  if (force || without === 0) return;
  const placed = placedFeatures(file.path, source.layer);
  if (placed === null) return;
  const all = file.options.where === null ? { read, without } : countsOfAll(file);
  const unread = all.without - (all.read - placed);
  if (unread > 0)
    throw new Error(
      `is damaged: ${unread} of ${all.read} features have a geometry that cannot be read. Correct the file; --force leaves them out`,
    );
}

/** Of all features of the file, whatever its condition: how many there are, and those of which GDAL reads no geometry. */
function countsOfAll({ path, options }: SourceFile): { readonly read: number; readonly without: number } {
  const source = openSource(path, { ...options, where: null });
  try {
    let [read, without] = [0, 0];
    for (const feature of featuresOf(source.layer)) {
      read++;
      without += Number(wkbOf(feature).length === 0);
    }
    return { read, without };
  } finally {
    source.close();
  }
}

/** @throws Error when too much of the text is not valid in its encoding, or it is in another one, unless that is accepted. */
function checkText({ texts }: BatchCounts, encoding: TextEncoding, { force }: Pick<LoadTarget, 'force'>): void {
  if (force) return;
  checkTexts(texts, encoding.name);
  encoding.check();
}

/** Degrees of an arc that a straight piece spans: it leaves 0.001 % of the radius. GDAL's own 4 degrees leave 3 m of one of 5 km. */
const ARC_STEP_DEGREES = '0.5';

/** A copy without curves, which is deleted with the object. */
function straightened({ path, options }: SourceFile, building: string): Disposable & { readonly path: string } {
  gdal.config.set('OGR_ARC_STEPSIZE', ARC_STEP_DEGREES);
  const copy = join(building, 'straight.gpkg');
  const source = openSource(path, options);
  gdal
    .vectorTranslate(copy, source.layer.ds, [
      '-of',
      'GPKG',
      '-nlt',
      'CONVERT_TO_LINEAR',
      '-overwrite',
      source.layer.name,
    ])
    .close();
  source.close();
  return {
    path: copy,
    [Symbol.dispose]: () => {
      rmSync(copy, { force: true });
    },
  };
}

/** Large enough that passing a batch to a thread is cheap, and small enough that several can be under way. */
const BATCH_FEATURES = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** gdal-async does not support curves: the file must be read from a copy with straight edges. */
class CurvedGeometry extends Error {}

/**
 * Reads the features of a layer in batches.
 * @throws CurvedGeometry; Error when a value does not fit its column.
 */
export function* readBatches(
  { layer, fields, encoding }: Pick<Source, 'layer' | 'fields' | 'encoding'>,
  columns: readonly Column[],
  map: FieldMap,
  dateField: string | null = null,
): Generator<RawBatch> {
  const readValues = valueReader(fields, columns, map, (text) => encoding.decode(text));
  const dateIndex = dateField === null ? null : fieldIndex(dateField, fields);
  let wkbs: Buffer[] = [];
  let values: Attribute[][] = [];
  let dates: (number | null)[] = [];
  let bytes = 0;
  for (const feature of featuresOf(layer)) {
    const wkb = wkbOf(feature);
    values.push(readValues(feature));
    wkbs.push(wkb);
    if (dateIndex !== null) dates.push(epochMs(feature.fields.get(dateIndex)));
    bytes += wkb.length;
    if (wkbs.length < BATCH_FEATURES && bytes < BATCH_BYTES) continue;
    yield batchOf(wkbs, values, dates);
    [wkbs, values, dates, bytes] = [[], [], [], 0];
  }
  if (wkbs.length > 0) yield batchOf(wkbs, values, dates);
}

function batchOf(wkbs: readonly Buffer[], values: RawBatch['values'], dates: readonly unknown[]): RawBatch {
  return { wkb: Buffer.concat(wkbs), sizes: wkbs.map(({ length }) => length), values, newestMs: newestOf(dates) };
}

function* featuresOf(layer: Gdal.Layer): Generator<Gdal.Feature> {
  let feature = layer.features.first() as Gdal.Feature | null;
  while (feature) {
    yield feature;
    feature.destroy();
    feature = layer.features.next();
  }
}

const noGeometry = Buffer.alloc(0);

/** Returns flat little-endian WKB; 0 bytes when the feature has no geometry. */
function wkbOf(feature: Gdal.Feature): Buffer {
  try {
    const geometry = feature.getGeometry();
    if (!geometry || geometry.isEmpty()) return noGeometry;
    geometry.flattenTo2D();
    return geometry.toWKB(gdal.wkbNDR);
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('unsupported geometry type'))
      throw new CurvedGeometry('curve', { cause });
    throw cause;
  }
}

type Chunks = Extract<DownloadedSource, { kind: 'chunks' }>;

/** Returns the files of a download, in the order of its features. */
export function chunkFiles({ folder, chunkCount }: Chunks): string[] {
  return Array.from({ length: chunkCount }, (_, i) => chunkFile(folder, i));
}

/**
 * Appends the features of a downloaded layer to the table.
 * @throws Error when a chunk is damaged, features are missing, or more than 5 % of them lie outside Ontario.
 */
export async function loadChunks(source: Chunks, names: FieldMap, target: LoadTarget): Promise<BatchCounts> {
  const { columns } = target.table;
  const crs = crsText(source.crs);
  const preparation = preparationOf(target, crs);
  const attributes = columns.map(({ name }) => names.get(name) ?? null);
  const constants = columns.map(({ name }) => source.constants[name] ?? null);
  const chunks = chunkFiles(source).map((file) => ({ file, attributes, constants }));
  const counts = await storePrepared(target.preparers.prepare(preparation, chunks, source.featureCount), target);
  if (counts.read !== source.featureCount) throw new Error(`holds ${counts.read} features, not ${source.featureCount}`);
  checkPlace(counts, crs, target);
  if (!target.force) checkTexts(counts.texts, 'UTF-8');
  return counts;
}
