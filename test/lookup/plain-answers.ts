/** A second opinion on a place's answers: the definitions read literally, on GeoJSON, with `plain-geometry.ts`. */
import type {
  AnswerDefinition,
  CountAnswer,
  CountingRule,
  DataSetDefinition,
  FieldFilter,
  MemberDefinition,
  ProximityAnswer,
} from '../../src/catalogue/definition.ts';
import type { LayerState } from '../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { distanceM } from './plain-geometry.ts';
import type { Feature, LonLat } from '../support/material/sample/frame.ts';

export interface PlainSource {
  readonly features: readonly Feature[];
  /** Whether the data set knows the answer at the place when no feature is found. */
  knows(at: LonLat): boolean;
}

interface Near {
  readonly feature: Feature;
  readonly distanceM: number;
}

interface Choice {
  readonly only?: FieldFilter;
  readonly ignore?: FieldFilter;
}

export interface PlainAnswer {
  readonly value: LayerValue;
  readonly state: LayerState;
}

export function plainAnswer(
  sources: Readonly<Record<string, PlainSource>>,
  { dataSet, answer }: { readonly dataSet: DataSetDefinition; readonly answer: AnswerDefinition },
  at: LonLat,
): PlainAnswer {
  const source = sources[dataSet.id]!;
  const near = nearest(source, dataSet.counts, at);
  const unclear = nearest(source, dataSet.counts, at, null);
  const inside = near.find((one) => one.distanceM === 0)?.feature;
  const unknown: PlainAnswer = { value: null, state: 'unavailable' };
  const none = (no: LayerValue): PlainAnswer => {
    if (answer.kind !== 'count' && answer.kind !== 'proximity' && unclear[0]?.distanceM === 0) return unknown;
    return source.knows(at) ? { value: no, state: 'absent' } : { value: null, state: 'no_coverage' };
  };
  const present = (value: LayerValue): PlainAnswer => ({ value, state: value === null ? 'unavailable' : 'present' });
  switch (answer.kind) {
    case 'boolean':
      return inside ? present(true) : none(false);
    case 'value':
      return inside ? present(text(inside, answer)) : none(null);
    case 'object':
      return inside ? present(members(inside, answer.members)) : none(null);
    case 'count':
      return count(near, answer);
    case 'proximity':
      return proximity(sources, { near, unclear, answer, at, none });
  }
}

interface Proximity {
  readonly near: readonly Near[];
  readonly unclear: readonly Near[];
  readonly answer: ProximityAnswer;
  readonly at: LonLat;
  readonly none: (no: LayerValue) => PlainAnswer;
}

function proximity(
  sources: Readonly<Record<string, PlainSource>>,
  { near, unclear, answer, at, none }: Proximity,
): PlainAnswer {
  if (answer.judgedBy) return judgedProximity(near, answer, answer.judgedBy);
  const others = (answer.with ?? []).map((part) => ({ part, near: nearest(sources[part.dataSet]!, undefined, at) }));
  const nearestClass = nearestClassOf(near, others, answer) ?? 'outside';
  const doubtful = nearestClassOf(unclear, [], answer) ?? 'outside';
  if (classes.indexOf(doubtful) < classes.indexOf(nearestClass)) return { value: null, state: 'unavailable' };
  return nearestClass === 'outside' ? none('outside') : { value: nearestClass, state: 'present' };
}

/** Every feature by the rules of the answer; "outside" only beside one that is known not to count. */
function judgedProximity(near: readonly Near[], answer: ProximityAnswer, rules: readonly CountingRule[]): PlainAnswer {
  const of = (standing: boolean | null): Near[] =>
    near.filter(({ feature }) => countsByRules(feature, rules) === standing);
  const [counting, doubtful, others] = [of(true), of(null), of(false)].map(
    (some) => classOf(some, answer) ?? 'outside',
  );
  if (classes.indexOf(doubtful!) < classes.indexOf(counting!)) return { value: null, state: 'unavailable' };
  if (counting !== 'outside') return { value: counting!, state: 'present' };
  return others === 'outside' ? { value: null, state: 'no_coverage' } : { value: 'outside', state: 'absent' };
}

