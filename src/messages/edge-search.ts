/**
 * Metres beyond an answer's own reach within which edges are searched for the evidence; more than the uncertainty of any accuracy
 * class.
 */
export const EDGE_SEARCH_M = 250;
