import type { CountingRule } from '../../../src/catalogue/definition.ts';
import { addWords, type KnownWords, type WordCounts } from '../../../src/catalogue/known-words.ts';
import { addTexts, type TextCounts } from './broken-text.ts';
import type { Side } from '../../../src/catalogue/side-tables.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Column } from './feature-table.ts';
import type { GeometryFamily } from '../../geopackage/geometry-family.ts';

/** Settings for preparing features, the same for a whole file. */
export interface Preparation {
  readonly family: GeometryFamily;
  readonly columns: readonly Column[];
  /** Which features count. */
  readonly rules: readonly CountingRule[];
  readonly knownWords: KnownWords;
  /** Words that choose features for answers. */
  readonly filterWords: KnownWords;
  /** WKT with x (or longitude) first. */
  readonly crs: string;
  /** As in `repairGeometry`. */
  readonly nestedAreHoles: boolean;
}

/** Features as they were read. Geometries are stored one after another; 0 bytes mean no geometry. */
export interface RawBatch {
  readonly wkb: Uint8Array;
  readonly sizes: readonly number[];
  /** Per feature, in the order of the columns. */
  readonly values: readonly (readonly Attribute[])[];
  /** Newest value of the date field, in epoch milliseconds. */
  readonly newestMs: number | null;
}

/** Features that are ready to be stored, and counts of the others. */
export interface PreparedBatch {
  /** GeoPackage geometries, one after another. */
  readonly blobs: Uint8Array;
  readonly sizes: readonly number[];
  /** minX, minY, maxX, maxY of each. */
  readonly bounds: Float64Array;
  readonly values: readonly (readonly Attribute[])[];
  /** The table beside that of the data set to which each belongs; null for those that count. */
  readonly sides: readonly (Side | null)[];
  readonly counts: BatchCounts;
}

export interface BatchCounts {
  readonly read: number;
  readonly vertices: number;
  readonly repaired: number;
  /** Reason -> number of features left out. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly unknownWords: WordCounts;
  /** Of the words that choose features for answers. */
  readonly metWords: WordCounts;
  readonly texts: TextCounts;
  /** Number of features outside Ontario; many mean a wrong CRS. */
  readonly misplaced: number;
  /** Source coordinates of the first such feature. */
  readonly misplacedAt: string | null;
  /** As in the batch. */
  readonly newestMs: number | null;
}

export const noCounts: BatchCounts = {
  read: 0,
  vertices: 0,
  repaired: 0,
  dropped: {},
  unknownWords: {},
  metWords: {},
  texts: {},
  misplaced: 0,
  misplacedAt: null,
  newestMs: null,
};

export function addCounts(a: BatchCounts, b: BatchCounts): BatchCounts {
  const dropped = { ...a.dropped };
  for (const [reason, count] of Object.entries(b.dropped)) dropped[reason] = (dropped[reason] ?? 0) + count;
  return {
    read: a.read + b.read,
    vertices: a.vertices + b.vertices,
    repaired: a.repaired + b.repaired,
    dropped,
    unknownWords: addWords(a.unknownWords, b.unknownWords),
    metWords: addWords(a.metWords, b.metWords),
    texts: addTexts(a.texts, b.texts),
    misplaced: a.misplaced + b.misplaced,
    misplacedAt: a.misplacedAt ?? b.misplacedAt,
    newestMs: newer(a.newestMs, b.newestMs),
  };
}

/** Joins batches, one after another. */
export function joinBatches(parts: readonly PreparedBatch[]): PreparedBatch {
  return {
    blobs: Buffer.concat(parts.map(({ blobs }) => blobs)),
    sizes: parts.flatMap(({ sizes }) => sizes),
    bounds: Float64Array.from(parts.flatMap(({ bounds }) => [...bounds])),
    values: parts.flatMap(({ values }) => values),
    sides: parts.flatMap((part) => part.sides),
    counts: parts.reduce((sum, { counts }) => addCounts(sum, counts), noCounts),
  };
}

function newer(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
