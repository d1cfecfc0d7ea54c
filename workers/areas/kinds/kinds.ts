import type { AnswerDefinition } from '../../../src/catalogue/definition.ts';
import { objectAnswers } from '../../engine/kinds/object.ts';
import { valueAnswers } from '../../engine/kinds/value.ts';
import { partsBy } from './answers-by-feature.ts';
import { booleanArea } from './boolean.ts';
import { countArea } from './count.ts';
import type { AreaKind } from './kind.ts';
import { proximityArea } from './proximity.ts';

type AreaKinds = {
  readonly [Kind in AnswerDefinition['kind']]: AreaKind<Extract<AnswerDefinition, { kind: Kind }>>;
};

/** What each kind of answer gives for an area (workers/engine/kinds has what it gives at a place). */
const areaKinds: AreaKinds = {
  boolean: booleanArea,
  value: partsBy(valueAnswers),
  object: partsBy(objectAnswers),
  proximity: proximityArea,
  count: countArea,
};

/** The half for areas of an answer's kind. */
export function areaKindOf(answer: AnswerDefinition): AreaKind<AnswerDefinition> {
  return areaKinds[answer.kind] as AreaKind<AnswerDefinition>;
}
