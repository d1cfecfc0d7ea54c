/**
 * Makes spatial references and checks that they are the right ones (docs/decisions/0002).
 *
 * gdal-async 3.12 keeps the wrapper of a layer's CRS under the address of the layer's own object. When the file is
 * closed, another CRS may get that address, and reading it returns the wrapper of the old CRS: `fromEPSG(3161)` once
 * gave WGS 84. A wrapper that was returned before is stale; the next attempt gets another address.
 */
import type Gdal from 'gdal-async';
import { gdal } from './gdal.ts';

const handedOut = new WeakSet<Gdal.SpatialReference>();

/** EPSG:3161, NAD83 / Ontario MNR Lambert, in metres: the CRS of everything that is stored. */
export const lambert = once(() => gdal.SpatialReference.fromEPSG(3161));

/** WGS 84 with the longitude first; EPSG:4326 itself is latitude first. */
export const degrees = once(() => gdal.SpatialReference.fromUserInput('OGC:CRS84'));

/** Says whether the reference is new, and not the stale wrapper of another one. Call it once per reference. */
export function isGenuine(srs: Gdal.SpatialReference): boolean {
  if (handedOut.has(srs)) return false;
  handedOut.add(srs);
  return true;
}

/** Calls `make` until its reference is genuine. This ends, because each stale reference keeps its address. */
export function genuine(make: () => Gdal.SpatialReference): Gdal.SpatialReference {
  for (;;) {
    const srs = make();
    if (isGenuine(srs)) return srs;
  }
}

function once(make: () => Gdal.SpatialReference): () => Gdal.SpatialReference {
  let srs: Gdal.SpatialReference | undefined;
  return () => (srs ??= genuine(make));
}

/** Made once per thread. */
let fromLambert: Gdal.CoordinateTransformation | undefined;

/** Returns the transformation to degrees, longitude first. */
export function toDegrees(): Gdal.CoordinateTransformation {
  return (fromLambert ??= new gdal.CoordinateTransformation(lambert(), degrees()));
}
