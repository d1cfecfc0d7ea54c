import type Gdal from 'gdal-async';
import type { Coordinate } from '../src/contract/lookup.ts';
import { gdal } from './gdal.ts';
import { lambertScale } from './lambert-scale.ts';
import { degrees, lambert } from './spatial-reference.ts';

/** A point in EPSG:3161 (NAD83 / Ontario MNR Lambert), in the projection's metres. */
export interface ProjectedPoint {
  readonly x: number;
  readonly y: number;
  /** Projection metres per metre on the ground at this point: 0.996 to 1.007 over Ontario. */
  readonly scale: number;
}

/** Made once a thread. */
let toLambert: Gdal.CoordinateTransformation | undefined;
let fromLambert: Gdal.CoordinateTransformation | undefined;

/** NAD83 and WGS84 are taken as equal (1 to 2 m in Ontario). */
export function project({ lat, lon }: Coordinate): ProjectedPoint {
  toLambert ??= new gdal.CoordinateTransformation(degrees(), lambert());
  const { x, y } = toLambert.transformPoint(lon, lat);
  return { x, y, scale: lambertScale(lat) };
}

/** The way back, longitude first. */
export function toDegrees(): Gdal.CoordinateTransformation {
  return (fromLambert ??= new gdal.CoordinateTransformation(lambert(), degrees()));
}
