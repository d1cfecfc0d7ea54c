import type { FieldDefinition } from './definition.ts';
import type { SourcePart } from './sources.ts';

/**
 * Returns a source's name of a field of the definition: a name that `rename` maps to the field, otherwise the field's
 * own name, otherwise the first of its alternatives. Null when the source has none of them.
 * @throws Error when one of these names is not clear.
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
  for (const one of [...renamed, ...names]) {
    const index = fieldIndex(one, present);
    if (index !== null) return present[index]!;
  }
  return null;
}

/**
 * Returns the place of a source's field by its name: the field of exactly this name, otherwise the only one that differs in case alone. Null when there
 * is none. Joins and merges make fields that differ in case alone, and what looks for one without case takes the first.
 * @throws Error that names them when there are several.
 */
export function fieldIndex(name: string, present: readonly string[]): number | null {
  const exact = indexesOf(present, (one) => one === name);
  const found = exact.length > 0 ? exact : indexesOf(present, (one) => isSameName(one, name));
  if (found.length > 1)
    throw new Error(
      severalFields(
        name,
        found.map((index) => present[index]!),
      ),
    );
  return found[0] ?? null;
}

function severalFields(name: string, found: readonly string[]): string {
  const names = found.map((one) => `"${one}"`).join(' and ');
  return `has the fields ${names}, and "${name}" may be any of them: rename or remove one in the file, or map one with "rename"`;
}

/** Says whether two names are one for programs that ignore case. */
function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function indexesOf(present: readonly string[], fits: (name: string) => boolean): number[] {
  return present.flatMap((one, i) => (fits(one) ? [i] : []));
}

/** What reports and snapshots call a part of a composite source. */
export function nameOfPart({ publisher, kind }: Pick<SourcePart, 'publisher' | 'kind'>): string {
  return `${publisher}, ${kind.replaceAll('_', ' ')}`;
}
