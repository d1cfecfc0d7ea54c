/** Reads the cell index of a snapshot: a leaf by a point, attribute values by their row id. */
import { createHash } from 'node:crypto';
import type Gdal from 'gdal-async';
import type { Attribute, Attributes } from '../../geopackage/attribute.ts';
import type { ProjectedPoint } from '../../geopackage/lambert.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import { findLeaf, leavesAround, type LeafPlace } from './find-leaf.ts';
import { CACHED_VALUES, CELL_FORMAT, DIRECTORY_CHUNK, tables, UNITS_PER_METRE, type CellHeader } from './format.ts';
import { leafFeatures, type LeafFeature, leafText, readLeaf, type LeafHit } from './leaf-reader.ts';
import type { IndexedDataSet } from './format.ts';
import { surroundings, type NearHit, type SetReach } from './surroundings.ts';

export interface CellIndex {
  readonly header: CellHeader;
  /** Data set -> its index in the header; without those that the cell index lacks, or of which it lacks something that answers need. */
  readonly sets: ReadonlyMap<string, number>;
  /** The same for the edges of the area that a data set knows. */
  readonly edgeSets: ReadonlyMap<string, number>;
  /**
   * Reads the leaf of a point, which is given in projection metres; null where there is no leaf. `sets`: how many data sets it reads, the first ones.
   * @throws Error on damaged bytes.
   */
  leafAt(x: number, y: number, sets: number): LeafAtPoint | null;
  /** Inner nodes of the tree, for who walks it. */
  readonly directory: Int32Array;
  /** Reads a whole leaf, of so many data sets. @throws Error on damaged bytes. */
  leaf(place: LeafPlace, sets: number): WholeLeaf;
  /**
   * Reads all leaves within ground metres of a place. Features by data set, nearest first.
   * @param home what `leafAt` said of the place, for as many data sets.
   */
  around(
    at: ProjectedPoint,
    radiusM: number,
    known: { readonly home: LeafAtPoint | null; readonly sets: number },
  ): LeavesAround;
}

/** What the leaves around a point know. */
export interface LeavesAround {
  /** Returns the features of a data set, given by its index, nearest first. */
  hits(set: number): readonly NearHit[];
  attributes(hit: NearHit): Attributes;
}

/** All of a leaf. */
export interface WholeLeaf {
  /** By the index of the data set, in the order of feature ids. */
  readonly features: ReadonlyMap<number, readonly LeafFeature[]>;
  attributes(feature: LeafFeature): Attributes;
}

/** A leaf with its features' distances from a point. */
export interface LeafAtPoint {
  /** Row id. */
  readonly leaf: number;
  readonly bytes: Buffer;
  readonly hits: readonly LeafHit[];
  /** Returns the attributes that answers read. */
  attributes(hit: LeafHit): Attributes;
}

/**
 * Reads the inner nodes of the tree of leaves into one block that threads share.
 * @throws Error when the index has another format or its directory is damaged.
 */
export function readDirectory(snapshot: Snapshot): SharedArrayBuffer {
  const header = readHeader(snapshot);
  return readNodes(snapshot, header, [0, header.outlines?.directoryStart ?? header.directoryLength]);
}

/**
 * Reads the nodes of one of the trees, from one number of the directory to before another, into one block that threads share.
 * @throws Error when the directory is damaged.
 */
export function readNodes(
  snapshot: Snapshot,
  { directoryLength, directorySha256 }: CellHeader,
  [from, to]: readonly [number, number],
): SharedArrayBuffer {
  const bytes = new Uint8Array(directoryLength * Int32Array.BYTES_PER_ELEMENT);
  const chunks = snapshot.layer(tables.directory).features;
  const chunkBytes = DIRECTORY_CHUNK * Int32Array.BYTES_PER_ELEMENT;
  for (let id = 1, at = 0; at < bytes.length; id++, at += chunkBytes) bytes.set(rowBytes(chunks, id), at);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== directorySha256) throw new Error('the directory of the cell index is damaged');
  const shared = new SharedArrayBuffer((to - from) * Int32Array.BYTES_PER_ELEMENT);
  const [start, end] = [from, to].map((number) => number * Int32Array.BYTES_PER_ELEMENT);
  new Uint8Array(shared).set(bytes.subarray(start, end));
  return shared;
}

/** Returns the ground metres within which features of a table are found without reading the table. */
export function reachOf(cells: CellIndex | null, table: string): number {
  const set = cells?.sets.get(table);
  // Where there is no index of it, every lookup reads the table.
  return set === undefined ? Infinity : cells!.header.reachM[set]!;
}

/** Returns how many data sets are read for a lookup, the first ones: fewer where it asks for no further answers. */
export function setsRead({ header }: Pick<CellIndex, 'header'>, further: boolean): number {
  return further ? header.dataSets.length : (header.plainSets ?? header.dataSets.length);
}

