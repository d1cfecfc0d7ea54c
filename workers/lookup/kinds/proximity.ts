import type { Bands, ProximityAnswer } from '../../../src/shared/catalogue/definition.ts';
import { proximityClasses, type ProximityClass } from '../../../src/shared/catalogue/proximity-classes.ts';
import { sideTable } from '../../../src/shared/catalogue/side-tables.ts';
import type { AreaValue } from '../../../src/shared/wire/area-lookup.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import { absent, LayerAnswer, nothingFound } from '../answers/layer-answer.ts';
import type { AreaFeature } from '../areas/area-feature.ts';
import type { AreaView, Choice } from '../areas/area-view.ts';
import { sharesOf } from '../areas/shares.ts';
import type { Hit, PlaceView } from '../views/view.ts';
import { counts, matches, type FeatureChoice } from './feature-choice.ts';
import type { AnswerKind, Reading, TablesRead } from './kind.ts';
import { fieldsOf, memberValues } from './member-value.ts';

/** The class of the distance to the nearest feature: inside, regulated, adjacent, outside. */
export const proximityKind: AnswerKind<ProximityAnswer> = {
  answer: answerProximity,
  area: areaProximity,
  nearestChangeM,
  alwaysNeedsCoverage: false,
  knownAroundM,
  readings,
  limitsM,
  besideUnclear,
  labelField: () => undefined,
  decidingFeature,
};

const outside = absent('outside');

/**
 * Answers with the closest class of any feature. A feature counts wherever it is found. Only "outside" requires
 * coverage of the place, and with `wholeBand` also of the land around it.
 */
function answerProximity(view: PlaceView, dataSet: string, answer: ProximityAnswer): LayerAnswer {
  const reachM = outermostM(answer);
  const hits = countingHits(dataSet, answer, (id) => (view.has(id) ? view.near(id, reachM) : []));
  // Most often nothing is near.
  if (hits.length === 0) return nothingFound(view, dataSet, outside, knownAroundM(answer));
  const classes = hits.map((hit) => classOf(hit, answer));
  const nearest = proximityClasses.find((candidate) => candidate !== 'outside' && classes.includes(candidate));
  if (nearest === undefined) return nothingFound(view, dataSet, outside, knownAroundM(answer));
  return new LayerAnswer(nearest, 'present', Math.min(...hits.map((hit) => hit.distanceM)));
}

/** Returns the answer where an unclear feature would give a closer class: that class is not known. */
function besideUnclear(
  given: LayerAnswer,
  { view, table }: { readonly view: PlaceView; readonly table: string },
  answer: ProximityAnswer,
): LayerAnswer {
  const unclear = view.near(table, outermostM(answer));
  const closest = Math.min(OUTSIDE, ...unclear.map((hit) => rankOf(hit, answer)));
  const known = typeof given.value === 'string' ? proximityClasses.indexOf(given.value as ProximityClass) : OUTSIDE;
  return closest < known ? new LayerAnswer(null, 'unavailable', unclear[0]!.distanceM) : given;
}

/** Returns the shares of the classes, which are nested: a place has the closest class of any feature. */
function areaProximity(view: AreaView, dataSet: string, answer: ProximityAnswer): AreaValue {
  const reachM = outermostM(answer);
  const choice: Choice = (piece) =>
    countingHits(dataSet, answer, (id) => (view.has(id) ? piece.features(id, reachM) : []));
  const table = sideTable(dataSet, 'unclear');
  const unclear: Choice | null = view.has(table) ? (piece) => piece.features(table, reachM) : null;
  const { areas: nested, all } = classAreas(view, { choice, unclear }, answer);
  const outsideM2 = view.knowsProvince(dataSet)
    ? view.insideOntarioM2 - nested.withinAllM2
    : view.knownBeyond(
        dataSet,
        { choice: all, limitM: (feature) => areaLimitM(feature, answer, ADJACENT) },
        knownAroundM(answer),
      );
  const { of, unknown } = sharesOf([...nested.known, outsideM2], view.areaM2);
  if (unknown === 1) return null;
  return {
    bands: Object.fromEntries(proximityClasses.map((name, i) => [name, of[i]])),
    distanceM: view.nearestM(choice, reachM),
    unknownShare: unknown,
  };
}

interface NestedAreas {
  /** Ground square metres of each class but the last, where no unclear feature would give a closer one. */
  readonly known: readonly [number, number, number];
  /** Ground square metres within the bands of any feature. */
  readonly withinAllM2: number;
}

