/**
 * New arrays of zeros, many of which share a buffer: one of its own takes a third of a microsecond to make and to collect, as long as all work on a
 * ring of a few vertices. Never send one to another thread, which would get the whole buffer.
 */

/** Numbers in a shared buffer. As long as one array of it is in use, all of it stays. */
const SHARED = 8192;

/** Longer arrays have a buffer of their own. */
const LONGEST_SHARED = SHARED / 16;

let floats = new Float64Array(SHARED);
let usedFloats = 0;
let ints = new Int32Array(SHARED);
let usedInts = 0;

export function newFloats(length: number): Float64Array {
  if (length > LONGEST_SHARED) return new Float64Array(length);
  if (usedFloats + length > SHARED) {
    floats = new Float64Array(SHARED);
    usedFloats = 0;
  }
  return floats.subarray(usedFloats, (usedFloats += length));
}

export function newInts(length: number): Int32Array {
  if (length > LONGEST_SHARED) return new Int32Array(length);
  if (usedInts + length > SHARED) {
    ints = new Int32Array(SHARED);
    usedInts = 0;
  }
  return ints.subarray(usedInts, (usedInts += length));
}
