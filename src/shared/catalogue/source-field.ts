import type { FieldDefinition } from './definition.ts';

/**
 * Returns a source's name of a field of the definition: a name that `rename` maps to the field, otherwise the field's
 * own name, otherwise the first of its alternatives. Null when the source has none of them.
 */
export function sourceField(
  name: string,
  { alternatives = [] }: Pick<FieldDefinition, 'alternatives'>,
  rename: Readonly<Record<string, string>>,
  present: readonly string[],
): string | null {
  const names = [name, ...alternatives];
  // A manifest may be older than the definition, and map to a name that is now an alternative.
  const renamed = names.flatMap((one) => Object.keys(rename).filter((from) => rename[from] === one));
  return [...renamed, ...names].find((one) => present.includes(one)) ?? null;
}
