import { booleanKind, valueKind, objectKind } from './at-place.ts';
import { countKind } from './count.ts';
import type { CatalogueKind } from './kind.ts';
import { proximityKind } from './proximity.ts';

export type { BooleanAnswer, ObjectAnswer, ValueAnswer } from './at-place.ts';
export type { CountAnswer } from './count.ts';
export type { Bands, ProximityAnswer } from './proximity.ts';

/** Every kind of answer that the catalogue knows (workers/engine/kinds has what a lookup knows of each). */
export const catalogueKinds = {
  boolean: booleanKind,
  value: valueKind,
  object: objectKind,
  proximity: proximityKind,
  count: countKind,
};

export type CatalogueKinds = typeof catalogueKinds;

type DefinitionOf<Kind> = Kind extends CatalogueKind<infer A> ? A : never;

/** How a key of the response is answered: an element of `answers` in a file of `layers/`. */
export type AnswerDefinition = DefinitionOf<CatalogueKinds[keyof CatalogueKinds]>;

export function catalogueKindOf(
  { kind }: Pick<AnswerDefinition, 'kind'>,
  kinds: CatalogueKinds = catalogueKinds,
): CatalogueKind<AnswerDefinition> {
  return kinds[kind];
}
