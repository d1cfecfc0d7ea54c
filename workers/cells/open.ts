/** Reads the cell index of a snapshot: a leaf by a point, an answer by its id. */
import { createHash } from 'node:crypto';
import type Gdal from 'gdal-async';
import { LRUCache } from 'lru-cache';
import type { Attribute } from '../reader/view.ts';
import type { Snapshot } from '../snapshot.ts';
import { findLeaf } from './directory.ts';
import { CELL_FORMAT, DIRECTORY_CHUNK, tables, UNITS_PER_METRE, type CellHeader } from './format.ts';
import { readLeaf, type LeafHit } from './leaf-reader.ts';

export type Attributes = Readonly<Record<string, Attribute>>;

export interface CellIndex {
  readonly header: CellHeader;
  /** Features in reach of a point, in projection metres; none where there is no leaf. @throws Error on damaged bytes. */
  hitsAt(x: number, y: number): readonly LeafHit[];
  attributes(answer: number): Attributes;
}

/** Answers kept decoded by a thread: a few hundred bytes each. */
const CACHED_ANSWERS = 20_000;

/**
 * The header and the directory as one block that threads share.
 * @throws Error when the index is of another format or the directory is not what was written.
 */
export function readDirectory(snapshot: Snapshot): SharedArrayBuffer {
  const header = readHeader(snapshot);
  const shared = new SharedArrayBuffer(header.directoryLength * Int32Array.BYTES_PER_ELEMENT);
  const bytes = new Uint8Array(shared);
  const chunks = snapshot.layer(tables.directory);
  const chunkBytes = DIRECTORY_CHUNK * Int32Array.BYTES_PER_ELEMENT;
  for (let id = 1, at = 0; at < bytes.length; id++, at += chunkBytes) bytes.set(rowBytes(chunks, id), at);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== header.directorySha256) throw new Error('the directory of the cell index is damaged');
  return shared;
}

export function openCells(snapshot: Snapshot, shared: SharedArrayBuffer): CellIndex {
  const directory = new Int32Array(shared);
  const leaves = snapshot.layer(tables.leaf);
  const answers = snapshot.layer(tables.answer);
  const cache = new LRUCache<number, Attributes>({ max: CACHED_ANSWERS });
  return {
    header: readHeader(snapshot),
    hitsAt(x, y) {
      const place = findLeaf(directory, x, y);
      if (!place) return [];
      const [unitsX, unitsY] = [(x - place.x) * UNITS_PER_METRE, (y - place.y) * UNITS_PER_METRE];
      return readLeaf(rowBytes(leaves, place.leaf), unitsX, unitsY);
    },
    attributes(answer) {
      let found = cache.get(answer);
      if (!found) cache.set(answer, (found = JSON.parse(rowBytes(answers, answer).toString('utf8')) as Attributes));
      return found;
    },
  };
}

function readHeader(snapshot: Snapshot): CellHeader {
  const header = JSON.parse(rowBytes(snapshot.layer(tables.header), 1).toString('utf8')) as CellHeader;
  if (header.format === CELL_FORMAT) return header;
  throw new Error(
    `the cell index has format ${header.format}, this version reads ${CELL_FORMAT}: import the layers again`,
  );
}

function rowBytes(layer: Gdal.Layer, id: number): Buffer {
  return layer.features.get(id).fields.get(0) as Buffer;
}
