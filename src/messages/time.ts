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

/** Whether a text is a day of the calendar, as `dayOf` writes it. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** Whether a day has begun nowhere on earth yet, so that no data can be of it. */
export function isToCome(day: string): boolean {
  return day > dayOf(Date.now() + 14 * HOUR_MS);
}

/** `2026-11`, UTC. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
