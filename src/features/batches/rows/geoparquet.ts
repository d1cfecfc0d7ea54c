/** What GeoParquet 1.1 asks for (github.com/opengeospatial/geoparquet, v1.1.0, format-specs/geoparquet.md) of a column of points. */
import type { Coordinate } from '../../../messages/lookup.ts';

/** Smallest longitude and latitude, and largest. */
export type Bbox = readonly [number, number, number, number];

/** Returns the metadata `geo` of a file whose points are in the column `geometry`, in WGS84 degrees. */
export function geoMetadata(bbox: Bbox | null): object {
  const geometry = {
    encoding: 'WKB',
    // Known to be none where there is no point.
    geometry_types: bbox ? ['Point'] : [],
    ...(bbox ? { bbox } : {}),
  };
  return { version: '1.1.0', primary_column: 'geometry', columns: { geometry } };
}

/** Returns a point as well-known binary, in the order of bytes that most machines have: longitude first. */
export function pointWkb(at: Coordinate | null): Uint8Array | null {
  if (!at) return null;
  const bytes = new DataView(new ArrayBuffer(21));
  bytes.setUint8(0, 1);
  bytes.setUint32(1, 1, true);
  bytes.setFloat64(5, at.lon, true);
  bytes.setFloat64(13, at.lat, true);
  return new Uint8Array(bytes.buffer);
}

/** The box around points. */
export class PointBounds {
  #box: Bbox | null = null;

  add(at: Coordinate | null): void {
    if (!at) return;
    const { lon, lat } = at;
    const [west, south, east, north] = this.#box ?? [lon, lat, lon, lat];
    this.#box = [Math.min(west, lon), Math.min(south, lat), Math.max(east, lon), Math.max(north, lat)];
  }

  /** Null without points. */
  get bbox(): Bbox | null {
    return this.#box;
  }
}
