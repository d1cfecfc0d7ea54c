import type { Coordinate } from '../../../src/shared/contract/lookup.ts';

/** Size of a cell in degrees: about 2.2 km in each direction in southern Ontario. */
const CELL_LAT = 0.02;
const CELL_LON = 0.028;

/** Cells in a row: more than Ontario is wide. */
const ROW = 1024;
const WEST = -96;

/** Returns the number of the cell that contains a point. */
export function cellOf({ lat, lon }: Coordinate): number {
  return Math.floor(lat / CELL_LAT) * ROW + Math.floor((lon - WEST) / CELL_LON);
}

/** Returns a cell and the eight around it. */
export function cellsAround(cell: number): number[] {
  return [-ROW, 0, ROW].flatMap((row) => [cell + row - 1, cell + row, cell + row + 1]);
}
