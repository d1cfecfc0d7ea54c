/** Answers a lookup of an area. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { LookupAnswer, LookupTask } from '../../src/messages/lookup.ts';
import { fail, type Outcome } from '../../src/messages/outcome.ts';
import type { AreaLookupBody, AreaValue, FullAreaLookupBody } from '../../src/messages/wire/area-lookup.ts';
import { fromLambert } from '../geopackage/lambert.ts';
import { membersJson } from '../engine/answers/answer-members.ts';
import { answersOf } from '../engine/answers/asked-answers.ts';
import type { AnsweredArea, ServedSnapshot } from '../engine/feature.ts';
import { kindOf } from '../engine/kinds/kinds.ts';
import { dataAsOfJson } from '../engine/served-snapshot.ts';
import { areaMapText } from './area-map.ts';
import { nearestToArea } from './nearest.ts';
import { areaKindOf } from './kinds/kinds.ts';
import { areaPieces, type AreaSource } from './area-pieces.ts';
import { AreaView } from './area-view.ts';
import { pointInside } from './point-inside.ts';
import { prepareArea, type PreparedArea } from './project-area.ts';
import { sharesOf } from './shares.ts';
import { layersJson } from './usual-values.ts';

export type AreaTask = Extract<LookupTask, { readonly kind: 'area' }>;

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
  const nearest: AnsweredArea['nearest'] = (key, withinM) => {
    const found = answers.find(({ answer }) => answer.key === key);
    return found ? nearestToArea(view, cells, found, withinM) : null;
  };
  return { kind: 'area', answers, values, lookupId, nearest };
}

/** Returns the view of an area through the cell index, or through the feature tables where there is none. */
export function viewOfArea(
  { snapshot, cells, further = true }: Pick<ServedSnapshot, 'snapshot' | 'cells'> & Partial<AreaSource>,
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
