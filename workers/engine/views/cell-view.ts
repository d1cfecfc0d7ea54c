/** View of a place through the cell index. The reference path answers what is beyond a leaf's reach. */
import type { ProjectedPoint } from '../../geopackage/lambert.ts';
import { isCovered, referenceView } from './reference-view.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/lookup.ts';
import type { EdgeHit, Hit, PlaceView } from './view.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import { UNITS_PER_METRE } from '../cells/format.ts';
import type { LeafHit } from '../cells/leaf-reader.ts';
import { setsRead, type CellIndex, type LeafAtPoint, type LeavesAround } from '../cells/open.ts';
import type { NearHit } from '../cells/surroundings.ts';

/** `further`: false where no further answer is asked for, whose data are then not read. */
export function cellView(snapshot: Snapshot, cells: CellIndex, at: ProjectedPoint, further = true): PlaceView {
  return new CellView(snapshot, cells, at, setsRead(cells, further));
}

class CellView implements PlaceView {
  readonly #snapshot: Snapshot;
  readonly #cells: CellIndex;
  readonly #at: ProjectedPoint;
  /** Data sets that are read, the first ones. */
  readonly #sets: number;
  readonly #leaf: LeafAtPoint | null;
  readonly #hits: readonly (readonly Hit[] | undefined)[];
  /** By data set index, for layers that read the same data set. */
  readonly #edges: (readonly EdgeHit[] | undefined)[] = [];
  #reference: PlaceView | undefined;
  #around: LeavesAround | undefined;

  constructor(snapshot: Snapshot, cells: CellIndex, at: ProjectedPoint, sets: number) {
    this.#snapshot = snapshot;
    this.#cells = cells;
    this.#at = at;
    this.#sets = sets;
    this.#leaf = cells.leafAt(at.x, at.y, sets);
    this.#hits = groupHits(cells, this.#leaf, at.scale);
  }

  has(dataSet: string): boolean {
    return this.#snapshot.dataSets.has(dataSet);
  }

  near(dataSet: string, radiusM: number): readonly Hit[] {
    const set = this.#cells.sets.get(dataSet);
    if (set === undefined || radiusM > this.#cells.header.reachM[set]!) return this.#wider.near(dataSet, radiusM);
    const group = this.#hits[set];
    if (group === undefined) return NONE;
    return group[group.length - 1]!.distanceM <= radiusM ? group : group.filter((hit) => hit.distanceM <= radiusM);
  }

  edges(dataSet: string, radiusM: number): readonly EdgeHit[] {
    const set = this.#cells.sets.get(dataSet);
    if (set === undefined || radiusM > this.#cells.header.reachM[set]! + EDGE_SEARCH_M)
      return this.#wider.edges(dataSet, radiusM);
    const hits = (this.#edges[set] ??= this.#surroundingHits(set));
    const last = hits.at(-1);
    return last === undefined || last.distanceM <= radiusM ? hits : hits.filter((hit) => hit.distanceM <= radiusM);
  }

  all(dataSet: string, radiusM: number): readonly EdgeHit[] {
    return this.#wider.edges(dataSet, radiusM);
  }

  #surroundingHits(set: number): readonly EdgeHit[] {
    const around = this.#leavesAround;
    const found = around.hits(set);
    return found.length === 0 ? NO_EDGES : found.map((hit) => new SurroundingHit(around, hit, this.#at.scale));
  }

  covers(dataSet: string, withinM: number): boolean {
    return isCovered(this.#snapshot, { dataSet, withinM }, this);
  }

  coverageEdgeM(dataSet: string, radiusM: number): number {
    if (this.#snapshot.dataSets.get(dataSet)?.coverage !== 'area') return Infinity;
    const set = this.#cells.edgeSets.get(dataSet);
    const reachM = set === undefined ? -Infinity : this.#cells.header.reachM[set]!;
    if (set === undefined || radiusM > reachM + EDGE_SEARCH_M) return this.#wider.coverageEdgeM(dataSet, radiusM);
    const distanceM =
      radiusM <= reachM
        ? this.#hits[set]?.[0]!.distanceM
        : toMetres(this.#leavesAround.hits(set)[0]?.distance ?? Infinity, this.#at.scale);
    return distanceM !== undefined && distanceM <= radiusM ? distanceM : Infinity;
  }

  get #leavesAround(): LeavesAround {
    return (this.#around ??= this.#cells.around(this.#at, EDGE_SEARCH_M, { home: this.#leaf, sets: this.#sets }));
  }

  get #wider(): PlaceView {
    return (this.#reference ??= referenceView(this.#snapshot, this.#at));
  }
}

const NONE: readonly Hit[] = [];
const NO_EDGES: readonly EdgeHit[] = [];

/** A feature of the leaves around the place. */
class SurroundingHit implements EdgeHit {
  readonly id: number;
  readonly distanceM: number;
  readonly edgeDistanceM: number;
  readonly #around: LeavesAround;
  readonly #found: NearHit;

  constructor(around: LeavesAround, found: NearHit, scale: number) {
    this.id = found.fid;
    this.distanceM = toMetres(found.distance, scale);
    this.edgeDistanceM = toMetres(found.edge, scale);
    this.#around = around;
    this.#found = found;
  }

  get attributes(): Hit['attributes'] {
    return this.#around.attributes(this.#found);
  }
}

function toMetres(units: number, scale: number): number {
  return units / UNITS_PER_METRE / scale;
}

class CellHit implements Hit {
  readonly id: number;
  readonly distanceM: number;
  readonly #leaf: LeafAtPoint;
  readonly #found: LeafHit;
  #attributes: Hit['attributes'] | undefined;

  constructor(leaf: LeafAtPoint, found: LeafHit, scale: number) {
    this.id = found.fid;
    this.distanceM = toMetres(found.distance, scale);
    this.#leaf = leaf;
    this.#found = found;
  }

  /** Read on demand, because most hits are only counted or measured. */
  get attributes(): Hit['attributes'] {
    return (this.#attributes ??= this.#leaf.attributes(this.#found));
  }
}

/** By data set index, nearest first, then by feature id. */
function groupHits(cells: CellIndex, leaf: LeafAtPoint | null, scale: number): readonly (readonly Hit[] | undefined)[] {
  const groups = new Array<Hit[] | undefined>(cells.header.dataSets.length).fill(undefined);
  if (!leaf) return groups;
  for (const found of leaf.hits) {
    const hit = new CellHit(leaf, found, scale);
    const group = groups[found.set];
    if (group) group.push(hit);
    else groups[found.set] = [hit];
  }
  for (const group of groups) {
    if (group && group.length > 1) group.sort((a, b) => a.distanceM - b.distanceM || a.id - b.id);
  }
  return groups;
}
