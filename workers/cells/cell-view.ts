/** A place seen through the cell index; what lies beyond a leaf's reach is asked of the reference path. */
import type { ProjectedPoint } from '../projection.ts';
import { isCovered, referenceView } from '../reader/reference-view.ts';
import type { Hit, PlaceView } from '../reader/view.ts';
import type { Snapshot } from '../snapshot.ts';
import { UNITS_PER_METRE } from './format.ts';
import type { LeafHit } from './leaf-reader.ts';
import type { CellIndex, LeafAtPoint } from './open.ts';

export function cellView(snapshot: Snapshot, cells: CellIndex, at: ProjectedPoint): PlaceView {
  const hits = groupHits(cells, at);
  let fallback: PlaceView | undefined;
  const reference = (): PlaceView => (fallback ??= referenceView(snapshot, at));

  const near = (dataSet: string, radiusM: number): readonly Hit[] => {
    const set = cells.setOf(dataSet);
    if (set === undefined || radiusM > cells.header.reachM[set]!) return reference().near(dataSet, radiusM);
    const group = hits[set];
    if (group === undefined) return NONE;
    return group.at(-1)!.distanceM <= radiusM ? group : group.filter((hit) => hit.distanceM <= radiusM);
  };
  return {
    has: (dataSet) => snapshot.dataSets.has(dataSet),
    near,
    edges: (dataSet, radiusM) => reference().edges(dataSet, radiusM),
    covers: (dataSet) => isCovered(snapshot, dataSet, () => near('coverage', 0)),
  };
}

const NONE: readonly Hit[] = [];

class CellHit implements Hit {
  readonly id: number;
  readonly distanceM: number;
  readonly #leaf: LeafAtPoint;
  readonly #found: LeafHit;
  #attributes: Hit['attributes'] | undefined;

  constructor(leaf: LeafAtPoint, found: LeafHit, scale: number) {
    this.id = found.fid;
    this.distanceM = found.distance / UNITS_PER_METRE / scale;
    this.#leaf = leaf;
    this.#found = found;
  }

  /** Most hits are only counted or measured: their text is read when it is asked for. */
  get attributes(): Hit['attributes'] {
    return (this.#attributes ??= this.#leaf.attributes(this.#found));
  }
}

/** By data set index, nearest first, then by feature id. */
function groupHits(cells: CellIndex, at: ProjectedPoint): readonly (readonly Hit[] | undefined)[] {
  const groups = new Array<Hit[] | undefined>(cells.header.dataSets.length).fill(undefined);
  const leaf = cells.leafAt(at.x, at.y);
  if (!leaf) return groups;
  for (const found of leaf.hits) {
    const hit = new CellHit(leaf, found, at.scale);
    const group = groups[found.set];
    if (group) group.push(hit);
    else groups[found.set] = [hit];
  }
  for (const group of groups) {
    if (group && group.length > 1) group.sort((a, b) => a.distanceM - b.distanceM || a.id - b.id);
  }
  return groups;
}
