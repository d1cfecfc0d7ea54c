import type { FieldDefinition } from './definition.ts';

/**
 * The name under which a source has a field of the definition: one that `rename` leads to it, else the field's own, else
 * the first of its alternatives. Null when the source has none of them.
 */
export function sourceField(
  name: string,
  { alternatives = [] }: Pick<FieldDefinition, 'alternatives'>,
  rename: Readonly<Record<string, string>>,
  present: readonly string[],
): string | null {
  const names = [name, ...alternatives];
  // Manifests outlive definitions: one may still lead to a name that is an alternative by now.
  const renamed = names.flatMap((one) => Object.keys(rename).filter((from) => rename[from] === one));
  return [...renamed, ...names].find((one) => present.includes(one)) ?? null;
}
