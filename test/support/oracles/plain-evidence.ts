/**
 * A second opinion on the feature of which an evidence tells: the definitions read literally, on boxes whose distances are plain arithmetic. Nothing of
 * it comes from the code that it judges.
 */
import type {
  AnswerDefinition,
  DataSetDefinition,
  MemberDefinition,
  ProximityAnswer,
} from '../../../src/catalogue/definition.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import { counts, countsByRules, matches, members } from '../../lookup/plain-answers.ts';

/** A feature: an upright rectangle, a line where it has no height or no width, a point where it has neither. Metres. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly properties: Readonly<Record<string, string | null>>;
}

export type Standing = 'counts' | 'unclear' | 'shown' | 'dropped';

const standings = new WeakMap<object, Standing>();

/** What a feature is by the rules of its data set. */
export function standingOf(box: Pick<Box, 'properties'>, dataSet: DataSetDefinition): Standing {
  let known = standings.get(box);
  if (known === undefined) standings.set(box, (known = judge(box, dataSet)));
  return known;
}

function judge({ properties }: Pick<Box, 'properties'>, { counts: rules = [] }: DataSetDefinition): Standing {
  const known = countsByRules({ properties }, rules);
  if (known === null) return 'unclear';
  if (known) return 'counts';
  const decider = rules.find(({ field, yes = [], no = [], shown = [] }) =>
    [...yes, ...no, ...shown].includes((properties[field] ?? '').trim()),
  );
  const isShown = decider?.shown?.includes((properties[decider.field] ?? '').trim()) ?? false;
  return isShown ? 'shown' : 'dropped';
}

/** What an evidence must tell of the feature that decides. */
export type Told = Pick<LayerEvidence, 'distanceM' | 'feature' | 'others'>;

interface Asked {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
}

/** Boxes by data set, in the order of their source, with those that do not count. */
export type Boxes = Readonly<Record<string, readonly Box[]>>;

interface Near {
  readonly box: Box;
  readonly distanceM: number;
}

/** Two features are equally near within this many metres (docs/api.md). */
const LEVEL_M = 0.02;

export function plainEvidence(boxes: Boxes, { dataSet, answer }: Asked, at: readonly [x: number, y: number]): Told {
  const near = (boxes[dataSet.id] ?? []).map((box) => ({ box, distanceM: distanceTo(box, at) }));
  const of = (standing: Standing): Near[] => near.filter(({ box }) => standingOf(box, dataSet) === standing);
  const own = { counting: of('counts'), unclear: of('unclear'), shown: of('shown') };
  switch (answer.kind) {
    case 'boolean':
    case 'value':
      return atPlace(own, undefined);
    case 'object':
      return atPlace(own, answer.deciding);
    case 'count': {
      const within = (some: readonly Near[]): Near[] => some.filter(({ distanceM }) => distanceM <= answer.radiusM);
      const { distanceM, others } = levelOf(within(own.counting));
      const hasUnclear = (boxes[dataSet.id] ?? []).some((box) => standingOf(box, dataSet) === 'unclear');
      return told(distanceM, hasUnclear ? { unclearCount: within(own.unclear).length } : undefined, others);
    }
    case 'proximity':
      return nearest(boxes, { near, own, answer }, at);
  }
}

interface Bands {
  readonly near: readonly Near[];
  readonly own: Readonly<Record<'counting' | 'unclear', readonly Near[]>>;
  readonly answer: ProximityAnswer;
}

/** The feature that gives the closest class, of the data set and of those that the answer reads beside it. */
function nearest(boxes: Boxes, { near, own, answer }: Bands, at: readonly [x: number, y: number]): Told {
  if (answer.judgedBy) return judged(near, answer);
  const partners = (answer.with ?? []).flatMap((part) =>
    (boxes[part.dataSet] ?? [])
      .filter((box) => counts(box, part))
      .map((box) => ({ box, distanceM: distanceTo(box, at) })),
  );
  const counting = [...own.counting.filter(({ box }) => counts(box, answer)), ...partners];
  return closest(counting, own.unclear, answer) ?? told(null, answer.deciding && null, 0);
}

