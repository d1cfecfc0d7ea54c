import type { LoadKind } from '../pool/lookup-pool.ts';

/**
 * Says which kind of lookup a URL asks for by its query, before the body is read. One that says so in the body, such as a tool's, or in other spelling,
 * counts as plain until its task is known (`kindOf`).
 */
export function kindOfUrl(url: string): LoadKind {
  return /[?&](geometry=(near|map)(&|$)|layers=)/.test(url) ? 'costly' : 'plain';
}

/** The path of a URL without a host. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
