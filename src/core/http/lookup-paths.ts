import type { LoadKind } from '../pool/costly.ts';

/** The routes of lookups: they share key, limit, queue and bill. */
export const lookupPaths = ['/api/lookup', '/api/lookup/point', '/api/lookup/area'] as const;
export type LookupPath = (typeof lookupPaths)[number];

/**
 * Says which kind of lookup a URL asks for, before the body is read. One that says so in the body, such as a tool's, or in other spelling, counts as
 * plain until its task is known (`kindOf`).
 */
export function kindOfUrl(url: string): LoadKind {
  return /^\/api\/lookup\/area(\?|$)|[?&](geometry=(near|map)(&|$)|layers=)/.test(url) ? 'costly' : 'plain';
}

/** Returns which of some paths a URL without a host names; null for any other. */
export function pathOf(url: string, paths: readonly string[]): string | null {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return paths.find((known) => known === path) ?? null;
}
