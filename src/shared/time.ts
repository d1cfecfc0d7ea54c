export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Writes a time as file names have it: UTC, `yyyymmddThhmmssZ`. */
export function fileTime(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, '');
}
