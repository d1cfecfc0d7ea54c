/** Reads features near a part of an area from their table: the reference path of areas. Slow, and right without an index. */
import { grow, type Box } from '../geometry/box.ts';
import { partOf } from '../geometry/path.ts';
import type Gdal from 'gdal-async';
import { gdal } from '../geopackage/gdal.ts';
import type { Attribute } from '../geopackage/attribute.ts';
import { inMetres, UNITS_PER_METRE } from '../engine/cells/format.ts';
import { outlineOf, readWkb, type FlatGeometry } from '../geopackage/flat-geometry.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { dataSetOfCoverageEdge } from '../engine/cells/format.ts';
import { ownOf } from '../engine/views/reference-view.ts';
import type { AreaFeature } from './area-feature.ts';

interface Near {
  /** Centimetres from the corner. */
  readonly box: Box;
  /** Projection metres. */
  readonly corner: { readonly x: number; readonly y: number };
  readonly scale: number;
  readonly reachM: number;
}

/** More than any rounding. */
const MARGIN_M = 1;

/** Returns the features of a table, or the edges of a data set's coverage, in the order of their ids. */
export function featuresFromTable(snapshot: Snapshot, table: string, near: Near): readonly AreaFeature[] {
  const dataSet = dataSetOfCoverageEdge(table);
  if (dataSet === null)
    return ownOf(
      snapshot,
      table,
      read(snapshot.layer(table), near, (geometry) => geometry),
    );
  return read(snapshot.layer('coverage'), near, outlineOf).filter(
    ({ attributes }) => attributes['data_set'] === dataSet,
  );
}

function read(layer: Gdal.Layer, near: Near, shape: (geometry: FlatGeometry) => FlatGeometry): readonly AreaFeature[] {
  const { corner, scale, reachM } = near;
  const { minX, minY, maxX, maxY } = grow(inMetres(near.box), reachM * scale + MARGIN_M);
  layer.setSpatialFilter(corner.x + minX, corner.y + minY, corner.x + maxX, corner.y + maxY);
  const found: AreaFeature[] = [];
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (!geometry) return;
    const { kind, parts } = shape(readWkb(geometry.toWKB(gdal.wkbNDR)));
    const inUnits = parts.map(({ xy }) =>
      partOf(Float64Array.from(xy, (value, i) => (value - (i % 2 === 0 ? corner.x : corner.y)) * UNITS_PER_METRE)),
    );
    const attributes = feature.fields.toObject() as Record<string, Attribute>;
    found.push({ id: feature.fid, kind, parts: inUnits, attributes });
  });
  return found.sort((a, b) => a.id - b.id);
}
