/** Writes the GeoJSON of outlines inside a disc. */
import { entryKind } from '../engine/cells/format.ts';
import type { CoordinateWriter } from './coordinate-writer.ts';
import type { Disc } from './disc.ts';
import { nestRings } from '../geometry/ring.ts';
import type { NearOutline } from './outline-index.ts';
import { simplifyLine, simplifyRing } from './simplify.ts';

interface WrittenGeometry {
  readonly json: string;
  /** How many positions it has. */
  readonly vertices: number;
}

/** The coordinates of a point, a line, a ring or a polygon. */
interface Written {
  readonly coordinates: string;
  readonly vertices: number;
}

export class GeometryWriter {
  readonly #options: ConstructorParameters<typeof GeometryWriter>[0];
  #wholeDisc: Written | undefined;

  constructor(options: {
    readonly disc: Disc;
    /** Centimetres that an outline may be away from the vertices that are left out. */
    readonly tolerance: number;
    readonly coordinates: Pick<CoordinateWriter, 'position' | 'positions'>;
  }) {
    this.#options = options;
  }

  /** Returns null where nothing of the outline is inside. */
  write(outline: NearOutline): WrittenGeometry | null {
    switch (outline.kind) {
      case entryKind.point:
        return geometryOf('Point', this.#points(outline));
      case entryKind.line:
        return geometryOf('LineString', this.#lines(outline));
      case entryKind.polygon:
        return geometryOf('Polygon', this.#polygons(outline));
    }
  }

  #points({ paths }: NearOutline): Written[] {
    const { disc, coordinates } = this.#options;
    const points: Written[] = [];
    for (const { xy } of paths) {
      for (let i = 0; i < xy.length; i += 2) {
        const [x, y] = [xy[i]!, xy[i + 1]!];
        if (disc.contains(x, y)) points.push({ coordinates: coordinates.position(x, y), vertices: 1 });
      }
    }
    return points;
  }

  #lines({ paths }: NearOutline): Written[] {
    const { disc, tolerance } = this.#options;
    return paths
      .flatMap((path) => disc.arcsOf(path))
      .map(({ xy, isRing }) => this.#positions(simplifyLine(isRing ? [...xy, xy[0]!, xy[1]!] : xy, tolerance)));
  }

  #polygons(outline: NearOutline): Written[] {
    const { disc } = this.#options;
    const arcs = outline.paths.flatMap((path) => disc.arcsOf(path));
    return nestRings(clippedRings(disc, arcs, outline.contains(disc.start))).map((polygon) =>
      listOf(polygon.map((ring) => this.#ring(ring))),
    );
  }

  #ring(xy: number[]): Written {
    const { disc, tolerance } = this.#options;
    // Many layers cover all of the disc.
    if (xy === disc.ring) return (this.#wholeDisc ??= this.#positions(closed(simplifyRing(xy, tolerance))));
    return this.#positions(closed(simplifyRing(xy, tolerance)));
  }

  #positions(xy: readonly number[]): Written {
    return { coordinates: this.#options.coordinates.positions(xy), vertices: xy.length / 2 };
  }
}

function geometryOf(type: 'Point' | 'LineString' | 'Polygon', parts: readonly Written[]): WrittenGeometry | null {
  if (parts.length === 0) return null;
  const isSingle = parts.length === 1;
  const { coordinates, vertices } = isSingle ? parts[0]! : listOf(parts);
  return { json: `{"type":"${isSingle ? '' : 'Multi'}${type}","coordinates":${coordinates}}`, vertices };
}

function listOf(parts: readonly Written[]): Written {
  return {
    coordinates: `[${parts.map(({ coordinates }) => coordinates).join(',')}]`,
    vertices: parts.reduce((sum, { vertices }) => sum + vertices, 0),
  };
}

function closed(ring: number[]): number[] {
  ring.push(ring[0]!, ring[1]!);
  return ring;
}

// The part of a polygon inside a disc, from the parts of its rings inside.

/** A corner where an arc meets the circle. */
interface Crossing {
  readonly arc: number;
  readonly isStart: boolean;
  readonly side: number;
}

/**
 * Returns the rings of the part inside, without repeated vertices. The circle's pieces between crossings are inside and outside in turns, so the
 * direction of rings does not matter.
 * @param isStartInside whether the polygon contains the disc's start.
 */
export function clippedRings(disc: Disc, arcs: ReturnType<Disc['arcsOf']>, isStartInside: boolean): number[][] {
  const rings = arcs.filter(({ isRing }) => isRing).map(({ xy }) => xy);
  const open = arcs.filter(({ isRing }) => !isRing).map(({ xy }) => xy);
  if (open.length > 0) return [...rings, ...joinedRings(disc, open, isStartInside)];
  return isStartInside ? [disc.ring, ...rings] : rings;
}

function joinedRings(disc: Disc, arcs: readonly number[][], isStartInside: boolean): number[][] {
  const crossings = crossingsOf(disc, arcs);
  const isUsed = arcs.map(() => false);
  const rings: number[][] = [];
  for (const first of arcs.keys()) {
    if (isUsed[first]) continue;
    const ring: number[] = [];
    let [arc, isForward] = [first, true];
    while (!isUsed[arc]) {
      isUsed[arc] = true;
      append(ring, isForward ? arcs[arc]! : reversed(arcs[arc]!));
      const from = crossings.findIndex((one) => one.arc === arc && one.isStart !== isForward);
      // Before the first crossing it is as at the start, and each crossing changes it.
      const isInsideAfter = isStartInside === (from % 2 === 1);
      const to = (from + (isInsideAfter ? 1 : crossings.length - 1)) % crossings.length;
      append(ring, isInsideAfter ? corners(disc, crossings, from, to) : reversed(corners(disc, crossings, to, from)));
      ({ arc, isStart: isForward } = crossings[to]!);
    }
    if (ring[0] === ring.at(-2) && ring[1] === ring.at(-1)) ring.splice(-2);
    if (ring.length >= 6) rings.push(ring);
  }
  return rings;
}

/** The ends of arcs, counterclockwise from the disc's start. */
function crossingsOf(disc: Disc, arcs: readonly number[][]): Crossing[] {
  const crossings = arcs.flatMap((xy, arc): Crossing[] => [
    { arc, isStart: true, side: disc.sideAt(xy[0]!, xy[1]!) },
    { arc, isStart: false, side: disc.sideAt(xy.at(-2)!, xy.at(-1)!) },
  ]);
  return crossings.sort((a, b) => a.side - b.side);
}

/** The disc's corners from one crossing to the next. */
function corners(disc: Disc, crossings: readonly Crossing[], from: number, to: number): number[] {
  const [start, end] = [crossings[from]!.side, crossings[to]!.side];
  // From the last crossing to the first it is all the way round, also where both are at one place.
  return start === end && to !== 0 ? [] : disc.cornersBetween(start, end);
}

function append(ring: number[], xy: readonly number[]): void {
  for (let i = 0; i < xy.length; i += 2) {
    const end = ring.length;
    if (end === 0 || ring[end - 2] !== xy[i] || ring[end - 1] !== xy[i + 1]) ring.push(xy[i]!, xy[i + 1]!);
  }
}

function reversed(xy: readonly number[]): number[] {
  const back: number[] = [];
  for (let i = xy.length - 2; i >= 0; i -= 2) back.push(xy[i]!, xy[i + 1]!);
  return back;
}
