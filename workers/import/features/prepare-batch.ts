import { gdal } from '../../geopackage/gdal.ts';
import { genuine } from '../../geopackage/spatial-reference.ts';
import { joinBatches, type BatchCounts, type Preparation, type PreparedBatch, type RawBatch } from './batch.ts';
import { readChunk, type ChunkInput } from './read-chunk.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { MeasuredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { geometryPreparer, type GeometryPreparer } from './prepare-geometry.ts';

/** The preparer of the last file, kept because making one costs milliseconds and a file has many batches. */
let last: { readonly key: string; readonly prepare: GeometryPreparer } | undefined;

/** Input of one step: features that were read, or a chunk that is still to be read. */
export type PrepareInput = RawBatch | ChunkInput;

/** Reads the input if necessary, then filters, repairs and projects its features. */
export function prepareInput(preparation: Preparation, input: PrepareInput): PreparedBatch {
  if (!('file' in input)) return prepareBatch(preparation, input);
  const parts: PreparedBatch[] = [];
  for (const batch of readChunk(input, preparation.columns)) parts.push(prepareBatch(preparation, batch));
  return joinBatches(parts);
}

/** Filters, repairs and projects the features of a batch. */
function prepareBatch(preparation: Preparation, batch: RawBatch): PreparedBatch {
  const prepare = preparerOf(preparation);
  const dropReason = dropTest(preparation);
  const kept: MeasuredGeometry[] = [];
  const values: (readonly Attribute[])[] = [];
  const dropped: Record<string, number> = {};
  let [offset, vertices, repaired, misplaced] = [0, 0, 0, 0];
  let misplacedAt: string | null = null;

  batch.sizes.forEach((size, i) => {
    const attributes = batch.values[i]!;
    const unwanted = dropReason(attributes);
    const prepared =
      unwanted === null ? prepare(size === 0 ? null : geometryAt(batch.wkb, offset, size)) : { dropped: unwanted };
    offset += size;
    if ('stored' in prepared) {
      kept.push(prepared.stored);
      values.push(attributes);
      vertices += prepared.stored.vertexCount;
      repaired += Number(prepared.repaired);
      return;
    }
    dropped[prepared.dropped] = (dropped[prepared.dropped] ?? 0) + 1;
    if ('misplacedAt' in prepared) {
      misplaced++;
      misplacedAt ??= prepared.misplacedAt;
    }
  });
  return packed(kept, values, {
    read: batch.sizes.length,
    vertices,
    repaired,
    dropped,
    misplaced,
    misplacedAt,
    newestMs: batch.newestMs,
  });
}

function packed(
  kept: readonly MeasuredGeometry[],
  values: PreparedBatch['values'],
  counts: BatchCounts,
): PreparedBatch {
  return {
    blobs: Buffer.concat(kept.map(({ blob }) => blob)),
    sizes: kept.map(({ blob }) => blob.length),
    bounds: Float64Array.from(kept.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY])),
    values,
    counts,
  };
}

function geometryAt(wkb: Uint8Array, offset: number, size: number) {
  return gdal.Geometry.fromWKB(Buffer.from(wkb.buffer, wkb.byteOffset + offset, size));
}

function preparerOf({ crs, family }: Preparation): GeometryPreparer {
  const key = `${family} ${crs}`;
  if (last?.key !== key)
    last = {
      key,
      prepare: geometryPreparer(
        genuine(() => gdal.SpatialReference.fromWKT(crs)),
        family,
      ),
    };
  return last.prepare;
}

/** Returns a test that says why the definition leaves a feature out, or null. */
function dropTest({ columns, drop }: Preparation): (values: readonly Attribute[]) => string | null {
  const filters = drop.map((filter) => ({ ...filter, index: columns.findIndex(({ name }) => name === filter.field) }));
  return (values) => {
    const filter = filters.find(({ index, values: unwanted }) => unwanted.includes(String(values[index] ?? '')));
    return filter ? `${filter.field} is "${values[filter.index]}"` : null;
  };
}