/** Returns the areas of the classes, and the features round which none is "outside". */
function classAreas(
  view: AreaView,
  { choice, unclear }: { readonly choice: Choice; readonly unclear: Choice | null },
  answer: ProximityAnswer,
): { readonly areas: NestedAreas; readonly all: Choice } {
  const limits = [0, 1, 2].map((rank) => (feature: AreaFeature) => areaLimitM(feature, answer, rank));
  const [inside, regulated, adjacent] = view.within(choice, limits) as [number, number, number];
  if (unclear === null) {
    const known = [inside, regulated - inside, adjacent - regulated] as const;
    return { areas: { known, withinAllM2: adjacent }, all: choice };
  }
  const doubtful = new WeakSet<AreaFeature>();
  const all: Choice = (piece) => {
    const apart = unclear(piece);
    for (const feature of apart) doubtful.add(feature);
    return [...choice(piece), ...apart];
  };
  const [anyInside, anyRegulated, anyAdjacent] = view.within(all, limits) as [number, number, number];
  // Where an unclear feature would give a closer class than the features that count, nothing is known.
  const closer = [1, 2].map(
    (rank) => (feature: AreaFeature) => areaLimitM(feature, answer, doubtful.has(feature) ? rank - 1 : rank),
  );
  const [mixedRegulated, mixedAdjacent] = closer.map((limitM) => view.within(all, [limitM])[0]!) as [number, number];
  const known = [inside, mixedRegulated - anyInside, mixedAdjacent - anyRegulated] as const;
  return { areas: { known, withinAllM2: anyAdjacent }, all };
}

/** Returns the metres round a feature in which a place has at least the class of a rank. A place on a line or point has no area. */
function areaLimitM(feature: AreaFeature, answer: ProximityAnswer, rank: number): number {
  const { regulated = 0, adjacent = 0 } = bandsOf(feature, answer);
  return Math.max(...[answer.insideWithinM ?? 0, regulated, adjacent].slice(0, rank + 1));
}

/**
 * Returns the features of the data set and of its partners that count for the answer; `find` returns the near features
 * of a data set.
 */
function countingHits<H extends Pick<Hit, 'attributes'>>(
  dataSet: string,
  answer: ProximityAnswer,
  find: (dataSet: string) => readonly H[],
): readonly H[] {
  const own = chosen(find(dataSet), answer);
  if (!answer.with) return own;
  const all = [...own];
  for (const part of answer.with) all.push(...chosen(find(part.dataSet), part));
  return all;
}

function chosen<H extends Pick<Hit, 'attributes'>>(hits: readonly H[], choice: FeatureChoice): readonly H[] {
  if (hits.length === 0 || !(choice.only ?? choice.ignore)) return hits;
  return hits.filter((hit) => counts(hit, choice));
}

const outermost = new WeakMap<ProximityAnswer, number>();

/**
 * Returns the largest distance in metres at which a feature can change the answer. Cached, because each lookup uses it
 * several times.
 */
export function outermostM(answer: ProximityAnswer): number {
  let known = outermost.get(answer);
  if (known === undefined) outermost.set(answer, (known = Math.max(0, ...limitsM(answer))));
  return known;
}

function limitsM({ insideWithinM, bands, bandsFor = [] }: ProximityAnswer): readonly number[] {
  const all = [bands, ...bandsFor.map((special) => special.bands)];
  const limits = [insideWithinM, ...all.flatMap(({ regulated, adjacent }) => [regulated, adjacent])];
  return limits.filter((limit) => limit !== undefined && limit > 0) as number[];
}

/** Returns the radius around a place that must be covered before the answer may be "outside". Metres. */
function knownAroundM(answer: ProximityAnswer): number {
  return answer.wholeBand === true ? outermostM(answer) : 0;
}

/** Returns the limits in metres for a feature: the general ones, or those for its attributes. */
function bandsOf(hit: Pick<Hit, 'attributes'>, answer: ProximityAnswer): Bands {
  const special = answer.bandsFor?.find((candidate) => matches(hit, candidate));
  return special ? { ...answer.bands, ...special.bands } : answer.bands;
}

/**
 * Distance below which a place is on the feature, because stored coordinates are rounded to centimetres
 * (docs/cell-index.md).
 */
const ON_FEATURE_M = 0.02;

/** Returns the distance in metres up to which a feature makes the answer "inside". */
export function insideLimitM({ insideWithinM }: ProximityAnswer): number {
  return insideWithinM ?? ON_FEATURE_M;
}

/**
 * Returns the feature that decides the answer: the nearest of those in the closest class. Null when none is within the
 * bands.
 */
