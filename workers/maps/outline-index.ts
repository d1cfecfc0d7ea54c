/** Reads the outline tree of a snapshot: the outlines of features around a place, joined from the rows that hold them. */
import { grow, meets, type Box } from '../geometry/box.ts';
import { squaredToSegment } from '../geometry/segment.ts';
import type { ProjectedPoint } from '../geopackage/lambert.ts';
import {
  entryKind,
  UNITS_PER_METRE,
  type EntryKind,
  CACHED_VALUES,
  tables,
  type CellHeader,
  type IndexedDataSet,
} from '../engine/cells/format.ts';
import { findLeaf, leavesAround } from '../engine/cells/find-leaf.ts';
import { joinRuns, type Path, readOutlines, type OutlineRow, type RowOutline } from './read-outlines.ts';
import { crossesOddly, type Position } from './parity.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { leafText } from '../engine/cells/leaf-reader.ts';
import { readHeader, readNodes, rowBytes, type CellIndex } from '../engine/cells/open.ts';

/** A feature near a place. All lengths in centimetres of the projection, from the place. */
export interface NearOutline {
  readonly set: number;
  readonly fid: number;
  readonly kind: Exclude<EntryKind, typeof entryKind.full>;
  /** 0 inside a polygon. */
  readonly distance: number;
  readonly label: string | null;
  readonly paths: readonly Path[];
  /** Whether a polygon contains a point within the radius. */
  contains(point: Position): boolean;
}

interface OutlineSource {
  readonly directory: Int32Array;
  /** Returns the bytes of a row. */
  row(id: number): Buffer;
  /** Returns the label of an outline. */
  label(row: OutlineRow, outline: RowOutline): string | null;
}

/** Which features are looked for, by the index of their data set. */
type IsShown = (set: number) => boolean;

/** Returns the features with a part less than `radius` projection metres from the place, in no order. */
function outlinesNear(
  source: OutlineSource,
  at: ProjectedPoint,
  { radius, isShown }: { readonly radius: number; readonly isShown: IsShown },
): NearOutline[] {
  const rows = new Rows(source, at, radius);
  const near: NearOutline[] = [];
  const reach = grow(POINT, radius * UNITS_PER_METRE);
  for (const found of rows.features(isShown)) {
    const kind = found.some(({ outline }) => outline.kind !== entryKind.full) ? kindOf(found) : entryKind.polygon;
    // Rows reach beyond the radius, most of their vertices where features are few.
    const runs = found.flatMap(({ outline }) => outline.runs.filter(({ box }) => meets(box, reach)));
    const outline = new FoundOutline({ source, rows, found, kind, paths: joinRuns(runs, kind === entryKind.polygon) });
    if (outline.distance < radius * UNITS_PER_METRE) near.push(outline);
  }
  return near;
}

const ORIGIN: Position = { x: 0, y: 0 };
const POINT: Box = { minX: 0, minY: 0, maxX: 0, maxY: 0 };

/** What one row has of a feature. */
interface Found {
  readonly row: OutlineRow;
  readonly outline: RowOutline;
}

/**
 * A class, because V8 makes a hidden class for each object literal with a getter: it outlives the map, and with it all that the getter can
 * reach. Collections of young memory then took ten times as long.
 */
class FoundOutline implements NearOutline {
  readonly set: number;
  readonly fid: number;
  readonly kind: NearOutline['kind'];
  readonly paths: readonly Path[];
  readonly distance: number;
  readonly #joined: ConstructorParameters<typeof FoundOutline>[0];

  constructor(
    joined: Pick<NearOutline, 'kind' | 'paths'> & {
      readonly source: OutlineSource;
      readonly rows: Rows;
      readonly found: readonly Found[];
    },
  ) {
    const { kind, paths, found } = joined;
    const { set, fid } = found[0]!.outline;
    this.set = set;
    this.fid = fid;
    this.kind = kind;
    this.paths = paths;
    this.#joined = joined;
    const isAround = kind === entryKind.polygon && this.contains(ORIGIN);
    this.distance = isAround ? 0 : Math.min(...paths.map((path) => distanceTo(path, kind)));
  }

  get label(): string | null {
    const { source, found } = this.#joined;
    const { row, outline } = found[0]!;
    return source.label(row, outline);
  }

  contains(point: Position): boolean {
    return this.#joined.rows.contains(this.#joined.found, point);
  }
}

class Rows {
  readonly #source: OutlineSource;
  readonly #at: ProjectedPoint;
  readonly #rows: readonly OutlineRow[];
  readonly #leaves = new Map<Position, number | undefined>();

