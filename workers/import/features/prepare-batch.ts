import { gdal } from '../../geopackage/gdal.ts';
import { genuine } from '../../geopackage/spatial-reference.ts';
import { joinBatches, type BatchCounts, type Preparation, type PreparedBatch, type RawBatch } from './batch.ts';
import { readChunk, type ChunkInput } from './read-chunk.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { MeasuredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { judge, wordOf } from '../../../src/catalogue/counting.ts';
import { WordCounter } from '../../../src/catalogue/known-words.ts';
import type { Side } from '../../../src/catalogue/side-tables.ts';
import { TextCounter } from './broken-text.ts';
import { hasFiniteCoordinates } from './finite-coordinates.ts';
import { geometryPreparer, NO_NUMBER, type GeometryPreparer, type PreparedGeometry } from './prepare-geometry.ts';

/** The preparer of the last file, kept because making one costs milliseconds and a file has many batches. */
let last: { readonly key: string; readonly prepare: GeometryPreparer } | undefined;

/** Input of one step: features that were read, or a chunk that is still to be read. */
export type PrepareInput = RawBatch | ChunkInput;

/** Reads the input if necessary, then judges, repairs and projects its features. */
export function prepareInput(preparation: Preparation, input: PrepareInput): PreparedBatch {
  if (!('file' in input)) return prepareBatch(preparation, input);
  const parts: PreparedBatch[] = [];
  for (const batch of readChunk(input, preparation.columns)) parts.push(prepareBatch(preparation, batch));
  return joinBatches(parts);
}

/** Judges, repairs and projects the features of a batch. */
function prepareBatch(preparation: Preparation, batch: RawBatch): PreparedBatch {
  const prepare = preparerOf(preparation);
  const words = new WordCounter(preparation.columns, preparation.knownWords, preparation.filterWords);
  const texts = new TextCounter(preparation.columns);
  const judgeFeature = judging(preparation, words);
  const kept: Kept[] = [];
  const dropped: Record<string, number> = {};
  let [offset, vertices, repaired, misplaced] = [0, 0, 0, 0];
  let misplacedAt: string | null = null;

  batch.sizes.forEach((size, i) => {
    const values = batch.values[i]!;
    const readable = texts.read(values);
    words.count(values);
    const { side, unwanted } = judgeFeature(values);
    const prepared =
      unwanted === null ? prepareWkb(prepare, batch.wkb.subarray(offset, offset + size)) : { dropped: unwanted };
    offset += size;
    if ('stored' in prepared) {
      kept.push({ geometry: prepared.stored, values: readable, side });
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
  return packed(kept, {
    ...{
      read: batch.sizes.length,
      vertices,
      repaired,
      dropped,
      unknownWords: words.counts,
      metWords: words.met,
      texts: texts.counts,
    },
    ...{ misplaced, misplacedAt, newestMs: batch.newestMs },
  });
}

interface Kept {
  readonly geometry: MeasuredGeometry;
  readonly values: readonly Attribute[];
  readonly side: Side | null;
}

function packed(kept: readonly Kept[], counts: BatchCounts): PreparedBatch {
  const geometries = kept.map(({ geometry }) => geometry);
  return {
    blobs: Buffer.concat(geometries.map(({ blob }) => blob)),
    sizes: geometries.map(({ blob }) => blob.length),
    bounds: Float64Array.from(geometries.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY])),
    values: kept.map(({ values }) => values),
    sides: kept.map(({ side }) => side),
    counts,
  };
}

function prepareWkb(prepare: GeometryPreparer, bytes: Uint8Array): PreparedGeometry {
  if (bytes.length === 0) return prepare(null);
  const wkb = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return hasFiniteCoordinates(wkb) ? prepare(gdal.Geometry.fromWKB(wkb)) : { dropped: NO_NUMBER };
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

interface Judgement {
  /** Why the definition leaves the feature out; null when it does not. */
  readonly unwanted: string | null;
  readonly side: Side | null;
}

const counting: Judgement = { unwanted: null, side: null };

/** Returns a function that judges features by the definition's rules. */
function judging({ columns, rules }: Preparation, words: WordCounter): (values: readonly Attribute[]) => Judgement {
  if (rules.length === 0) return () => counting;
  const indexes = new Map(columns.map(({ name }, i) => [name, i]));
  return (values) => {
    const valueOf = (field: string): Attribute => values[indexes.get(field) ?? -1] ?? null;
    const { standing, field } = judge(rules, valueOf, words.addFromRules);
    if (standing === 'yes') return counting;
    if (standing !== 'no') return { unwanted: null, side: standing };
    return { unwanted: `${field} is "${wordOf(valueOf(field!))}"`, side: null };
  };
}
