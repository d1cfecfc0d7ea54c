/**
 * The cell index: a quadtree over Ontario whose leaves are rows of a GeoPackage attribute table (docs/cell-index.md).
 * This file holds everything that the builder and the reader must agree on.
 */
import type { Box } from '../../geometry/box.ts';
import type { FeatureChoice } from './feature-choice.ts';

/** Version of the format, raised whenever the meaning of a stored byte changes; a reader refuses other versions. */
export const CELL_FORMAT = 1;

/** Attribute tables in `land.gpkg`. */
export const tables = {
  header: 'cell_header',
  directory: 'cell_directory',
  leaf: 'cell_leaf',
  /** Attribute values. The table's name is part of the format and older than this word. */
  values: 'cell_answer',
  outline: 'cell_outline',
} as const;

/**
 * Square root cell in EPSG:3161 metres, which contains the province with its waters. With whole metres, the origins of
 * leaves are whole centimetres.
 */
export const ROOT = { x: 0, y: 11_600_000, size: 2_097_152 } as const;

/** The top of the tree is a flat grid of tiles, 2^7 by 2^7, each 16,384 m wide: the unit of work of a build. */
export const TILE_LEVEL = 7;
export const TILES_PER_SIDE = 2 ** TILE_LEVEL;
export const TILE_SIZE = ROOT.size / TILES_PER_SIDE;

/** Coordinates in a leaf are whole centimetres from its lower left corner. */
export const UNITS_PER_METRE = 100;

/** Directory chunks are rows of this many 32-bit numbers. */
export const DIRECTORY_CHUNK = 262_144;

/**
 * Attribute values that a thread keeps decoded per data set, a few hundred bytes each. Those of a data set with no more features are stored once,
 * in the table of values, because a thread soon knows all of them. A lookup reads about a dozen, most of them from such data sets. The cache is
 * cleared when it is full, because keeping LRU order would cost more than refilling it.
 */
export const CACHED_VALUES = 4096;

/** Returns the index's name for the edges of a data set's coverage, which are stored as lines beside the data sets. */
export const coverageEdgeOf = (dataSet: string): string => `edge of ${dataSet}`;

/** Returns the data set of such a name; null for any other name. */
export function dataSetOfCoverageEdge(name: string): string | null {
  const before = coverageEdgeOf('');
  return name.startsWith(before) ? name.slice(before.length) : null;
}

/** Content of the header row, as JSON. */
export interface CellHeader {
  readonly format: number;
  /** Data set ids by the index that leaves use. */
  readonly dataSets: readonly string[];
  /** Ground metres around a leaf within which it holds the data set's features. */
  readonly reachM: readonly number[];
  /** True when a leaf leaves out features that are too far away to be the nearest to any of its points. */
  readonly nearestOnly: readonly boolean[];
  /** Names of the attributes in an array of attribute values. */
  readonly fields: readonly (readonly string[])[];
  /** True when attribute values are texts in the leaf instead of rows of the table of values. */
  readonly inline: readonly boolean[];
  /**
   * The outline tree: where in the directory its grid begins, and by data set which features it has. Absent in an index of an earlier
   * version.
   */
  readonly outlines?: { readonly directoryStart: number; readonly dataSets: readonly (OutlinedDataSet | null)[] };
  /** How many of the data sets, the first ones, answers read that everybody gets; absent: all. */
  readonly plainSets?: number;
  readonly directoryLength: number;
  /** SHA-256 of the directory's bytes. */
  readonly directorySha256: string;
  readonly leaves: number;
}

/** Which features of a data set the outline tree has: those that count for some answer. */
export interface OutlinedDataSet {
  readonly choices: readonly FeatureChoice[];
  /** The attribute that maps show as the feature's label. */
  readonly labelField: string | null;
}

/** What the index holds of a data set. */
export interface IndexedDataSet {
  readonly id: string;
  /** Projection metres around a cell within which features matter to points of the cell. */
  readonly reachM: number;
  /** The part of `reachM` that answers need: an index with less lacks them. Absent: all of it. */
  readonly neededM?: number;
  /** Only the nearest feature matters, whichever it is. */
  readonly nearestOnly: boolean;
  /** Attributes that answers read, by name. */
  readonly fields: readonly string[];
  /**
   * True when attribute values are stored in each leaf with the feature, so that an answer needs no second read. Otherwise
   * they are stored once in the table of values: for data sets with few features, and for those of which a leaf has many features and an
   * answer reads only one.
   */
  readonly inline: boolean;
  /** Set for what maps show. */
  readonly outlined?: OutlinedDataSet | null;
  /** Set where nothing but further answers reads it: it stands behind the others in a leaf. */
  readonly further?: boolean;
  /** Set for edges of coverage: the data set to which the coverage belongs. Such an entry has no feature table. */
  readonly edgeOf?: string;
}

/** Kinds of entries in a leaf. */
export const entryKind = { full: 0, polygon: 1, line: 2, point: 3 } as const;
export type EntryKind = (typeof entryKind)[keyof typeof entryKind];

/**
 * Returns the four quadrants in the order of a directory node's entries: south-west, south-east, north-west,
 * north-east.
 */
export function quadrants({ minX, minY, maxX, maxY }: Box): readonly [Box, Box, Box, Box] {
  const midX = (minX + maxX) / 2;
  const midY = (minY + maxY) / 2;
  return [
    { minX, minY, maxX: midX, maxY: midY },
    { minX: midX, minY, maxX, maxY: midY },
    { minX, minY: midY, maxX: midX, maxY },
    { minX: midX, minY: midY, maxX, maxY },
  ];
}

/** Returns a box in centimetres. */
export function inUnits({ minX, minY, maxX, maxY }: Box): Box {
  return {
    minX: minX * UNITS_PER_METRE,
    minY: minY * UNITS_PER_METRE,
    maxX: maxX * UNITS_PER_METRE,
    maxY: maxY * UNITS_PER_METRE,
  };
}

/** Returns a box of centimetres in metres. */
export function inMetres({ minX, minY, maxX, maxY }: Box): Box {
  return {
    minX: minX / UNITS_PER_METRE,
    minY: minY / UNITS_PER_METRE,
    maxX: maxX / UNITS_PER_METRE,
    maxY: maxY / UNITS_PER_METRE,
  };
}

export function tileBox(tile: number): Box {
  const minX = ROOT.x + (tile % TILES_PER_SIDE) * TILE_SIZE;
  const minY = ROOT.y + Math.floor(tile / TILES_PER_SIDE) * TILE_SIZE;
  return { minX, minY, maxX: minX + TILE_SIZE, maxY: minY + TILE_SIZE };
}