/** @param directory the result of `readDirectory`. @param needed the needs of the answers, by data set. */
export function openCells(
  snapshot: Snapshot,
  { directory: shared, needed }: { directory: SharedArrayBuffer; needed: readonly IndexedDataSet[] },
): CellIndex {
  const directory = new Int32Array(shared);
  const leaves = snapshot.layer(tables.leaf).features;
  const valueRows = snapshot.layer(tables.values).features;
  const header = readHeader(snapshot);
  const sets = usableSets(header, needed);
  // Put together once: a lookup asks for each layer.
  const edgeSets = new Map<string, number>();
  for (const { id, edgeOf } of needed) if (edgeOf !== undefined && sets.has(id)) edgeSets.set(edgeOf, sets.get(id)!);
  // By the text of the values if leaves hold it, otherwise by their row.
  const caches = header.dataSets.map(() => new Map<string | number, Attributes>());
  const attributesIn = (bytes: Buffer, { set, valuesRef }: Pick<LeafHit, 'set' | 'valuesRef'>): Attributes => {
    if (valuesRef === 0) return {};
    const stored = header.inline[set]! ? leafText(bytes, valuesRef) : valuesRef;
    const cache = caches[set]!;
    let attributes = cache.get(stored);
    if (attributes === undefined) {
      const text = typeof stored === 'string' ? stored : rowBytes(valueRows, stored).toString('utf8');
      attributes = named(header.fields[set]!, JSON.parse(text) as Attribute[]);
      if (cache.size >= CACHED_VALUES) cache.clear();
      cache.set(stored, attributes);
    }
    return attributes;
  };
  const reachAt = (set: number, scale: number, radiusM: number): SetReach => {
    const reachM = header.reachM[set]!;
    return {
      reach: reachM * scale * UNITS_PER_METRE,
      nearestOnly: header.nearestOnly[set]!,
      // No view asks for more than the radius beyond the reach; a metre more than that, for rounding.
      most: (reachM + radiusM + 1) * scale * UNITS_PER_METRE,
    };
  };
  return {
    header,
    directory,
    sets,
    edgeSets,
    leaf(place, sets) {
      const bytes = rowBytes(leaves, place.leaf);
      return { features: leafFeatures(bytes, sets), attributes: (feature) => attributesIn(bytes, feature) };
    },
    around({ x, y, scale }, radiusM, { home, sets }) {
      const read = leavesAround(directory, x, y, radiusM * scale).map((place) => ({
        place,
        bytes: place.leaf === home?.leaf ? home.bytes : rowBytes(leaves, place.leaf),
      }));
      const features = surroundings(read, { x, y, home, sets }, (set) => reachAt(set, scale, radiusM));
      return {
        hits: (set) => features.hits(set),
        attributes: (hit) => attributesIn(hit.bytes, hit),
      };
    },
    leafAt(x, y, sets) {
      const place = findLeaf(directory, x, y);
      if (!place) return null;
      const bytes = rowBytes(leaves, place.leaf);
      const [unitsX, unitsY] = [(x - place.x) * UNITS_PER_METRE, (y - place.y) * UNITS_PER_METRE];
      return {
        leaf: place.leaf,
        bytes,
        hits: readLeaf(bytes, unitsX, unitsY, sets),
        attributes: (hit) => attributesIn(bytes, hit),
      };
    },
  };
}

/**
 * Finds the data sets that the index can answer. An index built for older definitions may have fewer attributes or a
 * smaller reach than answers need now.
 */
function usableSets(header: CellHeader, needed: readonly IndexedDataSet[]): ReadonlyMap<string, number> {
  const usable = needed.flatMap(({ id, reachM, neededM = reachM, fields, nearestOnly }): [string, number][] => {
    const set = header.dataSets.indexOf(id);
    const isUsable =
      set >= 0 &&
      neededM <= header.reachM[set]! &&
      (nearestOnly || !header.nearestOnly[set]!) &&
      fields.every((field) => header.fields[set]!.includes(field));
    return isUsable ? [[id, set]] : [];
  });
  return new Map(usable);
}

function named(fields: readonly string[], values: readonly Attribute[]): Attributes {
  const attributes: Record<string, Attribute> = {};
  fields.forEach((field, i) => (attributes[field] = values[i] ?? null));
  return attributes;
}

/** @throws Error when the index has another format. */
export function readHeader(snapshot: Snapshot): CellHeader {
  const header = JSON.parse(rowBytes(snapshot.layer(tables.header).features, 1).toString('utf8')) as CellHeader;
  if (header.format === CELL_FORMAT) return header;
  throw new Error(
    `the cell index has format ${header.format}, but this version reads ${CELL_FORMAT}: import the layers again`,
  );
}

/** Returns the bytes of a row. */
export function rowBytes(rows: Gdal.LayerFeatures, id: number): Buffer {
  return rows.get(id).fields.get(0) as Buffer;
}
