/**
 * Returns the newest of some dates in epoch milliseconds, without dates in the future, which are plans and not data.
 * Null when there is none.
 */
export function newestOf(dates: readonly unknown[]): number | null {
  const nowMs = Date.now();
  let newestMs: number | null = null;
  for (const ms of dates) if (typeof ms === 'number' && ms <= nowMs && ms > (newestMs ?? 0)) newestMs = ms;
  return newestMs;
}

/**
 * Converts a date of gdal-async to epoch milliseconds; null when it is not a date. Ignores the time zone, because only
 * the day counts.
 */
export function epochMs(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('year' in value)) return null;
  const { year, month = 1, day = 1, hour = 0, minute = 0 } = value as Partial<Record<string, number>>;
  return Date.UTC(year!, month - 1, day, hour, minute);
}
