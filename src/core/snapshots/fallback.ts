import type { SnapshotManifest, StoredSnapshot } from '../../messages/manifest.ts';
import { missingLayers, readableSnapshots, readManifest } from './current.ts';

/** A snapshot that can take the place of another one. */
export interface Fallback extends StoredSnapshot {
  /** Parts that the other one has and this one lacks: `addresses`, and ids of data sets. */
  readonly lacks: readonly string[];
}

/**
 * Returns the snapshots to try when the one in the folder `target` cannot be served, the best first: those that have all that it has, then
 * those that have the addresses; of equals the newest. Never a sample (docs/decisions/0060). Where nothing tells what it has, it has what any
 * other one has.
 */
export function fallbacksFor(dataDir: string, target: string): readonly Fallback[] {
  const others = readableSnapshots(dataDir).filter(
    ({ dir, manifest }) => dir !== target && !manifest.sample && missingLayers(manifest) === null,
  );
  const wanted = partsOfTarget(target) ?? [...new Set(others.flatMap(({ manifest }) => partsOf(manifest)))];
  const fallbacks = others.map((stored): Fallback => {
    const parts = new Set(partsOf(stored.manifest));
    return { ...stored, lacks: wanted.filter((part) => !parts.has(part)) };
  });
  const worth = ({ lacks }: Fallback): number => (lacks.length === 0 ? 2 : lacks.includes(ADDRESSES) ? 0 : 1);
  return fallbacks.sort((a, b) => worth(b) - worth(a));
}

const ADDRESSES = 'addresses';

function partsOf({ dataSets, gazetteer }: SnapshotManifest): string[] {
  return [...(gazetteer ? [ADDRESSES] : []), ...Object.keys(dataSets)];
}

function partsOfTarget(target: string): string[] | null {
  try {
    return partsOf(readManifest(target));
  } catch {
    return null;
  }
}
