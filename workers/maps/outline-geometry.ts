/** Writes the GeoJSON of outlines inside a disc. */
import { entryKind } from '../engine/cells/format.ts';
import { clippedRings } from './clip-polygon.ts';
import type { CoordinateWriter } from './coordinate-writer.ts';
import type { Disc } from './disc.ts';
import { nestRings } from '../geometry/nest-rings.ts';
import type { NearOutline } from './outline-index.ts';
import { simplifyLine, simplifyRing } from './simplify.ts';

export interface WrittenGeometry {
  readonly json: string;
  /** How many positions it has. */
  readonly vertices: number;
}

export interface GeometryOptions {
  readonly disc: Disc;
  /** Centimetres that an outline may be away from the vertices that are left out. */
  readonly tolerance: number;
  readonly coordinates: Pick<CoordinateWriter, 'position' | 'positions'>;
}

/** The coordinates of a point, a line, a ring or a polygon. */
interface Written {
  readonly coordinates: string;
  readonly vertices: number;
}

export class GeometryWriter {
  readonly #options: GeometryOptions;
  #wholeDisc: Written | undefined;

  constructor(options: GeometryOptions) {
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
