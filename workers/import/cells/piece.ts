/** The part of one feature in one cell, during the build of the index. */
import { grow, type Box } from '../../geometry/box.ts';
import { clipPath, clipRing, crossesInterior, isInside } from '../../geometry/clip.ts';
import { partOf, type Part, type Positions } from '../../geometry/ring.ts';
import type { FlatGeometry } from '../../geopackage/flat-geometry.ts';
import { entryKind, type EntryKind } from '../../engine/cells/format.ts';

export interface Piece {
  /** Index of the data set in the header. */
  readonly set: number;
  /** Row id of the feature table. */
  readonly fid: number;
  /** The attribute values that answers need: a row id of the table of attribute values, or the text to store in the leaf. */
  readonly valuesRef: number | string;
  readonly kind: EntryKind;
  /** Rings of a polygon, paths of a line, one part for points; none when the feature covers the whole cell. */
  readonly parts: readonly Part[];
}

/** A whole feature as a piece. */
export function pieceOf(feature: Pick<Piece, 'set' | 'fid' | 'valuesRef'>, { kind, parts }: FlatGeometry): Piece {
  return { ...feature, kind: entryKind[kind], parts };
}

/** Margin larger than any rounding, so that a feature that only touches a cell's border stays in the cell. Metres. */
const BORDER_M = 1;

/**
 * Clips a piece to a cell: returns its part within `reachM` projection metres of the cell, or null when there is none.
 * A polygon without an edge in the cell either covers it, and is stored without geometry, or is only near it.
 */
export function clipPiece(piece: Piece, cell: Box, reachM: number): Piece | null {
  const box = grow(cell, reachM + BORDER_M);
  switch (piece.kind) {
    case entryKind.full:
      return piece;
    case entryKind.polygon:
      return clipPolygon(piece, cell, box);
    case entryKind.line: {
      const parts = piece.parts.flatMap((path) => clipPath(path, box));
      return parts.length > 0 ? { ...piece, parts } : null;
    }
    case entryKind.point: {
      const kept = piece.parts.flatMap(({ xy }) => pointsIn(xy, box));
      return kept.length > 0 ? { ...piece, parts: [partOf(kept)] } : null;
    }
  }
}

function clipPolygon(piece: Piece, cell: Box, box: Box): Piece | null {
  const clipped = piece.parts.flatMap((ring) => clipRing(ring, box) ?? []);
  const x = (cell.minX + cell.maxX) / 2;
  const y = (cell.minY + cell.maxY) / 2;
  if (!clipped.some((ring) => crossesInterior(ring, cell)) && isInside(clipped, x, y)) {
    return { ...piece, kind: entryKind.full, parts: [] };
  }
  // Clipping turns a ring outside into one that only follows the border and encloses nothing.
  const parts = clipped.filter((ring) => crossesInterior(ring, box) || isInside([ring], x, y));
  return parts.some((ring) => crossesInterior(ring, box)) ? { ...piece, parts } : null;
}

function pointsIn(points: Positions, box: Box): number[] {
  const kept: number[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const x = points[i]!;
    const y = points[i + 1]!;
    if (x >= box.minX && x <= box.maxX && y >= box.minY && y <= box.maxY) kept.push(x, y);
  }
  return kept;
}

export function vertexCount(piece: Piece): number {
  return piece.parts.reduce((sum, part) => sum + part.xy.length / 2, 0);
}
