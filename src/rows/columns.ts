/** Columns of CSV and members of NDJSON that count, and names that are nearly theirs. */
export const columns = ['address', 'lat', 'lon', 'custom_id', 'geometry'] as const;
export type RowColumn = (typeof columns)[number];

/** Gets each name of a column or a member that is not used, once. */
export type OnIgnored = (name: string) => void;

const folded = new Map(columns.map((name) => [foldedName(name), name]));

/** Returns the column that a name means: its own, or one that differs only in case, spaces, hyphens and underscores, as `Custom ID` does; null: none. */
export function columnOf(name: string): RowColumn | null {
  return folded.get(foldedName(name)) ?? null;
}

function foldedName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}
