/** The outlines of features during the build of the outline tree (docs/cell-index.md). All coordinates in whole centimetres. */
import { boundsOf, boundsOfAll, isWithin, meets, type Box } from '../../geometry/box.ts';
import type { Part } from '../../geometry/ring.ts';
import type { FlatGeometry } from '../../geopackage/flat-geometry.ts';
import { entryKind, UNITS_PER_METRE, type EntryKind } from '../../engine/cells/format.ts';
import { crossesOddly, referenceOf, type Position } from '../../maps/parity.ts';

/** Consecutive vertices of one ring or path: x0, y0, x1, y1, … */
export interface Run {
  readonly xy: Int32Array;
  readonly box: Box;
  /** The ring or path of the feature. */
  readonly part: number;
  /** How many vertices of the ring or path come before. */
  readonly start: number;
  /** Whether it has the last vertex, which in a ring is the first one again. */
  readonly isLast: boolean;
}

/** What a cell holds of a feature: every segment that comes into the cell, whole. */
export interface Outline {
  readonly set: number;
  readonly fid: number;
  /** The label: 0 for none, a row id of the table of attribute values, or the text to store in the row. */
  readonly label: number | string;
  readonly kind: EntryKind;
  /** None where a polygon covers the whole cell. */
  readonly runs: readonly Run[];
  /** A point of which `isInside` says whether the polygon contains it. */
  readonly reference: Position;
  readonly isInside: boolean;
}

/** Returns the outline of a whole feature; null when nothing is left of it at a resolution of centimetres. */
export function featureOutline(
  feature: Pick<Outline, 'set' | 'fid' | 'label'>,
  { kind, parts }: FlatGeometry,
): Outline | null {
  const runs = parts.flatMap((part, i) => runOf(part, { kind, part: i }) ?? []);
  if (runs.length === 0) return null;
  const { minX, minY } = boundsOfAll(runs);
  return { ...feature, kind: entryKind[kind], runs, reference: { x: minX - 1, y: minY - 1 }, isInside: false };
}

/** Returns what a cell holds of an outline; null for nothing. `cell` in centimetres. */
export function cutOutline(outline: Outline, cell: Box): Outline | null {
  if (outline.kind === entryKind.full) return outline;
  const runs = outline.runs.flatMap((run) => cutRun(run, outline.kind, cell));
  if (outline.kind !== entryKind.polygon) return runs.length > 0 ? { ...outline, runs } : null;
  const reference = referenceOf(cell);
  const onWay = outline.runs.filter((run) => isOnWay(run.box, outline.reference, reference));
  const isInside = crossesOddly(onWay, outline.reference, reference) !== outline.isInside;
  if (runs.length > 0) return { ...outline, runs, reference, isInside };
  return isInside ? { ...outline, kind: entryKind.full, runs, reference, isInside } : null;
}

/** Whether segments in a box may cross a way from one point to another, first level and then upright. */
function isOnWay({ minX, minY, maxX, maxY }: Box, from: Position, to: Position): boolean {
  const meetsX = minX <= Math.max(from.x, to.x) && maxX >= Math.min(from.x, to.x);
  const meetsY = minY <= Math.max(from.y, to.y) && maxY >= Math.min(from.y, to.y);
  return (meetsX && minY <= from.y && maxY >= from.y) || (meetsY && minX <= to.x && maxX >= to.x);
}

export function countVertices({ runs }: Outline): number {
  return runs.reduce((total, { xy }) => total + xy.length / 2, 0);
}

/** Rounds a part, leaves out repeated vertices and closes rings; null for a ring without an area. */
function runOf({ xy }: Part, { kind, part }: { kind: FlatGeometry['kind']; part: number }): Run | null {
  const units = new Int32Array(xy.length + 2);
  let length = 0;
  const add = (x: number, y: number): void => {
    if (kind !== 'point' && length > 0 && units[length - 2] === x && units[length - 1] === y) return;
    units[length++] = x;
    units[length++] = y;
  };
  for (let i = 0; i < xy.length; i += 2)
    add(Math.round(xy[i]! * UNITS_PER_METRE), Math.round(xy[i + 1]! * UNITS_PER_METRE));
  if (kind === 'polygon') add(units[0]!, units[1]!);
  if (kind === 'polygon' && length < 8) return null;
  return runFrom(units.slice(0, length), { part, start: 0, isLast: true });
}

/** The longest runs of segments whose box meets the cell. A segment more does no harm, one less would. */
function cutRun(run: Run, kind: EntryKind, cell: Box): Run[] {
  if (!meets(run.box, cell)) return [];
  if (isWithin(run.box, cell)) return [run];
  const { xy } = run;
  const cut: Run[] = [];
  const addUpTo = (from: number, end: number): void => {
    const isLast = run.isLast && end === xy.length - 2;
    cut.push(runFrom(xy.slice(from, end + 2), { part: run.part, start: run.start + from / 2, isLast }));
  };
  // A point is a segment that ends where it begins.
  const step = kind === entryKind.point || xy.length === 2 ? 0 : 2;
  let from = -1;
  for (let i = 0; i + step < xy.length; i += 2) {
    const isMet = segmentMeets(xy, i, i + step, cell);
    if (isMet && from < 0) from = i;
    if (isMet || from < 0) continue;
    addUpTo(from, i - 2 + step);
    from = -1;
  }
  if (from >= 0) addUpTo(from, xy.length - 2);
  return cut;
}

function segmentMeets(xy: Int32Array, a: number, b: number, { minX, minY, maxX, maxY }: Box): boolean {
  const ax = xy[a]!;
  const ay = xy[a + 1]!;
  const bx = xy[b]!;
  const by = xy[b + 1]!;
  if (ax < minX ? bx < minX : ax > maxX && bx > maxX) return false;
  return ay < minY ? by >= minY : ay <= maxY || by <= maxY;
}

/** Makes a run, with its box. */
export function runFrom(xy: Int32Array, rest: Pick<Run, 'part' | 'start' | 'isLast'>): Run {
  return { ...rest, xy, box: boundsOf(xy) };
}
