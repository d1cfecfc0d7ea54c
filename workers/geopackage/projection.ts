import type Gdal from 'gdal-async';
import type { Coordinate } from '../../src/messages/lookup.ts';
import { gdal } from './gdal.ts';
import { toLambert, type LambertPoint } from './lambert.ts';
import { degrees, lambert } from './spatial-reference.ts';

/** A point in EPSG:3161 (NAD83 / Ontario MNR Lambert). */
export type ProjectedPoint = LambertPoint;

export function project({ lat, lon }: Coordinate): ProjectedPoint {
  return toLambert(lat, lon);
}

/** Made once per thread. */
let fromLambert: Gdal.CoordinateTransformation | undefined;

/** Returns the transformation to degrees, longitude first. */
export function toDegrees(): Gdal.CoordinateTransformation {
  return (fromLambert ??= new gdal.CoordinateTransformation(lambert(), degrees()));
}
