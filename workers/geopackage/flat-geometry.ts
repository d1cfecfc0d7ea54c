/** Reads a GeoPackage geometry (header and little-endian two-dimensional WKB, as the importer writes it) into flat parts. */
import { partOf, type Part } from '../geometry/ring.ts';
import { wkbType } from './gpkg-geometry.ts';

export interface FlatGeometry {
  readonly kind: 'polygon' | 'line' | 'point';
  readonly parts: readonly Part[];
}

const ENVELOPE_BYTES = [0, 32, 48, 48, 64] as const;
const FIXED_HEADER_BYTES = 8;

/** @throws Error on a geometry that is neither polygons, lines nor points, or has more than two dimensions. */
export function readGeoPackageGeometry(blob: Buffer): FlatGeometry {
  const envelope = ENVELOPE_BYTES[(blob[3]! >> 1) & 7] ?? 0;
  return new WkbReader(blob, FIXED_HEADER_BYTES + envelope).geometry();
}

/** Does the same for little-endian WKB without the header. */
export function readWkb(wkb: Buffer): FlatGeometry {
  return new WkbReader(wkb, 0).geometry();
}

/** Returns the rings of polygons as lines that end where they begin. */
export function outlineOf({ parts }: FlatGeometry): FlatGeometry {
  return { kind: 'line', parts: parts.map(({ xy }) => partOf([...xy, xy[0]!, xy[1]!])) };
}

class WkbReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  geometry(): FlatGeometry {
    this.#at += 1;
    const type = this.#count();
    switch (type) {
      case wkbType.Point:
        return { kind: 'point', parts: [partOf(this.#positions(1))] };
      case wkbType.LineString:
        return { kind: 'line', parts: [partOf(this.#positions(this.#count()))] };
      case wkbType.Polygon:
        return { kind: 'polygon', parts: this.#rings() };
      case wkbType.MultiPoint: {
        const points = this.#members().flatMap((member) => [...member.parts[0]!.xy]);
        return { kind: 'point', parts: [partOf(points)] };
      }
      case wkbType.MultiLineString:
      case wkbType.MultiPolygon: {
        const kind = type === wkbType.MultiLineString ? 'line' : 'polygon';
        return { kind, parts: this.#members().flatMap((member) => member.parts) };
      }
      default:
        throw new Error(`geometry type ${type} cannot be indexed`);
    }
  }

  #members(): FlatGeometry[] {
    return Array.from({ length: this.#count() }, () => this.geometry());
  }

  /** Reads rings without the repeated last vertex. */
  #rings(): Part[] {
    return Array.from({ length: this.#count() }, () => {
      const ring = this.#positions(this.#count());
      return partOf(ring.subarray(0, ring.length - 2));
    });
  }

  #positions(count: number): Float64Array {
    const positions = new Float64Array(count * 2);
    for (let i = 0; i < positions.length; i++, this.#at += 8) positions[i] = this.#bytes.readDoubleLE(this.#at);
    return positions;
  }

  #count(): number {
    const value = this.#bytes.readUInt32LE(this.#at);
    this.#at += 4;
    return value;
  }
}
