/** The kinds whose answer is the feature at the place itself: whether there is one, one of its attributes, several of them. */
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import {
  absent,
  LayerAnswer,
  nothingDecides,
  nothingFound,
  unknownHere,
  type AnswerKind,
  type Deciding,
  type Reading,
  type TablesRead,
} from './kind.ts';
import type { Hit, PlaceView } from '../views/view.ts';
import type { BooleanAnswer, MemberDefinition, ObjectAnswer, ValueAnswer } from '../../../src/catalogue/definition.ts';
import { fieldsOf, memberValue, memberValues, textValue } from './member-value.ts';
import type { Attribute } from '../../geopackage/attribute.ts';

const nothing = absent(null);

type WithAttributes = Pick<Hit, 'attributes'>;

/**
 * Answers that rest on nothing but the attributes of the feature at a place. They are kept with the attributes, which the cell index keeps
 * for many features, so that most answers are found, not made (decision 0006).
 */
export class AnswersByFeature<A extends object> {
  readonly #valueOf: (hit: WithAttributes, answer: A) => LayerValue;
  readonly #known = new WeakMap<A, WeakMap<Hit['attributes'], LayerAnswer>>();

  /** `valueOf` gives null where the feature is there and its value is not known. */
  constructor(valueOf: (hit: WithAttributes, answer: A) => LayerValue) {
    this.#valueOf = valueOf;
  }

  readonly at = (view: PlaceView, dataSet: string, answer: A): LayerAnswer => {
    const hit = view.near(dataSet, 0)[0];
    return hit ? this.of(hit, answer) : nothingFound(view, dataSet, nothing);
  };

  /** Returns the answer that a feature gives. */
  of(hit: WithAttributes, answer: A): LayerAnswer {
    let answers = this.#known.get(answer);
    if (answers === undefined) this.#known.set(answer, (answers = new WeakMap()));
    let given = answers.get(hit.attributes);
    if (given === undefined) {
      const value = this.#valueOf(hit, answer);
      given = value === null ? unknownHere : new LayerAnswer(value, 'present', 0);
      answers.set(hit.attributes, given);
    }
    return given;
  }
}

const yes = new LayerAnswer(true, 'present', 0);
const no = absent(false);

/** The same for all of them. */
const atPlace = {
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  besideUnclear: unknownWhereUnclear,
};

/** True inside or on a feature. */
export const booleanKind: AnswerKind<BooleanAnswer> = {
  ...atPlace,
  answer: (view, dataSet) => (view.near(dataSet, 0).length > 0 ? yes : nothingFound(view, dataSet, no)),
  readings: (dataSet) => [readingAtPlace(dataSet, [])],
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: () => undefined,
};

/** Shared with areas, whose parts have the same values. */
export const valueAnswers = new AnswersByFeature<ValueAnswer>((hit, answer) => textValue(hit, answer));

/** One attribute of the feature at the point, as text. */
export const valueKind: AnswerKind<ValueAnswer> = {
  ...atPlace,
  answer: valueAnswers.at,
  readings: (dataSet, { field }) => [readingAtPlace(dataSet, [field])],
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: ({ field }) => field,
};

/** Shared with areas, whose parts have the same values. */
export const objectAnswers = new AnswersByFeature(objectValue);

/** Several attributes of the feature at the point. */
export const objectKind: AnswerKind<ObjectAnswer> = {
  ...atPlace,
  answer: objectAnswers.at,
  readings: (dataSet, { members, deciding = {} }) => [
    readingAtPlace(dataSet, [...fieldsOf(members), ...fieldsOf(deciding)]),
  ],
  deciding: (view, tables, { given, answer: { deciding } }) => decidingAtPlace(view, tables, { given, deciding }),
  labelField: ({ members }) => {
    const named = Object.values(members).find((member) => member.required);
    return named?.otherwise?.field ?? named?.field;
  },
};

/** Returns null when a required member is unknown. */
function objectValue(hit: Pick<Hit, 'attributes'>, { members }: ObjectAnswer): Record<string, Attribute> | null {
  const value: Record<string, Attribute> = {};
  for (const [name, member] of Object.entries(members)) {
    value[name] = memberValue(hit, member);
    if (member.required === true && value[name] === null) return null;
  }
  return value;
}

export function readingAtPlace(dataSet: string, fields: readonly string[]): Reading {
  return { dataSet, reachM: 0, nearestOnly: false, fields, readsNearestOfMany: false };
}

/** Where none counts, an unclear one makes "nothing here" unknown. */
function unknownWhereUnclear(
  given: LayerAnswer,
  { view, table }: { readonly view: PlaceView; readonly table: string },
): LayerAnswer {
  return given.distanceM === null && view.near(table, 0).length > 0 ? unknownHere : given;
}

/** The answers change at the edge of any feature. */
export function nearestEdgeM(view: PlaceView, { dataSet }: { readonly dataSet: string }, searchM: number): number {
  let nearestM = Infinity;
  for (const { edgeDistanceM } of view.edges(dataSet, searchM)) nearestM = Math.min(nearestM, edgeDistanceM);
  return nearestM;
}

/**
 * The first that counts, else the first unclear one. Where there is none of either, `deciding` is told
 * of one that is only shown.
 */
export function decidingAtPlace(
  view: PlaceView,
  tables: TablesRead,
  { given, deciding }: { readonly given: LayerAnswer; readonly deciding?: Members | undefined },
): Deciding {
  if (given.distanceM === null && deciding === undefined) return nothingDecides;
  const hits = hitsAtPlace(view, tables);
  const [first] = hits;
  return {
    distanceM: given.distanceM,
    others: Math.max(0, hits.length - 1),
    feature: deciding && (first ? memberValues(first, deciding) : null),
  };
}

type Members = Readonly<Record<string, MemberDefinition>>;

function hitsAtPlace(view: PlaceView, { dataSet, unclear, shown }: TablesRead): readonly Hit[] {
  const own = view.has(dataSet) ? view.near(dataSet, 0) : NONE;
  if (own.length > 0) return own;
  const doubtful = unclear === null ? NONE : view.near(unclear, 0);
  return doubtful.length > 0 || shown === null ? doubtful : view.near(shown, 0);
}

const NONE: readonly Hit[] = [];
