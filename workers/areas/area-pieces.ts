/** Divides an area among the leaves of the cell index: each piece has what can matter to it. */
import { type Box, boundsOfAll, isWithin, meets, grow } from '../geometry/box.ts';
import { clipPath } from '../geometry/clip.ts';
import { newFloats } from '../geometry/numbers.ts';
import { type Part, partOf } from '../geometry/ring.ts';
import { fromLambert } from '../geopackage/lambert.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import {
  entryKind,
  ROOT,
  TILE_SIZE,
  TILES_PER_SIDE,
  UNITS_PER_METRE,
  inMetres,
  dataSetOfCoverageEdge,
} from '../engine/cells/format.ts';
import type { LeafFeature } from '../engine/cells/leaf-reader.ts';
import type { ServedSnapshot } from '../engine/feature.ts';
import { type CellIndex, type WholeLeaf, setsRead } from '../engine/cells/open.ts';
import { type AreaFeature, clipRings } from './rings.ts';
import type { AreaPart } from './separation.ts';
import type Gdal from 'gdal-async';
import { gdal } from '../geopackage/gdal.ts';
import type { Attribute } from '../geopackage/attribute.ts';
import { type FlatGeometry, outlineOf, readWkb } from '../geopackage/flat-geometry.ts';
import { ownOf } from '../engine/views/reference-view.ts';

/** A piece of an area. Its coordinates are centimetres from a corner. */
export interface AreaPiece extends AreaPart {
  /** Projection metres per metre on the ground, in its middle. */
  readonly scale: number;
  /** Returns the features within `reachM` ground metres of the piece, and perhaps more, in the order of their ids. */
  features(table: string, reachM: number): readonly AreaFeature[];
  /** Does the same with every attribute, and where the index keeps the nearest features alone: it reads the feature table. */
  all(table: string, reachM: number): readonly AreaFeature[];
}

/** An area in projection metres. Outer rings are counterclockwise, holes clockwise. */
export interface ProjectedRings {
  readonly rings: readonly Part[];
  /** The same rings as paths that end where they begin. */
  readonly borders: readonly Part[];
}

/** Returns the pieces of an area where the index knows anything; one piece for all of it when there is no index. */
export function areaPieces(
  {
    snapshot,
    cells,
    further,
  }: Pick<ServedSnapshot, 'snapshot' | 'cells'> & {
    /** False where no further answer is asked for, whose data are then not read. */
    readonly further: boolean;
  },
  area: ProjectedRings,
): AreaPiece[] {
  if (!cells) return [wholePiece(snapshot, area)];
  const sets = setsRead(cells, further);
  const pieces: AreaPiece[] = [];
  const visit = (place: Square, given: Bounded): void => {
    const part = partIn(place, given);
    if (part === null) return;
    const below = contentOf(cells.directory, place);
    if (typeof below !== 'number') for (const quadrant of below) visit(quadrant, part);
    else if (below !== 0) {
      const { x, y, size } = place;
      pieces.push(new CellPiece(snapshot, { cells, leaf: cells.leaf({ x, y, size, leaf: below }, sets) }, place, part));
    }
  };
  visit({ x: ROOT.x, y: ROOT.y, size: ROOT.size, entry: null }, { ...area, bounds: boundsOfAll(area.rings) });
  return pieces;
}

interface Bounded extends ProjectedRings {
  readonly bounds: Box;
}

/** Returns what an area has in a square, null for nothing. */
function partIn({ x, y, size }: Square, area: Bounded): Bounded | null {
  const box = { minX: x, minY: y, maxX: x + size, maxY: y + size };
  if (!meets(area.bounds, box)) return null;
  // A parcel is in one square of most levels.
  if (isWithin(area.bounds, box)) return area;
  const rings = clipRings(area.rings, box);
  if (rings.length === 0) return null;
  return { rings, borders: area.borders.flatMap((path) => clipPath(path, box)), bounds: boundsOfAll(rings) };
}

/** A square of the tree: with an entry of the directory from the tiles on. */
interface Square {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly entry: number | null;
}

/** The row id of a leaf, 0 where there is none, or the four squares below. */
function contentOf(directory: Int32Array, { x, y, size, entry }: Square): number | readonly Square[] {
  const half = size / 2;
  if (entry === null && size === TILE_SIZE) {
    const [column, row] = [(x - ROOT.x) / TILE_SIZE, (y - ROOT.y) / TILE_SIZE];
    return contentOf(directory, { x, y, size, entry: directory[row * TILES_PER_SIDE + column]! });
  }
  if (entry !== null && entry >= 0) return entry;
  return [0, 1, 2, 3].map((i) => ({
    x: x + (i & 1) * half,
    y: y + (i >> 1) * half,
    size: half,
    entry: entry === null ? null : directory[-entry + i]!,
  }));
}

/** Returns the parts in centimetres from a corner. */
function inUnitsFrom({ x, y }: { readonly x: number; readonly y: number }, parts: readonly Part[]): Part[] {
  return parts.map(({ xy }) => {
    const inUnits = newFloats(xy.length);
    for (let i = 0; i < xy.length; i++) inUnits[i] = (xy[i]! - (i % 2 === 0 ? x : y)) * UNITS_PER_METRE;
    return partOf(inUnits);
  });
}

abstract class Piece implements AreaPiece {
  readonly rings: readonly Part[];
  readonly borders: readonly Part[];
  readonly box: Box;
  readonly scale: number;
  readonly #snapshot: Snapshot;
  readonly #corner: { readonly x: number; readonly y: number };
  readonly #tables = new Map<string, readonly AreaFeature[]>();