function nearestClassOf(
  own: readonly Near[],
  others: readonly { readonly part: Choice; readonly near: readonly Near[] }[],
  answer: ProximityAnswer,
): string | null {
  const all = [{ part: answer, near: own }, ...others];
  const counting = all.flatMap(({ part, near }) => near.filter(({ feature }) => counts(feature, part)));
  return classOf(counting, answer) ?? null;
}

function count(near: readonly Near[], answer: CountAnswer): PlainAnswer {
  const found = near.filter((one) => one.distanceM <= answer.radiusM);
  const [first] = found;
  return {
    value: {
      [answer.members.count]: found.length,
      [answer.members.nearestDistanceM]: first ? Math.round(first.distanceM) : null,
      ...(first ? members(first.feature, answer.nearest) : {}),
    },
    state: first ? 'present' : 'absent',
  };
}

function classOf(hits: readonly Near[], answer: ProximityAnswer): string | undefined {
  const ranks = hits.map(({ feature, distanceM }) => {
    const special = answer.bandsFor?.find((one) => matches(feature, one))?.bands;
    const { regulated = 0, adjacent = 0 } = { ...answer.bands, ...special };
    return [answer.insideWithinM ?? 0, regulated, adjacent].findIndex((limit) => distanceM <= limit);
  });
  return ['inside', 'regulated', 'adjacent'].find((_, rank) => ranks.includes(rank));
}

const classes = ['inside', 'regulated', 'adjacent', 'outside'];

/** The features that count (true), or those of which the rules do not say whether they do (null). */
function nearest(
  source: PlainSource,
  rules: readonly CountingRule[] | undefined,
  at: LonLat,
  standing: true | null = true,
): Near[] {
  return source.features
    .filter((feature) => countsByRules(feature, rules) === standing)
    .map((feature) => ({ feature, distanceM: distanceM(feature.geometry, at) }))
    .sort((a, b) => a.distanceM - b.distanceM);
}

/** Null: not known. */
export function countsByRules(
  { properties }: Pick<Feature, 'properties'>,
  rules: readonly CountingRule[] = [],
): boolean | null {
  const deciding = rules.find(({ field, yes = [], no = [], shown = [], open = [], others }) => {
    const value = String(properties[field] ?? '').trim();
    return ((others ?? 'next') !== 'next' && !open.includes(value)) || [...yes, ...no, ...shown].includes(value);
  });
  if (!deciding) return rules.length === 0 ? true : null;
  const value = String(properties[deciding.field] ?? '').trim();
  if (deciding.yes?.includes(value)) return true;
  if (deciding.no?.includes(value) || deciding.shown?.includes(value)) return false;
  return deciding.others === 'unclear' ? null : deciding.others === 'yes';
}

export function counts(feature: Pick<Feature, 'properties'>, { only, ignore }: Choice): boolean {
  return (!only || matches(feature, only)) && !(ignore && matches(feature, ignore));
}

export function matches(feature: Pick<Feature, 'properties'>, { field, values }: FieldFilter): boolean {
  return values.includes(String(feature.properties[field] ?? ''));
}

export function members(
  feature: Pick<Feature, 'properties'>,
  wanted: Readonly<Record<string, MemberDefinition>>,
): Readonly<Record<string, string | number | null>> | null {
  const value: Record<string, string | number | null> = {};
  for (const [name, member] of Object.entries(wanted)) {
    const served = text(feature, member);
    if (served === null && member.required === true) return null;
    value[name] = served !== null && member.as === 'number' ? Number(served) : served;
  }
  return value;
}

function text(
  feature: Pick<Feature, 'properties'>,
  { field, codes, style, otherwise }: Partial<MemberDefinition> & { field: string },
): string | null {
  const found = feature.properties[field];
  if (found === null || found === undefined || found === '') return otherwise ? text(feature, otherwise) : null;
  if (codes) return codes[String(found)] ?? null;
  return style === 'name' ? readable(String(found)) : String(found);
}

/** As far as the sample's names go: words of capitals, and a class in parentheses. */
export function readable(name: string): string {
  if (/[a-z]/.test(name)) return name;
  const words = name.replace(/ \(.* CLASS\)$/, '').split(' ');
  return words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join(' ');
}
