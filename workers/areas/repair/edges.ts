/** The edges of an area's rings on a raster, where equal places have equal numbers and nearly all decisions are exact. */
import { newFloats, newInts } from '../../geometry/numbers.ts';

/** Steps per degree: one is at most 6.5 micrometres, far below any survey, and places stay whole numbers far below 2^53. */
export const STEPS_PER_DEGREE = 2 ** 34;

/** Flat, one number per edge; the edges of a ring follow one another. */
export interface Edges {
  readonly ax: Float64Array;
  readonly ay: Float64Array;
  readonly bx: Float64Array;
  readonly by: Float64Array;
  readonly ring: Int32Array;
  /** Where the edges of each ring begin, and last the number of all edges. */
  readonly starts: readonly number[];
}

/** Returns the edges of rings of degrees, without those that have no length on the raster. */
export function edgesOf(rings: readonly (readonly number[])[]): Edges {
  const most = rings.reduce((sum, ring) => sum + ring.length / 2, 0);
  const ax = newFloats(most);
  const ay = newFloats(most);
  const bx = newFloats(most);
  const by = newFloats(most);
  const ring = newInts(most);
  const starts = [0];
  let count = 0;
  for (const [number, degrees] of rings.entries()) {
    let x = onRaster(degrees[degrees.length - 2]!);
    let y = onRaster(degrees[degrees.length - 1]!);
    for (let i = 0; i < degrees.length; i += 2) {
      ax[count] = x;
      ay[count] = y;
      x = bx[count] = onRaster(degrees[i]!);
      y = by[count] = onRaster(degrees[i + 1]!);
      ring[count] = number;
      if (x !== ax[count] || y !== ay[count]) count++;
    }
    starts.push(count);
  }
  const used = (all: Float64Array): Float64Array => all.subarray(0, count);
  return { ax: used(ax), ay: used(ay), bx: used(bx), by: used(by), ring: ring.subarray(0, count), starts };
}

function onRaster(degrees: number): number {
  return Math.round(degrees * STEPS_PER_DEGREE);
}

/** Returns on which side of an edge a place lies: positive is left of it, 0 on its line or too near to tell. */
export function sideOf({ ax, ay, bx, by }: Edges, edge: number, x: number, y: number): number {
  const left = (bx[edge]! - ax[edge]!) * (y - ay[edge]!);
  const right = (by[edge]! - ay[edge]!) * (x - ax[edge]!);
  const side = left - right;
  return Math.abs(side) <= DOUBT * (Math.abs(left) + Math.abs(right)) ? 0 : side;
}

/** More than two products and their difference can be wrong by, as a share of the products. */
export const DOUBT = 2 ** -51;
