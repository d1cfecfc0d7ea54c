/** Reads the cell index of a snapshot: a leaf by a point, an answer by its id. */
import { createHash } from 'node:crypto';
import type Gdal from 'gdal-async';
import type { Attribute } from '../reader/view.ts';
import type { Snapshot } from '../snapshot.ts';
import { findLeaf } from './directory.ts';
import { CELL_FORMAT, DIRECTORY_CHUNK, tables, UNITS_PER_METRE, type CellHeader } from './format.ts';
import { leafText, readLeaf, type LeafHit } from './leaf-reader.ts';
import type { IndexedDataSet } from './split.ts';

export type Attributes = Readonly<Record<string, Attribute>>;

export interface CellIndex {
  readonly header: CellHeader;
  /** Index of a data set in the header; undefined when the index does not hold it, or not what answers need of it. */
  setOf(dataSet: string): number | undefined;
  /** What the index holds of a point, in projection metres; null where there is no leaf. @throws Error on damaged bytes. */
  leafAt(x: number, y: number): LeafAtPoint | null;
}

/** A leaf as seen from a point. */
export interface LeafAtPoint {
  readonly hits: readonly LeafHit[];
  /** The attributes that answers read. */
  attributes(hit: LeafHit): Attributes;
}

/**
 * Of each data set a thread keeps so many answers decoded, a few hundred bytes each: all municipalities, few of the lots. A dozen are asked for
 * in each lookup, so the books of an LRU cache would cost more than to begin anew when it is full.
 */
const CACHED_ANSWERS = 1000;

/**
 * The header and the directory as one block that threads share.
 * @throws Error when the index is of another format or the directory is not what was written.
 */
export function readDirectory(snapshot: Snapshot): SharedArrayBuffer {
  const header = readHeader(snapshot);
  const shared = new SharedArrayBuffer(header.directoryLength * Int32Array.BYTES_PER_ELEMENT);
  const bytes = new Uint8Array(shared);
  const chunks = snapshot.layer(tables.directory).features;
  const chunkBytes = DIRECTORY_CHUNK * Int32Array.BYTES_PER_ELEMENT;
  for (let id = 1, at = 0; at < bytes.length; id++, at += chunkBytes) bytes.set(rowBytes(chunks, id), at);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== header.directorySha256) throw new Error('the directory of the cell index is damaged');
  return shared;
}

export interface CellSource {
  /** What `readDirectory` gave. */
  readonly directory: SharedArrayBuffer;
  /** What answers need of each data set. */
  readonly needed: readonly IndexedDataSet[];
}

export function openCells(snapshot: Snapshot, { directory: shared, needed }: CellSource): CellIndex {
  const directory = new Int32Array(shared);
  const leaves = snapshot.layer(tables.leaf).features;
  const answers = snapshot.layer(tables.answer).features;
  const header = readHeader(snapshot);
  const sets = usableSets(header, needed);
  // By the text of an answer where leaves hold it, else by its row.
  const caches = header.dataSets.map(() => new Map<string | number, Attributes>());
  const decoded = (set: number, answer: string | number): Attributes => {
    const cache = caches[set]!;
    let attributes = cache.get(answer);
    if (attributes === undefined) {
      const text = typeof answer === 'string' ? answer : rowBytes(answers, answer).toString('utf8');
      attributes = named(header.fields[set]!, JSON.parse(text) as Attribute[]);
      if (cache.size >= CACHED_ANSWERS) cache.clear();
      cache.set(answer, attributes);
    }
    return attributes;
  };
  return {
    header,
    setOf: (dataSet) => sets.get(dataSet),
    leafAt(x, y) {
      const place = findLeaf(directory, x, y);
      if (!place) return null;
      const bytes = rowBytes(leaves, place.leaf);
      const [unitsX, unitsY] = [(x - place.x) * UNITS_PER_METRE, (y - place.y) * UNITS_PER_METRE];
      return {
        hits: readLeaf(bytes, unitsX, unitsY),
        attributes: ({ set, answer }) => {
          if (answer === 0) return {};
          return decoded(set, header.inline[set]! ? leafText(bytes, answer) : answer);
        },
      };
    },
  };
}

/** An index that was built for older definitions may hold fewer attributes or a smaller reach than answers need now. */
function usableSets(header: CellHeader, needed: readonly IndexedDataSet[]): ReadonlyMap<string, number> {
  const usable = needed.flatMap(({ id, reachM, fields, nearestOnly }): [string, number][] => {
    const set = header.dataSets.indexOf(id);
    const isUsable =
      set >= 0 &&
      reachM <= header.reachM[set]! &&
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

function readHeader(snapshot: Snapshot): CellHeader {
  const header = JSON.parse(rowBytes(snapshot.layer(tables.header).features, 1).toString('utf8')) as CellHeader;
  if (header.format === CELL_FORMAT) return header;
  throw new Error(
    `the cell index has format ${header.format}, but this version reads ${CELL_FORMAT}: import the layers again`,
  );
}

function rowBytes(rows: Gdal.LayerFeatures, id: number): Buffer {
  return rows.get(id).fields.get(0) as Buffer;
}
