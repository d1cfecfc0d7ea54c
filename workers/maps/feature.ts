/** Writes `geometry` of an answer: what is near, and what a map without another map beneath it needs besides. */
import { type Catalogue, allAnswers } from '../../src/catalogue/catalogue.ts';
import type { ServedSnapshot, ThreadFeature, WriteGeometry } from '../engine/feature.ts';
import { neededFromIndex } from '../engine/kinds/indexed-data-sets.ts';
import {
  type MapPlace,
  dataSetOrder,
  nearGeometry,
  nearJson,
  RADIUS_M,
  discAround,
  toleranceOf,
} from './near-geometry.ts';
import { openOutlines, readOutlineNodes } from './open-outlines.ts';
import type Gdal from 'gdal-async';
import type { NotReached } from '../../src/messages/wire/near-geometry.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import { partsInDegrees } from './clip-feature.ts';

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
