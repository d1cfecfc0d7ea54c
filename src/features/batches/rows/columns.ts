/** What the names of columns mean, and the address of several columns, on the service and on the page. */

/** Columns of CSV and members of NDJSON that count, and names that are nearly theirs. */
export const columns = ['address', 'lat', 'lon', 'custom_id', 'geometry'] as const;
export type RowColumn = (typeof columns)[number];

/** Other names that tables have for a column, as `foldedName` writes them. */
const otherNames: Readonly<Partial<Record<RowColumn, readonly string[]>>> = {
  address: ['fulladdress', 'adresse'],
  lat: ['latitude'],
  lon: ['longitude', 'lng'],
};

/** How sure a name is, the surest first: the column's own name but for case; but for spaces, hyphens and underscores; another name of it. */
const sureness = { own: 0, near: 1, other: 2 } as const;

export const SUREST = sureness.own;

/** What a name means. */
export interface Meaning {
  readonly column: RowColumn;
  readonly sureness: (typeof sureness)[keyof typeof sureness];
}

const folded = new Map<string, Meaning>([
  ...Object.entries(otherNames).flatMap(([column, names]) =>
    names.map((name) => [name, { column: column as RowColumn, sureness: sureness.other }] as const),
  ),
  ...columns.map((column) => [foldedName(column), { column, sureness: sureness.near }] as const),
]);

/** Returns the column that a name means, as `Custom ID` and `Latitude` do; null: none. */
export function meaningOf(name: string): Meaning | null {
  const meaning = folded.get(foldedName(name));
  if (meaning === undefined) return null;
  return name.toLowerCase() === meaning.column ? { ...meaning, sureness: sureness.own } : meaning;
}

/** Returns where a column is: those of its names in a header that are surest. More than one: nobody can say which. */
export function indexesOf(column: RowColumn, header: readonly string[]): readonly number[] {
  const found = header.flatMap((name, index) => {
    const meaning = meaningOf(name);
    return meaning?.column === column ? [{ index, sureness: meaning.sureness }] : [];
  });
  const surest = Math.min(...found.map(({ sureness }) => sureness));
  return found.filter(({ sureness }) => sureness === surest).map(({ index }) => index);
}

/** A name without case, spaces, hyphens and underscores. */
export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Whether a field, or a record, says nothing: blanks, and what old programs put at the end of a file (Ctrl-Z, NUL). */
export function isBlankText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these characters are meant.
  return /^[\s\0\x1a]*$/.test(text);
}

/** Joins the parts of an address that has several columns, without those that are blank. */
export function joinedAddress(parts: readonly string[]): string {
  return parts
    .filter((part) => !isBlankText(part))
    .map((part) => withoutZeros(part.trim()))
    .join(', ');
}

/** A whole number as programs write it whose column has fractions, or gaps: 12.0. */
export function withoutZeros(part: string): string {
  return /^\d+\.0+$/.test(part) ? part.replace(/\..*/, '') : part;
}
