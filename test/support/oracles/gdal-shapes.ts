/** `Shapes` by GEOS through GDAL. */
import type Gdal from 'gdal-async';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import type { Snapshot } from '../../../workers/geopackage/snapshot.ts';
import { degrees, lambert } from '../../../workers/geopackage/spatial-reference.ts';
import type { Shapes, Stored } from './area-oracle.ts';

/** Segments of a quarter of a circle: a buffer of 100 m is then nowhere more than 3 mm too narrow. */
const QUARTER_SEGMENTS = 100;

export function gdalShapes(snapshot: Snapshot): Shapes<Gdal.Geometry> {
  return {
    near: (table, shape, metres) => near(snapshot.layer(table), shape, metres),
    area: (shape) => (shape ? areaOf(shape) : 0),
    intersection: (a, b) => (a && b ? a.intersection(b) : null),
    difference: (a, b) => (a && b ? a.difference(b) : a),
    union: (shapes) => (shapes.length === 0 ? null : shapes.reduce((a, b) => a.union(b))),
    buffer: (shape, metres) => shape.buffer(metres, QUARTER_SEGMENTS),
    boundary: (shape) => shape.boundary(),
    distance: (a, b) => a.distance(b),
  };
}

function near(layer: Gdal.Layer, shape: Gdal.Geometry, metres: number): Stored<Gdal.Geometry>[] {
  const { minX, minY, maxX, maxY } = shape.getEnvelope();
  layer.setSpatialFilter(minX - metres, minY - metres, maxX + metres, maxY + metres);
  const found = layer.features.map((feature) => ({
    id: feature.fid,
    shape: feature.getGeometry()!,
    attributes: feature.fields.toObject() as Stored<Gdal.Geometry>['attributes'],
  }));
  return found.sort((a, b) => a.id - b.id);
}

function areaOf(shape: Gdal.Geometry): number {
  if (shape instanceof gdal.Polygon || shape instanceof gdal.MultiPolygon) return shape.getArea();
  if (!(shape instanceof gdal.GeometryCollection)) return 0;
  return shape.children.map((child) => areaOf(child)).reduce((sum, one) => sum + one, 0);
}

/** Returns a GeoJSON geometry in projection metres, by PROJ. */
export function projectedShape(geometry: object): Gdal.Geometry {
  const shape = gdal.Geometry.fromGeoJson(geometry);
  shape.transform(new gdal.CoordinateTransformation(degrees(), lambert()));
  return shape;
}
