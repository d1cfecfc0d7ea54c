import type { LoadKind } from '../pool/costly.ts';

/** The routes of lookups: they share key, limit, queue and bill. */
export const lookupPaths = ['/api/lookup', '/api/lookup/point', '/api/lookup/area'] as const;
export type LookupPath = (typeof lookupPaths)[number];

/** The route of the tools for agents, which look up too. */
export const mcpPath = '/mcp';

const refusable = [...lookupPaths, mcpPath] as const;

/**
 * Says which kind of lookup a URL asks for, before the body is read. One that says so in the body, such as a tool's, or in other spelling, counts as
 * plain until its task is known (`kindOf`).
 */
export function kindOfUrl(url: string): LoadKind {
  return /^\/api\/lookup\/area(\?|$)|[?&](geometry=(near|map)(&|$)|layers=)/.test(url) ? 'costly' : 'plain';
}

/** Returns the route that a URL without a host names, if its requests are refused for load before they are read; null for any other. */
export function refusablePathOf(url: string): (typeof refusable)[number] | null {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return refusable.find((known) => known === path) ?? null;
}
