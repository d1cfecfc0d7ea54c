import type { Coordinate } from '../../../src/messages/lookup.ts';

/** Size of a square of the grid in degrees: about 2.2 km each way in southern Ontario. */
const SQUARE_LAT = 0.02;
const SQUARE_LON = 0.028;

/** Squares in a row: more than Ontario is wide. */
const ROW = 1024;
const WEST = -96;

/** Number of the square that holds a point. */
export function squareOf({ lat, lon }: Coordinate): number {
  return Math.floor(lat / SQUARE_LAT) * ROW + Math.floor((lon - WEST) / SQUARE_LON);
}

/** A square and the eight around it. */
export function squaresAround(square: number): number[] {
  return [-ROW, 0, ROW].flatMap((row) => [square + row - 1, square + row, square + row + 1]);
}
