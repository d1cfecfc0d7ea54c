/** The routes of lookups: they share key, limit, queue and bill. */
export const lookupPaths = ['/api/lookup', '/api/lookup/point', '/api/lookup/area'] as const;
export type LookupPath = (typeof lookupPaths)[number];

/** Returns the route of lookups that a URL without a host names; null for any other. */
export function lookupPathOf(url: string): LookupPath | null {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return lookupPaths.find((known) => known === path) ?? null;
}
