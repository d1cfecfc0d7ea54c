/** A place seen through the cell index; what lies beyond a leaf's reach is asked of the reference path. */
import type { ProjectedPoint } from '../projection.ts';
import { isCovered, referenceView } from '../reader/reference-view.ts';
import type { Hit, PlaceView } from '../reader/view.ts';
import type { Snapshot } from '../snapshot.ts';
import { UNITS_PER_METRE } from './format.ts';
import type { CellIndex } from './open.ts';

export function cellView(snapshot: Snapshot, cells: CellIndex, at: ProjectedPoint): PlaceView {
  const hits = groupHits(cells, at);
  const sets = new Map(cells.header.dataSets.map((id, set) => [id, set]));
  let fallback: PlaceView | undefined;
  const reference = (): PlaceView => (fallback ??= referenceView(snapshot, at));

  const near = (dataSet: string, radiusM: number): readonly Hit[] => {
    const set = sets.get(dataSet);
    if (set === undefined || radiusM > cells.header.reachM[set]!) return reference().near(dataSet, radiusM);
    return (hits.get(set) ?? []).filter((hit) => hit.distanceM <= radiusM);
  };
  return {
    has: (dataSet) => dataSet in snapshot.manifest.dataSets,
    near,
    edges: (dataSet, radiusM) => reference().edges(dataSet, radiusM),
    covers: (dataSet) => isCovered(snapshot, dataSet, () => near('coverage', 0)),
  };
}

/** By data set index, nearest first, then by feature id. */
function groupHits(cells: CellIndex, at: ProjectedPoint): ReadonlyMap<number, readonly Hit[]> {
  const groups = new Map<number, Hit[]>();
  const leaf = cells.leafAt(at.x, at.y);
  for (const found of leaf?.hits ?? []) {
    let attributes: Hit['attributes'] | undefined;
    const hit = {
      id: found.fid,
      distanceM: found.distance / UNITS_PER_METRE / at.scale,
      get attributes() {
        return (attributes ??= leaf!.attributes(found));
      },
    };
    const group = groups.get(found.set);
    if (group) group.push(hit);
    else groups.set(found.set, [hit]);
  }
  for (const group of groups.values()) group.sort((a, b) => a.distanceM - b.distanceM || a.id - b.id);
  return groups;
}
