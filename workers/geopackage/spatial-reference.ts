/**
 * Spatial references that are what they say (docs/decisions/0042).
 *
 * gdal-async 3.12 keeps the wrapper of a layer's CRS under the address of the layer's own object. When the file is closed, the
 * address is free for another CRS, and whoever asks for that one gets the wrapper of the old: `fromEPSG(3161)` has been
 * seen to give WGS 84. A wrapper that was handed out before is such a stale one; the next try lies at another address.
 */
import type Gdal from 'gdal-async';
import { gdal } from './gdal.ts';

const handedOut = new WeakSet<Gdal.SpatialReference>();

/** EPSG:3161, NAD83 / Ontario MNR Lambert, in metres: the CRS of everything that is stored. */
export const lambert = once(() => gdal.SpatialReference.fromEPSG(3161));

/** WGS 84 with the longitude first; EPSG:4326 itself is latitude first. */
export const degrees = once(() => gdal.SpatialReference.fromUserInput('OGC:CRS84'));

/** Whether the reference is new, and not the stale wrapper of another one. Each may be asked once. */
export function isGenuine(srs: Gdal.SpatialReference): boolean {
  if (handedOut.has(srs)) return false;
  handedOut.add(srs);
  return true;
}

/** A reference that `make` makes, made again until it is genuine: the stale address stays taken, so this ends. */
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
