import type {
  AnswerDefinition,
  CountAnswer,
  DataSetDefinition,
  MemberDefinition,
  ObjectAnswer,
  ValueAnswer,
} from '../../src/catalogue/definition.ts';
import type { Attribute, Hit, PlaceView } from '../reader/view.ts';
import { nothingFound, type LayerAnswer } from './layer-answer.ts';
import { answerProximity } from './proximity.ts';

/**
 * Answers one layer. `absent` needs a data set that is loaded and knows the place: otherwise the value is null and the state
 * says why, so that a missing file never reads as "no".
 */
export function answerLayer(view: PlaceView, dataSet: DataSetDefinition, answer: AnswerDefinition): LayerAnswer {
  if (!view.has(dataSet.id)) return { value: null, state: 'unavailable', distanceM: null };
  switch (answer.kind) {
    case 'boolean':
      return answerBoolean(view, dataSet.id);
    case 'value':
      return answerValue(view, dataSet.id, answer);
    case 'object':
      return answerObject(view, dataSet.id, answer);
    case 'proximity':
      return answerProximity(view, dataSet.id, answer);
    case 'count':
      return answerCount(view, dataSet.id, answer);
  }
}

function answerBoolean(view: PlaceView, dataSet: string): LayerAnswer {
  const hit = view.near(dataSet, 0)[0];
  return hit ? { value: true, state: 'present', distanceM: 0 } : nothingFound(view, dataSet, false);
}

function answerValue(view: PlaceView, dataSet: string, answer: ValueAnswer): LayerAnswer {
  const hit = view.near(dataSet, 0)[0];
  if (!hit) return nothingFound(view, dataSet, null);
  const value = textValue(hit, answer);
  return { value, state: value === null ? 'unavailable' : 'present', distanceM: 0 };
}

function answerObject(view: PlaceView, dataSet: string, answer: ObjectAnswer): LayerAnswer {
  const hit = view.near(dataSet, 0)[0];
  if (!hit) return nothingFound(view, dataSet, null);
  const value: Record<string, Attribute> = {};
  for (const [name, member] of Object.entries(answer.members)) {
    value[name] = memberValue(hit, member);
    if (member.required === true && value[name] === null) return { value: null, state: 'unavailable', distanceM: 0 };
  }
  return { value, state: 'present', distanceM: 0 };
}

/** Nothing within the radius is an answer too, with a count of 0; only an unknown place is null. */
function answerCount(view: PlaceView, dataSet: string, answer: CountAnswer): LayerAnswer {
  const hits = view.near(dataSet, answer.radiusM);
  const [nearest] = hits;
  if (!view.covers(dataSet)) return { value: null, state: 'no_coverage', distanceM: null };
  const value: Record<string, Attribute> = {
    [answer.members.count]: hits.length,
    [answer.members.nearestDistanceM]: nearest ? Math.round(nearest.distanceM) : null,
  };
  for (const [name, member] of Object.entries(answer.nearest))
    value[name] = nearest ? memberValue(nearest, member) : null;
  return { value, state: nearest ? 'present' : 'absent', distanceM: nearest?.distanceM ?? null };
}

/** The served form of an attribute; null when it is blank, missing or a code that the definition does not list. */
function memberValue(hit: Hit, { field, as, codes }: Pick<MemberDefinition, 'field' | 'as' | 'codes'>): Attribute {
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
