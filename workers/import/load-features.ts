import { join } from 'node:path';
import type Gdal from 'gdal-async';
import type { DataSetDefinition, FieldFilter } from '../../src/catalogue/definition.ts';
import { gdal } from '../gdal.ts';
import { mapFields, valueReader } from './attribute-values.ts';
import type { Attribute, FeatureWriter, TableDefinition } from './feature-table.ts';
import { crsName, openSource, type Source, type SourceOptions } from './open-source.ts';
import { geometryPreparer } from './prepare-geometry.ts';

/** One file of a data set, where GDAL finds it. */
export interface SourceFile {
  readonly path: string;
  readonly options: SourceOptions;
  /** The file's field name -> the definition's. */
  readonly rename: Readonly<Record<string, string>>;
}

/** What was counted while a file was loaded. */
export interface LoadCounts {
  readonly vertices: number;
  readonly repaired: number;
  /** Reason -> number of features left out. */
  readonly dropped: Readonly<Record<string, number>>;
}

export interface LoadTarget {
  readonly definition: Pick<DataSetDefinition, 'fields' | 'drop'>;
  readonly table: TableDefinition;
  readonly writer: Pick<FeatureWriter, 'count' | 'add' | 'truncate'>;
  /** Folder for scratch files. */
  readonly building: string;
  readonly onFeature: () => void;
}

/** A few features beyond the border are normal; more mean a wrong CRS or another area's file. */
const MOST_OUTSIDE = 0.05;

/** gdal-async cannot hold a curve; the file is read again from a copy with straight edges. */
class CurvedGeometry extends Error {}

/**
 * Appends the features of one file to the table.
 * @throws Error when the file ends early, or more than 5 % of its features lie outside Ontario.
 */
export function loadFeatures(file: SourceFile, target: LoadTarget): LoadCounts {
  const { count } = target.writer;
  try {
    return loadFile(file, target);
  } catch (cause) {
    if (!(cause instanceof CurvedGeometry)) throw cause;
    target.writer.truncate(count);
    return loadFile({ ...file, path: straightened(file, target.building) }, target);
  }
}

function loadFile(file: SourceFile, target: LoadTarget): LoadCounts {
  const source = openSource(file.path, file.options);
  try {
    return loadLayer(source, file, target);
  } finally {
    source.close();
  }
}

function loadLayer(source: Source, { rename }: SourceFile, target: LoadTarget): LoadCounts {
  const { definition, table, writer, onFeature } = target;
  const readValues = valueReader(source.layer, table.columns, mapFields(definition, rename, source.fields));
  const prepare = geometryPreparer(source.srs, table.family);
  const dropReason = dropTest(table, definition.drop);
  const dropped: Record<string, number> = {};
  const misplaced: string[] = [];
  let [read, vertices, repaired] = [0, 0, 0];

  for (const feature of featuresOf(source.layer)) {
    read++;
    onFeature();
    const values = readValues(feature);
    const prepared = prepare(geometryOf(feature));
    const reason = dropReason(values) ?? ('dropped' in prepared ? prepared.dropped : null);
    if ('dropped' in prepared && prepared.misplaced !== undefined) misplaced.push(prepared.misplaced);
    if (reason !== null) {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
    } else if ('stored' in prepared) {
      writer.add(prepared.stored, values);
      vertices += prepared.stored.vertexCount;
      repaired += Number(prepared.repaired);
    }
  }
  // GDAL ends a damaged file like a whole one; only the number of features tells.
  if (read !== source.featureCount)
    throw new Error(`is damaged or truncated: ${read} of ${source.featureCount} features could be read`);
  if (misplaced.length > read * MOST_OUTSIDE) throw new Error(misplacedText(misplaced, read, source));
  return { vertices, repaired, dropped };
}

function* featuresOf(layer: Gdal.Layer): Generator<Gdal.Feature> {
  let feature = layer.features.first() as Gdal.Feature | null;
  while (feature) {
    yield feature;
    feature.destroy();
    feature = layer.features.next();
  }
}

function geometryOf(feature: Gdal.Feature): Gdal.Geometry | null {
  try {
    return feature.getGeometry();
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('unsupported geometry type'))
      throw new CurvedGeometry('curve', { cause });
    throw cause;
  }
}

/** Why the definition leaves a feature out, or null. */
function dropTest(
  table: TableDefinition,
  filter: FieldFilter | undefined,
): (values: readonly Attribute[]) => string | null {
  const index = filter ? table.columns.findIndex((column) => column.name === filter.field) : -1;
  if (!filter || index < 0) return () => null;
  return (values) => {
    const value = values[index];
    if (value === null || value === undefined || !filter.values.includes(String(value))) return null;
    return `${filter.field} is "${value}"`;
  };
}

function misplacedText(misplaced: readonly string[], read: number, { srs }: Source): string {
  return (
    `${misplaced.length} of ${read} features lie outside Ontario when coordinates such as ${misplaced[0]} are read as ` +
    `${crsName(srs)}: give the right CRS as "crs", or choose Ontario's features with "where"`
  );
}

function straightened({ path, options }: SourceFile, building: string): string {
  const copy = join(building, 'straight.gpkg');
  const source = openSource(path, options);
  const dataset = source.layer.ds;
  gdal
    .vectorTranslate(copy, dataset, ['-of', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-overwrite', source.layer.name])
    .close();
  source.close();
  return copy;
}
