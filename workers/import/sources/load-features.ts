import { join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { gdal } from '../../geopackage/gdal.ts';
import { checkTexts } from '../features/broken-text.ts';
import { mapFields } from '../features/attribute-values.ts';
import { wordsOfFilters } from '../../../src/catalogue/filter-words.ts';
import type { KnownWords } from '../../../src/catalogue/known-words.ts';
import { addCounts, noCounts, type BatchCounts, type Preparation, type PreparedBatch } from '../features/batch.ts';
import type { TableDefinition } from '../features/feature-table.ts';
import type { Writers } from '../features/side-writers.ts';
import { crsName, openSource, type Source, type SourceOptions } from './open-source.ts';
import type { TextEncoding } from './text-encoding.ts';
import type { Preparers } from '../features/preparers.ts';
import { NO_NUMBER } from '../features/prepare-geometry.ts';
import { CurvedGeometry, readBatches } from './read-batches.ts';

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
    return loadFile({ ...file, path: straightened(file, target.building) }, target);
  }
}

async function loadFile(file: SourceFile, target: LoadTarget): Promise<BatchCounts> {
  const source = openSource(file.path, file.options);
  try {
    const counts = await loadLayer(source, file, target);
    // GDAL does not report a damaged file; only the number of features shows the damage.
    if (counts.read !== source.featureCount)
      throw new Error(`is damaged or truncated: ${counts.read} of ${source.featureCount} features could be read`);
    checkPlace(counts, source.crs, target);
    checkText(counts, source.encoding, target);
    return counts;
  } finally {
    source.close();
  }
}

async function loadLayer(source: Source, { rename, dateField }: SourceFile, target: LoadTarget): Promise<BatchCounts> {
  const { definition, table, preparers } = target;
  const preparation = preparationOf(target, source.crs);
  const batches = readBatches(source, table.columns, mapFields(definition, rename, source.fields), dateField);
  return storePrepared(preparers.prepare(preparation, batches, source.featureCount), target);
}

export function preparationOf({ definition, table, knownWords }: LoadTarget, crs: string): Preparation {
  const { columns, family } = table;
  const filterWords = wordsOfFilters(definition.filters ?? []);
  return { crs, family, columns, rules: definition.counts ?? [], knownWords, filterWords };
}

/** Writes features as they become ready, in the order of the source. */
export async function storePrepared(
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

/** @throws Error when too many features lie outside Ontario, or nowhere, unless that is accepted. */
export function checkPlace(
  { misplaced, misplacedAt, read, dropped }: BatchCounts,
  crs: string,
  { force }: Pick<LoadTarget, 'force'>,
): void {
  const broken = dropped[NO_NUMBER] ?? 0;
  if (!force && broken > read * MOST_OUTSIDE) throw new Error(`${broken} of ${read} features have ${NO_NUMBER}`);
  if (force || misplaced <= read * MOST_OUTSIDE) return;
  throw new Error(
    `${misplaced} of ${read} features lie outside Ontario when coordinates such as ${misplacedAt} are read as ` +
      `${crsName(crs)}: give the right CRS as "crs", or choose Ontario's features with "where"`,
  );
}

/** @throws Error when too much of the text is not valid in its encoding, or it is in another one, unless that is accepted. */
function checkText({ texts }: BatchCounts, encoding: TextEncoding, { force }: Pick<LoadTarget, 'force'>): void {
  if (force) return;
  checkTexts(texts, encoding.name);
  encoding.check();
}

function straightened({ path, options }: SourceFile, building: string): string {
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
  return copy;
}
