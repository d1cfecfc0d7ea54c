import type { SourcePart } from './sources.ts';

/** What reports and snapshots call a part of a composite source. */
export function nameOfPart({ publisher, kind }: Pick<SourcePart, 'publisher' | 'kind'>): string {
  return `${publisher}, ${kind.replaceAll('_', ' ')}`;
}
