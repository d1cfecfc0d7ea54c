import type { FieldFilter } from '../../../src/catalogue/definition.ts';
import { wordIn } from '../../../src/catalogue/filter-words.ts';
import type { Hit } from '../views/view.ts';

/** Which features of a data set count for an answer. */
export interface FeatureChoice {
  readonly only?: FieldFilter;
  readonly ignore?: FieldFilter;
}

/** Says whether a feature counts for an answer. */
export function counts(hit: Pick<Hit, 'attributes'>, { only, ignore }: FeatureChoice): boolean {
  return (!only || matches(hit, only)) && !matches(hit, ignore);
}

/** Whether the feature has one of the filter's values; no filter matches nothing. */
export function matches(hit: Pick<Hit, 'attributes'>, filter: FieldFilter | undefined): boolean {
  if (!filter) return false;
  return wordIn(hit.attributes[filter.field], filter.values) !== null;
}
