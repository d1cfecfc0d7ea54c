/** What one lookup of an area may ask for. */

/** Positions of all rings; the last one, which repeats the first, does not count. */
export const MOST_VERTICES = 5000;
export const MOST_AREA_KM2 = 25;
/** Below this, the centimetres to which features are known make shares meaningless. */
export const LEAST_AREA_M2 = 1;
/**
 * What the JSON of an area may have: objects and arrays within each other, objects and arrays, values, and names and texts. A ring has at least three
 * positions and counts for one vertex less, so that all positions, rings and polygons within `MOST_VERTICES` are not more than two and a half times as
 * many. With three numbers in each, they have at most four and a half times as many values; 5,000 positions in one ring may have four numbers each. A number
 * of 64 bits needs at most 17 digits, so that three in each of 5,000 positions may have all of theirs.
 */
export const MOST_OF_AREA = {
  levels: 50,
  objectsAndArrays: 2.6 * MOST_VERTICES,
  values: 5 * MOST_VERTICES,
  texts: 1000,
  digits: 3 * 17 * MOST_VERTICES,
};
/** All rings together: bounds the work for slivers, which may be long and have no size. */
export const MOST_BORDER_KM = 1000;