  constructor(source: OutlineSource, at: ProjectedPoint, radius: number) {
    this.#source = source;
    this.#at = at;
    this.#rows = leavesAround(source.directory, at.x, at.y, radius + ROUNDING_M).map((place) =>
      readOutlines(place, source.row(place.leaf), at),
    );
  }

  /** Returns what the rows have, by feature. */
  features(isShown: IsShown): Iterable<readonly Found[]> {
    const features = new Map<number, Found[]>();
    for (const row of this.#rows) {
      for (const outline of row.outlines) {
        if (!isShown(outline.set)) continue;
        // Data sets are few, and feature ids are below 2^40.
        const key = outline.fid * 4096 + outline.set;
        const found = features.get(key);
        if (found) found.push({ row, outline });
        else features.set(key, [{ row, outline }]);
      }
    }
    return features.values();
  }

  contains(found: readonly Found[], point: Position): boolean {
    const leaf = this.#leafOf(point);
    const there = found.find(({ row }) => row.place.leaf === leaf);
    if (!there) return false;
    const { row, outline } = there;
    return outline.kind === entryKind.full || crossesOddly(outline.runs, row.reference, point) !== outline.isInside;
  }

  /** A map asks each outline for the same two points. */
  #leafOf(point: Position): number | undefined {
    if (!this.#leaves.has(point)) {
      const [x, y] = [this.#at.x + point.x / UNITS_PER_METRE, this.#at.y + point.y / UNITS_PER_METRE];
      this.#leaves.set(point, findLeaf(this.#source.directory, x, y)?.leaf);
    }
    return this.#leaves.get(point);
  }
}

/** More than the rounding of vertices and of a point on the circle. */
const ROUNDING_M = 1;

function kindOf(found: readonly Found[]): NearOutline['kind'] {
  return found.find(({ outline }) => outline.kind !== entryKind.full)!.outline.kind as NearOutline['kind'];
}

function distanceTo({ xy }: Path, kind: EntryKind): number {
  let squared = Infinity;
  const step = kind === entryKind.point || xy.length === 2 ? 0 : 2;
  for (let i = 0; i + 1 + step < xy.length; i += 2) {
    const here = squaredToSegment(xy[i]!, xy[i + 1]!, xy[i + step]!, xy[i + step + 1]!);
    if (here < squared) squared = here;
  }
  return Math.sqrt(squared);
}

/** The outline tree. */
export interface Outlines {
  /** Ids by the index of outlines. */
  readonly dataSets: readonly string[];
  /** Returns the features with a part less than `radiusM` ground metres from a place, in no order. */
  near(at: ProjectedPoint, radiusM: number, isShown: IsShown): NearOutline[];
}

/**
 * Reads the inner nodes of the outline tree into one block that threads share; null when the index has no such tree.
 * @throws Error when the index has another format or its directory is damaged.
 */
export function readOutlineNodes(snapshot: Snapshot): SharedArrayBuffer | null {
  const header = readHeader(snapshot);
  return header.outlines ? readNodes(snapshot, header, [header.outlines.directoryStart, header.directoryLength]) : null;
}

/**
 * Returns null when the index was built for definitions that show other features.
 * @param nodes the result of `readOutlineNodes`.
 * @param needed the needs of the answers, by data set.
 */
export function openOutlines(
  snapshot: Snapshot,
  { header }: Pick<CellIndex, 'header'>,
  { nodes, needed }: { nodes: SharedArrayBuffer; needed: readonly IndexedDataSet[] },
): Outlines | null {
  if (!showsTheSame(header, needed)) return null;
  const source = sourceOf(snapshot, header, new Int32Array(nodes));
  return {
    dataSets: header.dataSets,
    near: (at, radiusM, isShown) => outlinesNear(source, at, { radius: radiusM * at.scale, isShown }),
  };
}

/** Whether the outline tree has the features that maps show now. */
function showsTheSame({ outlines, dataSets }: CellHeader, needed: readonly IndexedDataSet[]): boolean {
  return needed.every(({ id, outlined = null }) => {
    const held = outlines?.dataSets[dataSets.indexOf(id)];
    return held !== undefined && JSON.stringify(held) === JSON.stringify(outlined);
  });
}

function sourceOf(snapshot: Snapshot, header: CellHeader, directory: Int32Array): OutlineSource {
  const rows = snapshot.layer(tables.outline).features;
  const valueRows = snapshot.layer(tables.values).features;
  const labels = new Map<number, string>();
  return {
    directory,
    row: (id) => rowBytes(rows, id),
    label({ bytes }, { set, label }) {
      if (label === 0) return null;
      if (header.inline[set]!) return leafText(bytes, label);
      let text = labels.get(label);
      if (text === undefined) {
        text = rowBytes(valueRows, label).toString('utf8');
        if (labels.size >= CACHED_VALUES) labels.clear();
        labels.set(label, text);
      }
      return text;
    },
  };
}
