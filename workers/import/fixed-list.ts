import type { Database } from 'better-sqlite3';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';

type Listed = Readonly<Record<string, unknown>>;

/** Most entries of a list in a message; the province has 444 municipalities. */
const MOST_SHOWN = 100;

/** Returns what a data set with a fixed list has in its table; empty for another data set, and without a table. */
export function listedIn(db: Database, { id, fixedList = [] }: DataSetDefinition): readonly Listed[] {
  const columns = (db.pragma(`table_info("${id}")`) as { name: string }[]).map(({ name }) => name);
  const listed = fixedList.filter((field) => columns.includes(field)).map((field) => `"${field}"`);
  if (listed.length === 0) return [];
  return db.prepare(`SELECT DISTINCT ${listed.join(', ')} FROM "${id}"`).all() as Listed[];
}

/**
 * Compares the list of the last snapshot with the one of now, by the fields that both have. Returns what is gone and what is new, as the end of a
 * sentence; null when the lists are the same.
 */
export function changeOfList(before: readonly Listed[], now: readonly Listed[]): string | null {
  const [first = {}] = now;
  const fields = Object.keys(before[0] ?? {}).filter((field) => field in first);
  if (fields.length === 0) return null;
  const [old, fresh] = [entriesOf(before, fields), entriesOf(now, fields)];
  const gone = [...old].filter((entry) => !fresh.has(entry));
  const added = [...fresh].filter((entry) => !old.has(entry));
  if (gone.length === 0 && added.length === 0) return null;
  return `${old.size} before, ${fresh.size} now; gone: ${shown(gone)}; new: ${shown(added)}`;
}

/** Numbers and names as people read them: `34 Toronto and Region Conservation Authority`. */
function entriesOf(rows: readonly Listed[], fields: readonly string[]): ReadonlySet<string> {
  return new Set(
    rows.map((row) =>
      fields.flatMap((field) => (row[field] == null ? [] : String(row[field] as string | number))).join(' '),
    ),
  );
}

function shown(entries: readonly string[]): string {
  if (entries.length === 0) return 'none';
  const sorted = entries.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const more = sorted.length > MOST_SHOWN ? ` and ${sorted.length - MOST_SHOWN} more` : '';
  return `${sorted
    .slice(0, MOST_SHOWN)
    .map((entry) => `"${entry}"`)
    .join(', ')}${more}`;
}
