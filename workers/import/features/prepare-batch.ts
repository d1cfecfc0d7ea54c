import { gdal } from '../../geopackage/gdal.ts';
import { genuine } from '../../geopackage/spatial-reference.ts';
import { type BatchCounts, type Preparation, type PreparedBatch, type RawBatch, joinBatches } from './batch.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import {
  type MeasuredGeometry,
  COUNT_BYTES,
  HEADER_BYTES,
  POSITION_BYTES,
  wkbType,
} from '../../geopackage/gpkg-geometry.ts';
import { judge, wordOf } from '../../../src/catalogue/counting.ts';
import { WordCounter } from '../../../src/catalogue/known-words.ts';
import type { Side } from '../../../src/catalogue/side-tables.ts';
import { TextCounter } from './broken-text.ts';
import {
  type GeometryPreparer,
  type PreparedGeometry,
  geometryPreparer,
  NO_NUMBER,
  SURFACES,
} from './prepare-geometry.ts';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  type DownloadedFeature,
  type GeoJsonGeometry,
  type Position,
  effectiveField,
} from '../../../src/messages/import.ts';
import { convert, newestOf } from './attribute-values.ts';
import type { Column } from './feature-table.ts';

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
    read: batch.sizes.length,
    vertices,
    repaired,
    dropped,
    unknownWords: words.counts,
    metWords: words.met,
    texts: texts.counts,
    misplaced,
    misplacedAt,
    newestMs: batch.newestMs,
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
  const found = { shortParts: false };
  return hasFiniteCoordinates(wkb, found)
    ? prepare(gdal.Geometry.fromWKB(wkb), found.shortParts)
    : { dropped: NO_NUMBER };
}

