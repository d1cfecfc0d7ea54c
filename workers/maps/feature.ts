/** Writes `geometry` of an answer: what is near, and what a map without another map beneath it needs besides. */
import { type Catalogue, allAnswers } from '../../src/catalogue/catalogue.ts';
import type { ServedSnapshot, ThreadFeature, WriteGeometry } from '../engine/feature.ts';
import { neededFromIndex } from '../engine/kinds/indexed-data-sets.ts';
import { openOutlines, readOutlineNodes, type Outlines, type NearOutline } from './outline-index.ts';
import type Gdal from 'gdal-async';
import type { NotReached, NearFeature, NearGeometry } from '../../src/messages/wire/near-geometry.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import {
  partsInDegrees,
  clipFeature,
  countVertices,
  roundDistance,
  SIMPLIFY_M,
  type FoundFeature,
} from './clip-feature.ts';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { gdal } from '../geopackage/gdal.ts';
import type { ProjectedPoint } from '../geopackage/lambert.ts';
import type { Attribute } from '../geopackage/attribute.ts';
import { counts, type FeatureChoice } from '../engine/cells/feature-choice.ts';
import { answerKinds, kindOf } from '../engine/kinds/kinds.ts';
import { UNITS_PER_METRE } from '../engine/cells/format.ts';
import { Disc, QUARTER_SEGMENTS } from './disc.ts';
import { CoordinateWriter } from './coordinate-writer.ts';
import { GeometryWriter } from './outline-geometry.ts';

/** Farther than this nobody looks for a neighbour. */
const ADDRESSES_WITHIN_M = 250;

/** The features around a place as shapes, for `geometry=near` and `geometry=map`. */
export const maps: ThreadFeature = {
  name: 'maps',
  share: (snapshot) => (snapshot.manifest.cells ? readOutlineNodes(snapshot) : null),
  open: (from, { answers, further, shared }) => {
    const needed = neededFromIndex(allAnswers({ answers, further }), from.snapshot);
    const outlines = from.cells && shared && openOutlines(from.snapshot, from.cells, { nodes: shared, needed });
    const shown = shownOf(answers);
    return {
      writeGeometry(around, what, asked) {
        const { answers: all, order } = asked.length === 0 ? shown : shownOf([...answers, ...asked]);
        const near = outlines
          ? nearJson(outlines, around, order)
          : JSON.stringify(nearGeometry(from.snapshot, around, all));
        return what === 'near' ? near : withSurroundings(from, { around, near, answers: all });
      },
    };
  },
};

function shownOf(answers: Catalogue['answers']) {
  return { answers, order: dataSetOrder(answers) };
}

/** Writes the same with the addresses around, and where the data of hazards do not reach. @param near a `NearGeometry` with what is near alone. */
function withSurroundings(
  { snapshot, gazetteer }: ServedSnapshot,
  { around, near, answers }: { answers: Catalogue['answers']; around: Parameters<WriteGeometry>[0]; near: string },
): string {
  const withinM = Math.min(around.radiusM ?? RADIUS_M, ADDRESSES_WITHIN_M);
  const besides = {
    addresses: gazetteer?.around(around, withinM) ?? [],
    notReached: notReached(snapshot, around, answers),
  };
  return `${near.slice(0, -1)},${JSON.stringify(besides).slice(1)}`;
}

