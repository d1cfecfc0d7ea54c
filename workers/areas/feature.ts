import type { ThreadFeature, AnsweredArea, ServedSnapshot, Nearest } from '../engine/feature.ts';
import { type Catalogue, answersOf } from '../../src/catalogue/catalogue.ts';
import type { LookupAnswer, LookupTask, Coordinate } from '../../src/messages/lookup.ts';
import { type Outcome, fail } from '../../src/messages/outcome.ts';
import type { AreaLookupBody, AreaValue, FullAreaLookupBody } from '../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { membersJson } from '../engine/answers/answer-members.ts';
import { kindOf } from '../engine/kinds/kinds.ts';
import { dataAsOfJson } from '../engine/served-snapshot.ts';
import { areaKindOf, valueOf } from './kinds.ts';
import { areaPieces } from './area-pieces.ts';
import { AreaView } from './area-view.ts';
import { type PreparedArea, prepareArea } from './project-area.ts';
import { pointInside } from './rings.ts';
import { sharesOf, layersJson } from './shares.ts';
import { partsOf, reaches } from '../engine/answers/nearest.ts';
import type { CellIndex } from '../engine/cells/open.ts';
import { counts, type FeatureChoice } from '../engine/cells/feature-choice.ts';
import type { AreaFeature } from './rings.ts';
import type { MapPolygons } from '../../src/messages/wire/near-geometry.ts';
import { project, fromLambert } from '../geopackage/lambert.ts';
import { nestRings } from '../geometry/ring.ts';

/** Answers lookups of areas. */
export const areas: ThreadFeature = {
  name: 'areas',
  open: (from, catalogue) => ({ handlers: { area: (task) => answerArea(from, task, catalogue) } }),
};

type AreaTask = Extract<LookupTask, { readonly kind: 'area' }>;

/** Gives an `AreaLookupBody`, or OUTSIDE_ONTARIO, or BAD_REQUEST for an area that is too large, too small or no area. */
export function answerArea(
  from: ServedSnapshot,
  { polygons, isClosed, further, members, lookupId, geometry, full = false }: AreaTask,
  catalogue: Pick<Catalogue, 'answers' | 'further'>,
): Outcome<LookupAnswer> {
  const start = performance.now();
  const area = prepareArea(polygons);
  if ('fault' in area) return fail('BAD_REQUEST', area.fault, { reason: 'INVALID', param: '/geometry' });
  const asked = answersOf(catalogue.further, further);
  const view = viewOfArea({ ...from, further: asked.length > 0 }, area);
  const inside = sharesOf([view.insideOntarioM2], area.areaM2).of[0]!;
  if (inside === 0) return fail('OUTSIDE_ONTARIO', 'the area is outside Ontario', { reason: 'OUT_OF_AREA' });
  const about: Omit<AreaLookupBody, 'layers' | 'dataAsOf' | 'geometry'> = {
    areaM2: Math.round(area.areaM2 * 10) / 10,
    ...placeIn(area),
    repaired: area.isRepaired || !isClosed,
    insideOntarioShare: inside,
  };
  const answers = [...catalogue.answers, ...asked];
  const values = answerLayers(view, answers);
  const layers = layersJson(values);
  const map = geometry ? `,"geometry":${areaMapText(from, area, { ...about, asked })}` : '';
  const added = members ? membersJson(from, members, answeredArea(from, view, { answers, values, lookupId })) : '';
  const rest = full ? `,"evidence":${JSON.stringify(evidenceOf(answers))},"snapshot":${from.json}` : '';
  const json = `${JSON.stringify(about).slice(0, -1)},"layers":${layers},"dataAsOf":${dataAsOfJson(from, asked)}${map}${rest}${added}}`;
  const { id: vintage } = from.snapshot.manifest;
  return { ok: true, value: { json, vintage, geocodeMs: 0, layersMs: performance.now() - start } };
}

function answeredArea(
  { cells }: ServedSnapshot,
  view: AreaView,
  { answers, values, lookupId }: Pick<AnsweredArea, 'answers' | 'values' | 'lookupId'>,
): AnsweredArea {
  const nearest: AnsweredArea['nearest'] = (key, withinM, counts = () => true) => {
    const found = answers.find(({ answer }) => answer.key === key);
    return found ? nearestToArea(view, cells, found, { withinM, counts }) : null;
  };
  return { kind: 'area', answers, values, lookupId, nearest };
}

/** Returns the view of an area through the cell index, or through the feature tables where there is none. */
export function viewOfArea(
  { snapshot, cells, further = true }: Pick<ServedSnapshot, 'snapshot' | 'cells'> & { readonly further?: boolean },
  area: PreparedArea,
): AreaView {
  const pieces = area.rings.length === 0 ? [] : areaPieces({ snapshot, cells, further }, area);
  return new AreaView(snapshot, pieces, area.areaM2);
}