function preparerOf({ crs, family, nestedAreHoles }: Preparation): GeometryPreparer {
  const key = `${family} ${nestedAreHoles} ${crs}`;
  if (last?.key !== key)
    last = {
      key,
      prepare: geometryPreparer(
        genuine(() => gdal.SpatialReference.fromWKT(crs)),
        family,
        nestedAreHoles,
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

const WKB_COLLECTION = 7;

/**
 * Says whether every coordinate of flat little-endian WKB is a finite number. GEOS's repair leaves out a ring that has another, and the area is then
 * another one. Notes whether a ring or a line has fewer than two positions.
 * @throws Error for surfaces of several faces.
 */
export function hasFiniteCoordinates(wkb: Buffer, found = { shortParts: false }): boolean {
  const isEmptyPoint = wkb.readUInt32LE(1) === wkbType.Point && isNowhere(wkb, HEADER_BYTES);
  return isEmptyPoint || end(wkb, 0, found) !== null;
}

/** What a look at the coordinates of a geometry has shown besides. */
interface Found {
  shortParts: boolean;
}

/** Returns the offset after the geometry that begins at `offset`; null when it has a coordinate that is not finite. */
function end(wkb: Buffer, offset: number, found: Found): number | null {
  const type = wkb.readUInt32LE(offset + 1);
  let at: number | null = offset + HEADER_BYTES;
  if (type === wkbType.Point) return endOfPositions(wkb, at, 1);
  const count = wkb.readUInt32LE(at);
  at += COUNT_BYTES;
  if (type === wkbType.LineString) return endOfPart(wkb, at - COUNT_BYTES, found);
  if (type > WKB_COLLECTION) throw new Error(SURFACES);
  for (let i = 0; i < count && at !== null; i++)
    at = type === wkbType.Polygon ? endOfPart(wkb, at, found) : end(wkb, at, found);
  return at;
}

function endOfPart(wkb: Buffer, offset: number, found: Found): number | null {
  const positions = wkb.readUInt32LE(offset);
  if (positions < 2) found.shortParts = true;
  return endOfPositions(wkb, offset + COUNT_BYTES, positions);
}

/** A point that is empty is written so. */
function isNowhere(wkb: Buffer, at: number): boolean {
  return Number.isNaN(wkb.readDoubleLE(at)) && Number.isNaN(wkb.readDoubleLE(at + 8));
}

function endOfPositions(wkb: Buffer, offset: number, count: number): number | null {
  const to = offset + count * POSITION_BYTES;
  for (let at = offset; at < to; at += 8) if (isNotFinite(wkb, at)) return null;
  return to;
}

/** The exponent of infinities and of NaN has all bits set; reading doubles takes three times as long. */
function isNotFinite(wkb: Buffer, at: number): boolean {
  return (wkb[at + 7]! & 0x7f) === 0x7f && (wkb[at + 6]! & 0xf0) === 0xf0;
}

/** One chunk of a download. */
interface ChunkInput {
  readonly file: string;
  /** For each column, the attribute that fills it; null when the layer has none. */
  readonly attributes: readonly (string | null)[];
  /** For each column, a constant value for all features, or null. */
  readonly constants?: readonly (string | null)[];
}

/** Yields the features of a chunk in batches. */
export function* readChunk(
  { file, attributes, constants }: ChunkInput,
  columns: readonly Column[],
): Generator<RawBatch> {
  const text = gunzipSync(readFileSync(file)).toString('utf8');
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const features = JSON.parse(line) as DownloadedFeature[];
    const wkbs = features.map(({ geometry }) => toWkb(geometry));
    const values = features.map((feature) =>
      columns.map((column, i) => {
        const name = attributes[i] ?? null;
        const constant = constants?.[i] ?? null;
        return name === null || constant !== null ? constant : convert(feature.attributes[name], column, 'a feature');
      }),
    );
    yield {
      wkb: Buffer.concat(wkbs),
      sizes: wkbs.map(({ length }) => length),
      values,
      newestMs: newestOf(features.map(({ attributes }) => attributes[effectiveField])),
    };
  }
}

/**
 * Converts a GeoJSON geometry to flat little-endian WKB; 0 bytes when there is none. GDAL's own reader is ten times
 * slower.
 */
export function toWkb(geometry: GeoJsonGeometry | null): Buffer {
  if (!geometry || geometry.coordinates.length === 0) return Buffer.alloc(0);
  const buffer = Buffer.allocUnsafe(sizeOf(geometry));
  write(buffer, 0, geometry);
  return buffer;
}

function sizeOf(geometry: GeoJsonGeometry): number {
  switch (geometry.type) {
    case 'Point':
      return HEADER_BYTES + POSITION_BYTES;
    case 'LineString':
      return HEADER_BYTES + COUNT_BYTES + geometry.coordinates.length * POSITION_BYTES;
    case 'Polygon':
      return (
        HEADER_BYTES + COUNT_BYTES + sum(geometry.coordinates, (ring) => COUNT_BYTES + ring.length * POSITION_BYTES)
      );
    default:
      return HEADER_BYTES + COUNT_BYTES + sum(partsOf(geometry), sizeOf);
  }
}

/** Writes a geometry and returns the offset after it. */
function write(buffer: Buffer, offset: number, geometry: GeoJsonGeometry): number {
  buffer.writeUInt8(1, offset);
  buffer.writeUInt32LE(wkbType[geometry.type], offset + 1);
  let at = offset + HEADER_BYTES;
  switch (geometry.type) {
    case 'Point':
      return writePositions(buffer, at, [geometry.coordinates]);
    case 'LineString':
      return writeCounted(buffer, at, geometry.coordinates);
    case 'Polygon':
      at = buffer.writeUInt32LE(geometry.coordinates.length, at);
      for (const ring of geometry.coordinates) at = writeCounted(buffer, at, ring);
      return at;
    default: {
      const parts = partsOf(geometry);
      at = buffer.writeUInt32LE(parts.length, at);
      for (const part of parts) at = write(buffer, at, part);
      return at;
    }
  }
}

function partsOf(geometry: Extract<GeoJsonGeometry, { type: `Multi${string}` }>): GeoJsonGeometry[] {
  switch (geometry.type) {
    case 'MultiPoint':
      return geometry.coordinates.map((coordinates) => ({ type: 'Point', coordinates }));
    case 'MultiLineString':
      return geometry.coordinates.map((coordinates) => ({ type: 'LineString', coordinates }));
    case 'MultiPolygon':
      return geometry.coordinates.map((coordinates) => ({ type: 'Polygon', coordinates }));
  }
}

function writeCounted(buffer: Buffer, offset: number, positions: readonly Position[]): number {
  return writePositions(buffer, buffer.writeUInt32LE(positions.length, offset), positions);
}

/** Leaves out heights. A missing coordinate, which a chunk has as null, becomes NaN: the feature is then left out. */
function writePositions(buffer: Buffer, offset: number, positions: readonly Position[]): number {
  let at = offset;
  for (const [x, y] of positions as readonly (readonly (number | null | undefined)[])[])
    at = buffer.writeDoubleLE(y ?? NaN, buffer.writeDoubleLE(x ?? NaN, at));
  return at;
}

function sum<T>(items: readonly T[], size: (item: T) => number): number {
  return items.reduce((total, item) => total + size(item), 0);
}
