/** Places where areas are hard to measure: on the borders of features, and where three of them meet. */
import type Gdal from 'gdal-async';
import { readWkb } from '../../../workers/geopackage/flat-geometry.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import type { Snapshot } from '../../../workers/geopackage/snapshot.ts';
import type { Anchor } from './random-areas.ts';

/** Returns a function that draws anchors from the features of all tables in turns. */
export function anchorsOf(snapshot: Snapshot, random: () => number): () => Anchor {
  const tables = [...snapshot.dataSets].filter(([id, { featureCount }]) => id !== 'province' && featureCount > 0);
  let next = 0;
  return () => {
    for (;;) {
      const [table, { featureCount }] = tables[next++ % tables.length]!;
      const layer = snapshot.layer(table);
      layer.setSpatialFilter(null);
      const geometry = geometryOf(layer, 1 + Math.floor(random() * featureCount));
      if (geometry) return anchorOn(layer, geometry, random);
    }
  };
}

function geometryOf(layer: Gdal.Layer, id: number): Gdal.Geometry | null {
  try {
    return layer.features.get(id).getGeometry();
  } catch {
    return null;
  }
}

function anchorOn(layer: Gdal.Layer, geometry: Gdal.Geometry, random: () => number): Anchor {
  const { parts } = readWkb(geometry.toWKB(gdal.wkbNDR));
  const { xy } = parts[Math.floor(random() * parts.length)]!;
  const border = Array.from({ length: xy.length / 2 }, (_, i) => [xy[2 * i]!, xy[2 * i + 1]!] as const);
  const anywhere = border[Math.floor(random() * border.length)]!;
  if (border.length < 4 || random() < 0.5) return { at: anywhere, border };
  const quarter = Math.max(1, border.length >> 2);
  const corners = [0, 1, 2, 3].map((i) => border[(i * quarter) % border.length]!);
  return { at: corners.find((corner) => featuresAt(layer, corner) >= 3) ?? anywhere, border };
}

function featuresAt(layer: Gdal.Layer, [x, y]: readonly [number, number]): number {
  layer.setSpatialFilter(x - 0.01, y - 0.01, x + 0.01, y + 0.01);
  return layer.features.count();
}
