import type { FieldFilter } from '../../../src/catalogue/definition.ts';
import { wordIn } from '../../../src/catalogue/counting.ts';
import type { Attributes } from '../../geopackage/attribute.ts';

/** Which features of a data set count for an answer. */
export interface FeatureChoice {
  readonly only?: FieldFilter;
  readonly ignore?: FieldFilter;
}

/** Says whether a feature counts for an answer. */
export function counts(hit: { readonly attributes: Attributes }, { only, ignore }: FeatureChoice): boolean {
  return (!only || matches(hit, only)) && !matches(hit, ignore);
}

/** Whether the feature has one of the filter's values; no filter matches nothing. */
export function matches(hit: { readonly attributes: Attributes }, filter: FieldFilter | undefined): boolean {
  if (!filter) return false;
  return wordIn(hit.attributes[filter.field], filter.values) !== null;
}