/** Returns every layer's shares by key, null where nothing is known. */
export function answerLayers(view: AreaView, answers: Catalogue['answers']): Record<string, AreaValue> {
  const layers: Record<string, AreaValue> = {};
  for (const { dataSet, answer } of answers)
    layers[answer.key] = view.has(dataSet.id) ? areaKindOf(answer)(view, dataSet.id, answer) : null;
  return layers;
}

/** What each answer rests on. */
function evidenceOf(answers: Catalogue['answers']): FullAreaLookupBody['evidence'] {
  const dataSetsOf = ({ dataSet, answer }: Catalogue['answers'][number]): string[] => [
    ...new Set(
      kindOf(answer)
        .readings(dataSet.id, answer)
        .map((reading) => reading.dataSet),
    ),
  ];
  return Object.fromEntries(answers.map((one) => [one.answer.key, { dataSets: dataSetsOf(one) }]));
}

/** To a centimetre, so that the point is inside of narrow areas, too. */
function placeIn({ rings }: PreparedArea): { readonly lat: number; readonly lon: number } {
  const { x, y } = pointInside(rings);
  const { lat, lon } = fromLambert(x, y);
  return { lat: Number(lat.toFixed(7)), lon: Number(lon.toFixed(7)) };
}

/** Tells how near the features of a layer are to an area, 0 where they meet (`NearestOf`). */
function nearestToArea(
  view: AreaView,
  cells: CellIndex | null,
  asked: Catalogue['answers'][number],
  { withinM, counts: countsValue }: { readonly withinM: number; readonly counts: (value: LayerValue) => boolean },
): Nearest | null {
  const parts = partsOf(asked);
  if (!reaches(view, cells, parts, withinM)) return null;
  const isCounted = (feature: AreaFeature, part: FeatureChoice): boolean => {
    const value = valueOf(feature, asked.answer);
    return counts(feature, part) && (value === null || countsValue(value));
  };
  const nearestM = (choice: Parameters<AreaView['nearestM']>[0]): number => view.nearestM(choice, withinM) ?? Infinity;
  return {
    countingM: nearestM((piece) =>
      parts.flatMap((part) => piece.features(part.id, withinM).filter((one) => isCounted(one, part))),
    ),
    unclearM: nearestM((piece) =>
      parts.flatMap(({ unclear }) => (view.has(unclear) ? piece.features(unclear, withinM) : [])),
    ),
    isKnown: parts.every(({ id }) => knowsAround(view, id, withinM)),
  };
}

/** Whether a data set knows the land of the area, and `aroundM` ground metres around each place of it. */
function knowsAround(view: AreaView, id: string, aroundM: number): boolean {
  // What it knows ends nowhere in the area then: it knows all of it, or nothing.
  const endsM = view.coverageEdgeM(id, aroundM);
  return endsM > 0 && endsM >= aroundM && sharesOf([view.knownM2(id)], view.areaM2).of[0] === 1;
}

// Writes `geometry` of an answer to an area: the area as it was answered, and the features in it and around it.

/** How far beyond the area a map shows features, as a share of its reach, and within which limits. Metres. */
const AROUND = 1.5;
const LEAST_M = 300;
/** A square of the largest area fits. A longer area is shown in part. */
const MOST_M = 6000;

/** To 11 cm. */
const DECIMALS = 6;

/** @param asked further answers that are asked for. */
function areaMapText(
  from: ServedSnapshot,
  area: PreparedArea,
  { lat, lon, asked }: Coordinate & { asked: Catalogue['answers'] },
): string {
  const at = project({ lat, lon });
  const reachM = Math.max(...area.rings.map(({ xy }) => farthest(xy, at))) / at.scale;
  const radiusM = Math.round(Math.min(Math.max(reachM * AROUND, LEAST_M), MOST_M));
  const text = from.writeGeometry({ ...at, lat, lon, radiusM }, 'map', asked);
  return `${text.slice(0, -1)},"area":${JSON.stringify(polygonsOf(area.outline))}}`;
}

function farthest(xy: ArrayLike<number>, at: { readonly x: number; readonly y: number }): number {
  let most = 0;
  for (let i = 0; i < xy.length; i += 2) most = Math.max(most, Math.hypot(xy[i]! - at.x, xy[i + 1]! - at.y));
  return most;
}

function polygonsOf(outline: PreparedArea['outline']): MapPolygons {
  const polygons = nestRings(outline.map((ring) => [...ring])).map((rings) => rings.map(positionsOf));
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function positionsOf(ring: readonly number[]): number[][] {
  const positions: number[][] = [];
  for (let i = 0; i < ring.length; i += 2)
    positions.push([Number(ring[i]!.toFixed(DECIMALS)), Number(ring[i + 1]!.toFixed(DECIMALS))]);
  return [...positions, positions[0]!];
}