  constructor(snapshot: Snapshot, corner: { readonly x: number; readonly y: number }, area: ProjectedRings) {
    this.#snapshot = snapshot;
    this.#corner = corner;
    this.rings = inUnitsFrom(corner, area.rings);
    this.borders = inUnitsFrom(corner, area.borders);
    this.box = boundsOfAll(this.rings);
    const { minX, minY, maxX, maxY } = this.box;
    const [x, y] = [(minX + maxX) / 2 / UNITS_PER_METRE, (minY + maxY) / 2 / UNITS_PER_METRE];
    this.scale = fromLambert(corner.x + x, corner.y + y).scale;
  }

  abstract features(table: string, reachM: number): readonly AreaFeature[];

  all(table: string, reachM: number): readonly AreaFeature[] {
    const key = `${table} ${reachM}`;
    let features = this.#tables.get(key);
    if (!features) {
      features = featuresFromTable(this.#snapshot, table, {
        box: this.box,
        scale: this.scale,
        corner: this.#corner,
        reachM,
      });
      this.#tables.set(key, features);
    }
    return features;
  }
}

class TablePiece extends Piece {
  features(table: string, reachM: number): readonly AreaFeature[] {
    return this.all(table, reachM);
  }
}

function wholePiece(snapshot: Snapshot, area: ProjectedRings): AreaPiece {
  const { minX, minY } = boundsOfAll(area.rings);
  return new TablePiece(snapshot, { x: Math.floor(minX), y: Math.floor(minY) }, area);
}

const kinds = Object.fromEntries(Object.entries(entryKind).map(([kind, number]) => [number, kind])) as Readonly<
  Record<LeafFeature['kind'], AreaFeature['kind']>
>;

class CellPiece extends Piece {
  readonly #cells: CellIndex;
  readonly #leaf: WholeLeaf;
  readonly #sets = new Map<number, readonly AreaFeature[]>();

  constructor(
    snapshot: Snapshot,
    { cells, leaf }: { readonly cells: CellIndex; readonly leaf: WholeLeaf },
    corner: Pick<Square, 'x' | 'y'>,
    area: ProjectedRings,
  ) {
    super(snapshot, corner, area);
    this.#cells = cells;
    this.#leaf = leaf;
  }

  features(table: string, reachM: number): readonly AreaFeature[] {
    const set = this.#cells.sets.get(table);
    if (set === undefined || reachM > this.#cells.header.reachM[set]!) return this.all(table, reachM);
    let features = this.#sets.get(set);
    if (!features) {
      features = (this.#leaf.features.get(set) ?? []).map((found) => new FoundFeature(this.#leaf, found));
      this.#sets.set(set, features);
    }
    return features;
  }
}

class FoundFeature implements AreaFeature {
  readonly id: number;
  readonly kind: AreaFeature['kind'];
  readonly parts: readonly Part[];
  readonly #leaf: WholeLeaf;
  readonly #found: LeafFeature;
  #attributes: AreaFeature['attributes'] | undefined;

  constructor(leaf: WholeLeaf, found: LeafFeature) {
    this.id = found.fid;
    this.kind = kinds[found.kind];
    this.parts = found.parts;
    this.#leaf = leaf;
    this.#found = found;
  }

  /** Read on demand, because most features are only measured. */
  get attributes(): AreaFeature['attributes'] {
    return (this.#attributes ??= this.#leaf.attributes(this.#found));
  }
}

// Reads features near a part of an area from their table: the reference path of areas. Slow, and right without an index.

interface Near {
  /** Centimetres from the corner. */
  readonly box: Box;
  /** Projection metres. */
  readonly corner: { readonly x: number; readonly y: number };
  readonly scale: number;
  readonly reachM: number;
}

/** More than any rounding. */
const MARGIN_M = 1;

/** Returns the features of a table, or the edges of a data set's coverage, in the order of their ids. */
function featuresFromTable(snapshot: Snapshot, table: string, near: Near): readonly AreaFeature[] {
  const dataSet = dataSetOfCoverageEdge(table);
  if (dataSet === null)
    return ownOf(
      snapshot,
      table,
      read(snapshot.layer(table), near, (geometry) => geometry),
    );
  return read(snapshot.layer('coverage'), near, outlineOf).filter(
    ({ attributes }) => attributes['data_set'] === dataSet,
  );
}

function read(layer: Gdal.Layer, near: Near, shape: (geometry: FlatGeometry) => FlatGeometry): readonly AreaFeature[] {
  const { corner, scale, reachM } = near;
  const { minX, minY, maxX, maxY } = grow(inMetres(near.box), reachM * scale + MARGIN_M);
  layer.setSpatialFilter(corner.x + minX, corner.y + minY, corner.x + maxX, corner.y + maxY);
  const found: AreaFeature[] = [];
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (!geometry) return;
    const { kind, parts } = shape(readWkb(geometry.toWKB(gdal.wkbNDR)));
    const inUnits = parts.map(({ xy }) =>
      partOf(Float64Array.from(xy, (value, i) => (value - (i % 2 === 0 ? corner.x : corner.y)) * UNITS_PER_METRE)),
    );
    const attributes = feature.fields.toObject() as Record<string, Attribute>;
    found.push({ id: feature.fid, kind, parts: inUnits, attributes });
  });
  return found.sort((a, b) => a.id - b.id);
}
