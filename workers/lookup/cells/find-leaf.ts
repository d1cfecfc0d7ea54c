/**
 * The tree's inner nodes as one array of 32-bit numbers: first the grid of tiles, then nodes of four entries.
 * An entry is 0 (nothing there), the row id of a leaf, or minus the position of a node.
 */
import { ROOT, TILE_SIZE, TILES_PER_SIDE } from './format.ts';

/** Place of a point's leaf. */
export interface LeafPlace {
  /** Row id. */
  readonly leaf: number;
  /** Lower left corner in projection metres. */
  readonly x: number;
  readonly y: number;
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
  return entry === 0 ? null : { leaf: entry, x: minX, y: minY };
}
