/** Returns the features that were found and those near by as GeoJSON, for a map. */
import type Gdal from 'gdal-async';
import type { DataSetDefinition } from '../../../src/shared/catalogue/definition.ts';
import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { NearFeature, NearGeometry } from '../../../src/shared/wire/near-geometry.ts';
import { gdal } from '../../geopackage/gdal.ts';
import type { ProjectedPoint } from '../../geopackage/projection.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Snapshot } from '../../geopackage/snapshot.ts';
import { counts, type FeatureChoice } from '../kinds/feature-choice.ts';
import { answerKinds, kindOf } from '../kinds/kinds.ts';
import { clipFeature, countVertices, type FoundFeature } from './clip-feature.ts';

/** Ground metres around the place. */
const RADIUS_M = 1000;
/** Limit of one answer: about 400 kB of JSON. */
const MOST_FEATURES = 400;
const MOST_VERTICES = 15_000;
/** Segments of a quarter of the clipping circle. */
const QUARTER_SEGMENTS = 24;

/**
 * Returns the features that count for an answer, nearest first, clipped to a circle. It drops the farthest when there
 * are too many.
 */
export function nearGeometry(
  snapshot: Snapshot,
  at: ProjectedPoint,
  answers: Catalogue['answers'],
  kinds = answerKinds,
): NearGeometry {
  // Which features the answers look at: a pipeline is no transmission line.
  const readings = answers.flatMap(({ dataSet, answer }) => kindOf(answer, kinds).readings(dataSet.id, answer));
  const point = new gdal.Point(at.x, at.y);
  const disc = point.buffer(RADIUS_M * at.scale, QUARTER_SEGMENTS);
  const found = [...new Set(answers.map((one) => one.dataSet))]
    .filter(({ id }) => snapshot.dataSets.has(id))
    .flatMap((dataSet) => {
      const choices = readings.filter((reading) => reading.dataSet === dataSet.id);
      return findNear(snapshot, { dataSet, point, at, choices });
    })
    .sort((a, b) => a.distanceM - b.distanceM);
  const features: NearFeature[] = [];
  let vertices = 0;
  let truncated = false;
  for (const one of found) {
    const feature = clipFeature(one, labelOf(one, kinds), disc);
    if (!feature) continue;
    vertices += countVertices(feature.geometry.coordinates);
    truncated = features.length >= MOST_FEATURES || vertices > MOST_VERTICES;
    if (truncated) break;
    features.push(feature);
  }
  return { type: 'FeatureCollection', radiusM: RADIUS_M, truncated, features };
}

interface Search {
  readonly dataSet: DataSetDefinition;
  readonly choices: readonly FeatureChoice[];
  readonly point: Gdal.Point;
  readonly at: ProjectedPoint;
}

function findNear(snapshot: Snapshot, { dataSet, choices, point, at }: Search): FoundFeature[] {
  const reach = RADIUS_M * at.scale;
  const found: FoundFeature[] = [];
  const layer = snapshot.layer(dataSet.id);
  layer.setSpatialFilter(at.x - reach, at.y - reach, at.x + reach, at.y + reach);
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    const distanceM = geometry ? geometry.distance(point) / at.scale : Infinity;
    if (!geometry || distanceM >= RADIUS_M) return;
    const attributes = feature.fields.toObject() as Record<string, Attribute>;
    if (choices.some((choice) => counts({ attributes }, choice))) {
      found.push({ dataSet, geometry, attributes, distanceM });
    }
  });
  return found;
}

/** Returns a label of the feature: the served value, otherwise an attribute with a name. */
function labelOf({ dataSet, attributes }: FoundFeature, kinds: typeof answerKinds): string | null {
  const field =
    dataSet.answers.map((answer) => kindOf(answer, kinds).labelField(answer)).find((name) => name !== undefined) ??
    Object.keys(dataSet.fields).find((name) => name.includes('NAME'));
  const value = field === undefined ? undefined : attributes[field];
  return String(value ?? '').trim() || null;
}