type Members = Readonly<Record<string, MemberDefinition>>;

/** The first feature at the place, of those that count; else of those of which nobody knows; else of those that are only shown. */
function atPlace(own: Readonly<Record<'counting' | 'unclear' | 'shown', readonly Near[]>>, wanted?: Members): Told {
  const here = (some: readonly Near[]): Near[] => some.filter(({ distanceM }) => distanceM === 0);
  const [counting, unclear, shown] = [here(own.counting), here(own.unclear), here(own.shown)];
  const group = counting.length > 0 ? counting : unclear;
  const [first] = group;
  if (first) return told(0, wanted && members(first.box, wanted), group.length - 1);
  if (!wanted) return told(null, undefined, 0);
  return told(null, shown[0] ? members(shown[0].box, wanted) : null, Math.max(0, shown.length - 1));
}

/** Each feature by the rules of the answer. Beside "outside" the evidence tells of one that does not count, without a distance. */
function judged(near: readonly Near[], answer: ProximityAnswer): Told {
  const of = (known: boolean | null): Near[] => near.filter(({ box }) => countsByRules(box, answer.judgedBy) === known);
  const found = closest(of(true), of(null), answer);
  if (found) return found;
  const other = closest(of(false), [], answer);
  return other ? { ...other, distanceM: null } : told(null, answer.deciding && null, 0);
}

/** The features that count decide, unless one of which nobody knows would give a closer class. Null: "outside". */
function closest(counting: readonly Near[], unclear: readonly Near[], answer: ProximityAnswer): Told | null {
  const classIn = (some: readonly Near[]): number => Math.min(...some.map((one) => classOf(one, answer)));
  const group = classIn(unclear) < classIn(counting) ? unclear : counting;
  const best = classIn(group);
  if (best === Infinity) return null;
  const { level, others } = levelOf(group.filter((one) => classOf(one, answer) === best));
  const sorted = level.toSorted((a, b) => inOrder(a, b, answer));
  return told(sorted[0]!.distanceM, answer.deciding && members(sorted[0]!.box, answer.deciding), others);
}

function classOf({ box, distanceM }: Near, answer: ProximityAnswer): number {
  const special = answer.bandsFor?.find((one) => matches(box, one))?.bands;
  const { regulated = 0, adjacent = 0 } = { ...answer.bands, ...special };
  const rank = [answer.insideWithinM ?? LEVEL_M, regulated, adjacent].findIndex((limit) => distanceM <= limit);
  return rank < 0 ? Infinity : rank;
}

/** By the lists of the definition, in their order; the order of the source is kept. */
function inOrder(a: Near, b: Near, { precedence = [] }: ProximityAnswer): number {
  const places = ({ box }: Near): number[] =>
    precedence.map(({ field, values }) =>
      values.includes(box.properties[field] ?? '') ? values.indexOf(box.properties[field] ?? '') : 99,
    );
  const [one, other] = [places(a), places(b)];
  const first = one.findIndex((place, i) => place !== other[i]);
  return first < 0 ? 0 : one[first]! - other[first]!;
}

function levelOf(some: readonly Near[]): {
  readonly distanceM: number | null;
  readonly level: readonly Near[];
  readonly others: number;
} {
  if (some.length === 0) return { distanceM: null, level: [], others: 0 };
  const distanceM = Math.min(...some.map((one) => one.distanceM));
  const level = some.filter((one) => one.distanceM <= distanceM + LEVEL_M);
  return { distanceM, level, others: level.length - 1 };
}

function told(distanceM: number | null, feature: LayerEvidence['feature'], others: number): Told {
  return { distanceM, ...(feature === undefined ? {} : { feature }), ...(others > 0 ? { others } : {}) };
}

export function distanceTo({ west, south, east, north }: Box, [x, y]: readonly [x: number, y: number]): number {
  return Math.hypot(Math.max(west - x, 0, x - east), Math.max(south - y, 0, y - north));
}
