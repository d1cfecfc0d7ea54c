/**
 * Memory for the short-lived objects of a worker thread. Without a limit V8 lets it grow to 100 MB per thread, and a
 * thread fills it before it collects garbage: an import of 100,000 polygons took 1,027 MB on Node.js 24 instead of 600,
 * and was no faster.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 12 } as const;
