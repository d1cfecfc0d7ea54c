/** Places for hostile areas: on the borders of features, and where many meet. */
import type { Snapshot } from '../../../workers/geopackage/snapshot.ts';
import { fromLambert } from '../../../workers/geopackage/lambert.ts';
import { anchorsOf } from './area-anchors.ts';
import type { HostilePlace } from './hostile-areas.ts';

export function hostilePlaces(snapshot: Snapshot, random: () => number): () => HostilePlace {
  const anchor = anchorsOf(snapshot, random);
  return () => {
    const { at, border } = anchor();
    const i = border.findIndex(([x, y]) => x === at[0] && y === at[1]);
    const next = border[(i + 1) % border.length]!;
    const { lat, lon } = fromLambert(...at);
    return { lat, lon, direction: Math.atan2(next[1] - at[1], next[0] - at[0]) };
  };
}
