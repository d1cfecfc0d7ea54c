/**
 * Lays polygons over an area and measures what each of them is the first to cover: the exact areas, by slabs between the vertices. Polygons
 * may overlap, have holes and be in any number; the even-odd rule says what is inside.
 */
import { meets, type Box } from '../../geopackage/box.ts';
import type { Part } from '../../geopackage/flat-geometry.ts';
import { areaOf, boundsOf, clipRings, fills, signedArea } from './rings.ts';
import { areAround, areaIn, halvesOf, segmentsIn, segmentsOf, surround, type Segments } from './segments.ts';
import { sweep, type Layers } from './sweep.ts';

type Rings = readonly Part[];

/**
 * Returns the area that lies in each polygon and in none before it, and last what lies in no polygon, all within every one of
 * `areas`. Of each area, rings must not overlap, and holes run against outer rings.
 */
export function overlay(areas: readonly Rings[], polygons: readonly Rings[]): Float64Array {
  const found = new Float64Array(polygons.length + 1);
  if (areas.some((rings) => rings.length === 0)) return found;
  const box = commonBox(areas);
  const last = polygons.length;
  if (areas.length > 1) {
    measure(layersIn({ areas, polygons, rest: last }, box), box, found);
    return found;
  }
  const clipped: Rings[] = [];
  // A polygon that covers all of the box leaves nothing to those after it. Most polygons cover all or nothing.
  let rest = 0;
  for (; rest < last; rest++) {
    const rings = clipRings(polygons[rest]!, box);
    if (fills(rings, box)) break;
    clipped.push(rings);
  }
  const [area] = areas as readonly [Rings];
  if (fills(area, box)) measureLone(clipped, found);
  const covered = clipped.flat();
  if (covered.length > 0) {
    const part = boundsOf(covered);
    measure(layersIn({ areas, polygons: clipped, rest: last }, part), part, found);
  }
  found[last] = 0;
  const whole = areaOf(area.map(({ xy }) => xy));
  found[rest] = Math.max(0, whole - found.reduce((sum, one) => sum + one, 0));
  return found;
}

interface Given {
  readonly areas: readonly Rings[];
  /** Each has its place in what is found. */
  readonly polygons: readonly Rings[];
  readonly rest: number;
}

/** Returns what of areas and polygons lies in a box. */
function layersIn({ areas, polygons, rest }: Given, box: Box): Layers {
  const inBox = (rings: Rings): Segments => {
    const segments = segmentsOf(clipRings(rings, box));
    return segments.length > FEW ? segmentsIn(segments, box) : segments;
  };
  const over = polygons.map((rings, place) => ({ segments: inBox(rings), place }));
  return untilCovered({ areas: areas.map(inBox), polygons: over, rest }, box);
}

/** Leaves out the polygons after one that covers the box, and those that have nothing in it. */
function untilCovered({ areas, polygons, rest }: Layers, box: Box): Layers {
  const covering = polygons.find(({ segments }) => surround(segments, box));
  const above = covering ? polygons.slice(0, polygons.indexOf(covering)) : polygons;
  return { areas, polygons: above.filter(({ segments }) => segments.length > 0), rest: covering?.place ?? rest };
}

/** Numbers of segments that are swept at once: a sweep takes a time that grows with the square of them. */
const FEW = 4 * 64;

/** Centimetres: features are not known better. */
const LEAST = 1;

/**
 * Adds layers in a box. Halves the box while it has many edges. Where polygons have none, the area's edges say how large it is; and what is as small as
 * a centimetre counts for what is in its middle.
 */
function measure(layers: Layers, box: Box, found: Float64Array): void {
  const { areas, polygons, rest } = layers;
  const [area, ...others] = areas as readonly [Segments, ...Segments[]];
  if (areas.some(({ length }) => length === 0)) return;
  if (polygons.length === 0 && others.every((segments) => surround(segments, box))) {
    found[rest]! += areaIn(area);
    return;
  }
  const inAreas = areas.reduce((sum, { length }) => sum + length, 0);
  if (polygons.reduce((sum, { segments }) => sum + segments.length, inAreas) <= FEW) {
    sweep(layers, found);
    return;
  }
  const isSmall = Math.max(box.maxX - box.minX, box.maxY - box.minY) <= LEAST;
  if (isSmall) measureByMiddle(layers, box, found);
  else measureHalves(layers, box, found);
}

function measureHalves({ areas, polygons, rest }: Layers, box: Box, found: Float64Array): void {
  const axis = box.maxX - box.minX > box.maxY - box.minY ? 'x' : 'y';
  const limit = axis === 'x' ? (box.minX + box.maxX) / 2 : (box.minY + box.maxY) / 2;
  const inAreas = areas.map((segments) => halvesOf(segments, axis, limit));
  const inPolygons = polygons.map(({ segments }) => halvesOf(segments, axis, limit));
  for (const half of [0, 1] as const) {
    const side = axis === 'x' ? (half === 0 ? 'maxX' : 'minX') : half === 0 ? 'maxY' : 'minY';
    const halfBox = { ...box, [side]: limit };
    const layers = {
      areas: inAreas.map((halves) => halves[half]),
      polygons: polygons.map(({ place }, i) => ({ segments: inPolygons[i]![half], place })),
      rest,
    };
    measure(untilCovered(layers, halfBox), halfBox, found);
  }
}

/** Gives all of the first area to what is in the middle of its box. */
function measureByMiddle({ areas, polygons, rest }: Layers, box: Box, found: Float64Array): void {
  const [area, ...others] = areas as readonly [Segments, ...Segments[]];
  const isAround = (segments: Segments): boolean =>
    areAround(segments, (box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2);
  if (!others.every(isAround)) return;
  found[polygons.find(({ segments }) => isAround(segments))?.place ?? rest]! += areaIn(area);
}

/** Measures rings that come near no other, and takes them out of `polygons`: of an area that is a box, nothing else decides. */
function measureLone(polygons: Rings[], found: Float64Array): void {
  const all = polygons.flat();
  polygons.forEach((rings, i) => {
    const [only] = rings;
    if (rings.length !== 1 || all.some((other) => other !== only && meets(other.box, only!.box))) return;
    found[i] = Math.abs(signedArea(only!.xy));
    polygons[i] = [];
  });
}

function commonBox(areas: readonly Rings[]): Box {
  const boxes = areas.map(boundsOf);
  return {
    minX: Math.max(...boxes.map((box) => box.minX)),
    minY: Math.max(...boxes.map((box) => box.minY)),
    maxX: Math.min(...boxes.map((box) => box.maxX)),
    maxY: Math.min(...boxes.map((box) => box.maxY)),
  };
}
