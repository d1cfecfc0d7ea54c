/**
 * The tree's inner nodes as one array of 32-bit numbers: first the grid of tiles, then nodes of four entries.
 * An entry is 0 (nothing there), the row id of a leaf, or minus the position of a node.
 */
import { ROOT, TILE_SIZE, TILES_PER_SIDE } from './format.ts';

/** Place of a leaf. */
export interface LeafPlace {
  /** Row id. */
  readonly leaf: number;
  /** Lower left corner in projection metres. */
  readonly x: number;
  readonly y: number;
  /** Width in metres. */
  readonly size: number;
}

/** Finds the leaf of a point, or null where no data set has anything within its reach. */
export function findLeaf(directory: Int32Array, x: number, y: number): LeafPlace | null {
  const column = Math.floor((x - ROOT.x) / TILE_SIZE);
  const row = Math.floor((y - ROOT.y) / TILE_SIZE);
  if (column < 0 || column >= TILES_PER_SIDE || row < 0 || row >= TILES_PER_SIDE) return null;
  let [minX, minY, size] = [ROOT.x + column * TILE_SIZE, ROOT.y + row * TILE_SIZE, TILE_SIZE];
  let entry = directory[row * TILES_PER_SIDE + column]!;
  while (entry < 0) {
    size /= 2;
    const east = x >= minX + size ? 1 : 0;
    const north = y >= minY + size ? 1 : 0;
    minX += east * size;
    minY += north * size;
    entry = directory[-entry + north * 2 + east]!;
  }
  return entry === 0 ? null : { leaf: entry, x: minX, y: minY, size };
}

/** Finds the leaves of which a square comes within a distance of a point. */
export function leavesAround(directory: Int32Array, x: number, y: number, radius: number): LeafPlace[] {
  const found: LeafPlace[] = [];
  const visit = (entry: number, minX: number, minY: number, size: number): void => {
    if (entry === 0 || !isNear(minX, minY, size)) return;
    if (entry > 0) {
      found.push({ leaf: entry, x: minX, y: minY, size });
      return;
    }
    const half = size / 2;
    visit(directory[-entry]!, minX, minY, half);
    visit(directory[-entry + 1]!, minX + half, minY, half);
    visit(directory[-entry + 2]!, minX, minY + half, half);
    visit(directory[-entry + 3]!, minX + half, minY + half, half);
  };
  const isNear = (minX: number, minY: number, size: number): boolean => {
    const dx = Math.max(minX - x, x - minX - size, 0);
    const dy = Math.max(minY - y, y - minY - size, 0);
    return dx * dx + dy * dy <= radius * radius;
  };
  const [firstColumn, lastColumn] = tilesBetween(x - radius - ROOT.x, x + radius - ROOT.x);
  const [firstRow, lastRow] = tilesBetween(y - radius - ROOT.y, y + radius - ROOT.y);
  for (let row = firstRow; row <= lastRow; row++) {
    for (let column = firstColumn; column <= lastColumn; column++) {
      const entry = directory[row * TILES_PER_SIDE + column]!;
      visit(entry, ROOT.x + column * TILE_SIZE, ROOT.y + row * TILE_SIZE, TILE_SIZE);
    }
  }
  return found;
}

/** First and last tile of a row or column between two distances from its beginning. */
function tilesBetween(from: number, to: number): readonly [number, number] {
  return [Math.max(0, Math.floor(from / TILE_SIZE)), Math.min(TILES_PER_SIDE - 1, Math.floor(to / TILE_SIZE))];
}
