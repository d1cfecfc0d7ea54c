import type Gdal from 'gdal-async';
import { gdal } from '../../geopackage/gdal.ts';
import { valueReader, type FieldMap } from '../features/attribute-values.ts';
import type { RawBatch } from '../features/batch.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Column } from '../features/feature-table.ts';
import { fieldIndex } from '../../../src/catalogue/source-field.ts';
import type { Source } from './open-source.ts';
import { epochMs, newestOf } from '../features/newest-date.ts';

/** Large enough that passing a batch to a thread is cheap, and small enough that several can be under way. */
const BATCH_FEATURES = 1000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** gdal-async does not support curves: the file must be read from a copy with straight edges. */
export class CurvedGeometry extends Error {}

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
