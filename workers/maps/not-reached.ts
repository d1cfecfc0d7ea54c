import type Gdal from 'gdal-async';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { NotReached } from '../../src/messages/wire/near-geometry.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { partsInDegrees } from './clip-feature.ts';
import { discAround, RADIUS_M, toleranceOf, type MapPlace } from './near-geometry.ts';

/** Returns where in the circle of a map the data of hazards do not reach: that nothing is drawn there means nothing. */
export function notReached(snapshot: Snapshot, at: MapPlace, answers: Catalogue['answers']): NotReached[] {
  const hazards = answers.filter(({ answer }) => answer.reader?.concern === 'hazard').map(({ dataSet }) => dataSet.id);
  const disc = discAround(at);
  return [...new Set(hazards)].flatMap((dataSet) => {
    const coverage = snapshot.dataSets.get(dataSet)?.coverage;
    if (coverage === 'province') return [];
    const rest = coverage === 'area' ? withoutCoverage(snapshot, { dataSet, disc }) : disc;
    const parts = partsInDegrees(rest, { like: disc, toleranceM: toleranceOf(at.radiusM ?? RADIUS_M) });
    if (parts.length === 0) return [];
    const coordinates = parts.map((part) => part.coordinates);
    return [{ type: 'Feature', properties: { dataSet }, geometry: { type: 'MultiPolygon', coordinates } }];
  });
}

function withoutCoverage(
  snapshot: Snapshot,
  { dataSet, disc }: { readonly dataSet: string; readonly disc: Gdal.Geometry },
): Gdal.Geometry {
  const layer = snapshot.layer('coverage');
  const { minX, minY, maxX, maxY } = disc.getEnvelope();
  layer.setSpatialFilter(minX, minY, maxX, maxY);
  let rest = disc;
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    if (geometry && feature.fields.get('data_set') === dataSet) rest = rest.difference(geometry);
  });
  return rest;
}
