/**
 * Room for the short-lived objects of a worker thread. V8 would let it grow to 100 MB a thread, and a thread fills that before it looks what can
 * go: without the limit an import of 100,000 polygons took 1,027 MB on Node.js 24 instead of 600, and was no faster.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 12 } as const;
