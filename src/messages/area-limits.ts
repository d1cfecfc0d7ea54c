/** What one lookup of an area may ask for. */

/** Positions of all rings; the last one, which repeats the first, does not count. */
export const MOST_VERTICES = 5000;
export const MOST_AREA_KM2 = 25;
/** Below this, the centimetres to which features are known make shares meaningless. */
export const LEAST_AREA_M2 = 1;
/** All rings together: bounds the work for slivers, which may be long and have no size. */
export const MOST_BORDER_KM = 1000;
