import type { AnswerDefinition } from '../../../src/catalogue/definition.ts';
import { booleanKind } from './boolean.ts';
import { countKind } from './count.ts';
import type { AnswerKind } from './kind.ts';
import { objectKind } from './object.ts';
import { proximityKind } from './proximity.ts';
import { valueKind } from './value.ts';

type AnswerKinds = {
  readonly [Kind in AnswerDefinition['kind']]: AnswerKind<Extract<AnswerDefinition, { kind: Kind }>>;
};

/** Every kind of answer that a lookup knows (src/catalogue/kinds has what the catalogue knows of each). */
export const answerKinds: AnswerKinds = {
  boolean: booleanKind,
  value: valueKind,
  object: objectKind,
  proximity: proximityKind,
  count: countKind,
};

/** The kind of an answer. A lookup finds it once for each layer, when its thread starts. */
export function kindOf(answer: AnswerDefinition, kinds: AnswerKinds = answerKinds): AnswerKind<AnswerDefinition> {
  return kinds[answer.kind];
}
