export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Writes a time as file names have it: UTC, `yyyymmddThhmmssZ`. */
export function fileTime(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** `2026-11-30`, UTC. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `2026-11`, UTC. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