/** Returns where in the circle of a map the data of hazards do not reach: that nothing is drawn there means nothing. */
function notReached(snapshot: Snapshot, at: MapPlace, answers: Catalogue['answers']): NotReached[] {
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

/** Ground metres around a place, where nothing else is asked for. */
const RADIUS_M = 1000;
/** Limit of one answer: about 400 kB of JSON. */
const MOST_FEATURES = 400;
const MOST_VERTICES = 15_000;

/** The middle of a map, and how far it reaches in ground metres. */
interface MapPlace extends ProjectedPoint {
  readonly radiusM?: number;
}

/**
 * Returns the features that count for an answer, nearest first, clipped to a circle. It drops the farthest when there
 * are too many.
 */
export function nearGeometry(
  snapshot: Snapshot,
  at: MapPlace,
  answers: Catalogue['answers'],
  kinds = answerKinds,
): NearGeometry {
  // Which features the answers look at: a pipeline is no transmission line.
  const readings = answers.flatMap(({ dataSet, answer }) => kindOf(answer, kinds).readings(dataSet.id, answer));
  const { radiusM = RADIUS_M } = at;
  const point = new gdal.Point(at.x, at.y);
  const disc = discAround(at);
  const found = [...new Set(answers.map((one) => one.dataSet))]
    .filter(({ id }) => snapshot.dataSets.has(id))
    .flatMap((dataSet) => {
      const choices = readings.filter((reading) => reading.dataSet === dataSet.id);
      return findNear(snapshot, { dataSet, choices }, { point, at });
    })
    .sort((a, b) => a.distanceM - b.distanceM);
  const how = { disc, toleranceM: toleranceOf(radiusM) };
  return collect(
    radiusM,
    found.map((one) => () => clipFeature(one, labelOf(one, kinds), how)),
  );
}

/** The circle of a map, as a polygon of projection metres. */
function discAround({ x, y, scale, radiusM = RADIUS_M }: MapPlace): Gdal.Geometry {
  return new gdal.Point(x, y).buffer(radiusM * scale, QUARTER_SEGMENTS);
}

/** Larger maps are drawn at smaller scales. */
const toleranceOf = (radiusM: number): number => SIMPLIFY_M * Math.max(1, radiusM / RADIUS_M);

/** Takes features, nearest first, until there are too many. */
function collect(radiusM: number, found: readonly (() => NearFeature | null)[]): NearGeometry {
  const features: NearFeature[] = [];
  const limit = new SizeLimit();
  for (const featureOf of found) {
    const feature = featureOf();
    if (!feature) continue;
    if (!limit.allows(countVertices(feature.geometry.coordinates))) break;
    features.push(feature);
  }
  return { type: 'FeatureCollection', radiusM, truncated: limit.isReached, features };
}

/** Returns the order of features that are equally near: by data set, as the layers are listed. */
export function dataSetOrder(answers: Catalogue['answers']): ReadonlyMap<string, number> {
  return new Map([...new Set(answers.map(({ dataSet }) => dataSet.id))].map((id, i) => [id, i]));
}

/** Writes the same as JSON from the outline tree, of the data sets in `order`, the result of `dataSetOrder`. */
export function nearJson(outlines: Outlines, at: MapPlace, order: ReadonlyMap<string, number>): string {
  const { radiusM = RADIUS_M } = at;
  // Once for each data set, because a map reads hundreds of outlines.
  const orders = outlines.dataSets.map((id) => order.get(id));
  const orderOf = ({ set }: NearOutline): number => orders[set]!;
  const writer = new GeometryWriter({
    disc: new Disc(radiusM * at.scale * UNITS_PER_METRE),
    tolerance: toleranceOf(radiusM) * UNITS_PER_METRE,
    coordinates: new CoordinateWriter(at),
  });
  const found = outlines
    .near(at, radiusM, (set) => orders[set] !== undefined)
    .sort((a, b) => a.distance - b.distance || orderOf(a) - orderOf(b) || a.fid - b.fid);
  let features = '';
  const limit = new SizeLimit();
  for (const outline of found) {
    const geometry = writer.write(outline);
    if (!geometry) continue;
    if (!limit.allows(geometry.vertices)) break;
    const distanceM = roundDistance(outline.distance / UNITS_PER_METRE / at.scale);
    // Ids need no escapes (layers/schema).
    const properties = `"dataSet":"${outlines.dataSets[outline.set]!}","label":${JSON.stringify(outline.label)},"distanceM":${distanceM}`;
    features += `${features === '' ? '' : ','}{"type":"Feature","properties":{${properties}},"geometry":${geometry.json}}`;
  }
  return `{"type":"FeatureCollection","radiusM":${radiusM},"truncated":${limit.isReached},"features":[${features}]}`;
}

class SizeLimit {
  #features = 0;
  #vertices = 0;
  isReached = false;

  /** Counts a feature; false when it is one too many. */
  allows(vertices: number): boolean {
    this.#vertices += vertices;
    this.isReached = this.#features >= MOST_FEATURES || this.#vertices > MOST_VERTICES;
    this.#features++;
    return !this.isReached;
  }
}

function findNear(
  snapshot: Snapshot,
  { dataSet, choices }: { readonly dataSet: DataSetDefinition; readonly choices: readonly FeatureChoice[] },
  { point, at }: { readonly point: Gdal.Point; readonly at: MapPlace },
): FoundFeature[] {
  const { radiusM = RADIUS_M } = at;
  const reach = radiusM * at.scale;
  const found: FoundFeature[] = [];
  const owns = snapshot.judged.get(dataSet.id)?.owns ?? (() => true);
  const layer = snapshot.layer(dataSet.id);
  layer.setSpatialFilter(at.x - reach, at.y - reach, at.x + reach, at.y + reach);
  layer.features.forEach((feature) => {
    const geometry = feature.getGeometry();
    const distanceM = geometry ? geometry.distance(point) / at.scale : Infinity;
    if (!geometry || distanceM >= radiusM) return;
    const attributes = feature.fields.toObject() as Record<string, Attribute>;
    if (owns(attributes) && choices.some((choice) => counts({ attributes }, choice))) {
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