function decidingHit<H extends Hit>(hits: readonly H[], answer: ProximityAnswer): H | null {
  const ranked = hits
    .map((hit) => ({ hit, rank: rankOf(hit, answer) }))
    .filter(({ rank }) => proximityClasses[rank] !== 'outside')
    .sort((a, b) => a.rank - b.rank || a.hit.distanceM - b.hit.distanceM);
  return ranked[0]?.hit ?? null;
}

function classOf(hit: Hit, answer: ProximityAnswer): ProximityClass {
  const bands = bandsOf(hit, answer);
  if (hit.distanceM <= insideLimitM(answer)) return 'inside';
  if (hit.distanceM <= (bands.regulated ?? 0)) return 'regulated';
  if (hit.distanceM <= (bands.adjacent ?? 0)) return 'adjacent';
  return 'outside';
}

/** The place of the class that a feature gives, from the closest outwards. */
function rankOf(hit: Hit, answer: ProximityAnswer): number {
  return proximityClasses.indexOf(classOf(hit, answer));
}

/** Attributes of the feature that decides the class; null when none does, undefined when the definition asks for none. */
function decidingFeature(
  view: PlaceView,
  { dataSet, unclear }: TablesRead,
  answer: ProximityAnswer,
): Readonly<Record<string, Attribute>> | null | undefined {
  if (!answer.deciding) return undefined;
  const find = (id: string): readonly Hit[] => (view.has(id) ? view.edges(id, outermostM(answer)) : []);
  // A feature that counts comes first among equals.
  const hits = [...countingHits(dataSet, answer, find), ...(unclear === null ? [] : find(unclear))];
  const deciding = decidingHit(hits, answer);
  return deciding && memberValues(deciding, answer.deciding);
}

/**
 * Returns the way to where the answer changes: to a better class by any feature, or to a worse one by leaving all features of the present
 * class. A feature that is near a limit of no better class changes nothing.
 */
function nearestChangeM(
  view: PlaceView,
  { dataSet, answer }: { readonly dataSet: string; readonly answer: ProximityAnswer },
  searchM: number,
): number {
  const reachM = outermostM(answer) + searchM;
  const hits = countingHits(dataSet, answer, (id) => (view.has(id) ? view.edges(id, reachM) : []));
  if (hits.length === 0) return Infinity;
  const present = Math.min(OUTSIDE, ...hits.map((hit) => rankOf(hit, answer)));
  const better = hits.flatMap((hit) => {
    const limits = limitsOf(hit, answer).slice(0, present);
    return limits.flatMap((limitM) => (hit.distanceM > limitM ? [hit.distanceM - limitM] : []));
  });
  const leaving = hits
    .filter((hit) => rankOf(hit, answer) === present)
    .map((hit) => limitsOf(hit, answer)[present]! + (hit.distanceM > 0 ? -hit.distanceM : hit.edgeDistanceM));
  const nearestM = Math.min(...better);
  return present === OUTSIDE || leaving.length === 0 ? nearestM : Math.min(nearestM, Math.max(...leaving));
}

const OUTSIDE = proximityClasses.indexOf('outside');
const ADJACENT = proximityClasses.indexOf('adjacent');

/** Distances in metres up to which a feature makes the answer each class but the last. */
function limitsOf(hit: Hit, answer: ProximityAnswer): readonly [number, number, number] {
  const { regulated = 0, adjacent = 0 } = bandsOf(hit, answer);
  return [insideLimitM(answer), regulated, adjacent];
}

/**
 * The answer may ignore a feature because of an attribute, so a nearer feature does not always make a farther one
 * unnecessary.
 */
function readings(dataSet: string, answer: ProximityAnswer): readonly Reading[] {
  const reachM = outermostM(answer);
  const bandFields = (answer.bandsFor ?? []).map(({ field }) => field);
  // Attributes of the deciding feature, which is the nearest of its class.
  const told = fieldsOf(answer.deciding ?? {});
  const parts: readonly (FeatureChoice & { readonly dataSet: string })[] = [
    { ...answer, dataSet },
    ...(answer.with ?? []),
  ];
  return parts.map(({ dataSet: id, only, ignore }) => {
    const fields = [...bandFields, ...[only, ignore].flatMap((filter) => filter?.field ?? [])];
    return {
      ...{ dataSet: id, ...(only ? { only } : {}), ...(ignore ? { ignore } : {}) },
      ...{
        reachM,
        nearestOnly: fields.length === 0,
        fields: [...fields, ...(id === dataSet ? told : [])],
        // What only the evidence tells is read of one feature.
        readsNearestOfMany: fields.length === 0 && told.length > 0,
      },
    };
  });
}
