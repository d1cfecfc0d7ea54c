import type {
  AnswerDefinition,
  CountAnswer,
  DataSetDefinition,
  MemberDefinition,
  ObjectAnswer,
  ValueAnswer,
} from '../../../src/shared/catalogue/definition.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { Hit, PlaceView } from '../views/view.ts';
import { absent, LayerAnswer, notCovered, nothingFound, unavailable, unknownHere } from './layer-answer.ts';
import { answerProximity } from './proximity.ts';

/**
 * Answers one layer. `absent` requires a data set that is loaded and covers the place. Otherwise the value is null and
 * the state says why, so that a missing file is never answered with "no".
 */
export function answerLayer(view: PlaceView, dataSet: DataSetDefinition, answer: AnswerDefinition): LayerAnswer {
  if (!view.has(dataSet.id)) return unavailable;
  switch (answer.kind) {
    case 'boolean':
      return answerBoolean(view, dataSet.id);
    case 'value':
    case 'object':
      return answerFromFeature(view, dataSet.id, answer);
    case 'proximity':
      return answerProximity(view, dataSet.id, answer);
    case 'count':
      return answerCount(view, dataSet.id, answer);
  }
}

const yes = new LayerAnswer(true, 'present', 0);
const no = absent(false);
const nothing = absent(null);

function answerBoolean(view: PlaceView, dataSet: string): LayerAnswer {
  return view.near(dataSet, 0).length > 0 ? yes : nothingFound(view, dataSet, no);
}

type FeatureAnswer = Extract<AnswerDefinition, { kind: 'value' | 'object' }>;

/**
 * Answers by the attributes of a feature, on which alone they depend. The cell index keeps the attributes of many
 * features.
 */
const known = new WeakMap<FeatureAnswer, WeakMap<Hit['attributes'], LayerAnswer>>();

function answerFromFeature(view: PlaceView, dataSet: string, answer: FeatureAnswer): LayerAnswer {
  const hit = view.near(dataSet, 0)[0];
  if (!hit) return nothingFound(view, dataSet, nothing);
  let answers = known.get(answer);
  if (answers === undefined) known.set(answer, (answers = new WeakMap()));
  let given = answers.get(hit.attributes);
  if (given === undefined) {
    const value = answer.kind === 'value' ? textValue(hit, answer) : objectValue(hit, answer);
    given = value === null ? unknownHere : new LayerAnswer(value, 'present', 0);
    answers.set(hit.attributes, given);
  }
  return given;
}

/** Returns null when a required member is unknown. */
function objectValue(hit: Hit, { members }: ObjectAnswer): Record<string, Attribute> | null {
  const value: Record<string, Attribute> = {};
  for (const [name, member] of Object.entries(members)) {
    value[name] = memberValue(hit, member);
    if (member.required === true && value[name] === null) return null;
  }
  return value;
}

/** Answers a count. Nothing within the radius gives a count of 0; only a place without coverage gives null. */
function answerCount(view: PlaceView, dataSet: string, answer: CountAnswer): LayerAnswer {
  const hits = view.near(dataSet, answer.radiusM);
  const [nearest] = hits;
  if (!view.covers(dataSet, 0)) return notCovered;
  const value: Record<string, Attribute> = {
    [answer.members.count]: hits.length,
    [answer.members.nearestDistanceM]: nearest ? Math.round(nearest.distanceM) : null,
  };
  for (const [name, member] of Object.entries(answer.nearest))
    value[name] = nearest ? memberValue(nearest, member) : null;
  return new LayerAnswer(value, nearest ? 'present' : 'absent', nearest?.distanceM ?? null);
}

/**
 * Returns the served form of an attribute; null when it is blank, missing or a code that the definition does not list.
 */
export function memberValue(
  hit: Hit,
  { field, as, codes }: Pick<MemberDefinition, 'field' | 'as' | 'codes'>,
): Attribute {
  const text = textValue(hit, codes ? { field, codes } : { field });
  if (text === null || as === 'string') return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

function textValue(hit: Hit, { field, codes }: Pick<ValueAnswer, 'field' | 'codes'>): string | null {
  const text = String(hit.attributes[field] ?? '').trim();
  if (text === '') return null;
  if (!codes) return text;
  return Object.hasOwn(codes, text) ? codes[text]! : null;
}
