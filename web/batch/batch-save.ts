/** The results of a batch, saved as a file. */
import { answeredTable, type Own } from './answered-table.ts';
import { readResults, type ResultFormat } from './batch-api.ts';
import { linesIn } from './batch-rows.ts';
import { el } from '../shared/dom.ts';
import type { Layer } from '../answers/words.ts';
import type { Failure } from '../shared/api.ts';
import type { Language } from '../shared/session.ts';

export type Saved = { name: string | null; failure: Failure | null };

/**
 * Fetches results with the key, and gives them to the browser to save.
 * Returns the name of the file; null: it was not saved.
 */
export async function saveResults(id: string, { format, key }: { format: ResultFormat; key: string }): Promise<Saved> {
  const results = await readResults(id, { format, key });
  if (!results.ok) return { name: null, failure: results };
  const blob = await results.response.blob().catch(() => null);
  return { name: blob && save(blob, `${id}.${format}`), failure: null };
}

/** Saves the reader's own table with the answers. `own` null: the file is not at hand. */
export async function saveTable(
  language: Language,
  id: string,
  { key, own, layers }: { key: string; own: Own | null; layers: readonly Layer[] },
): Promise<Saved> {
  const results = await readResults(id, { format: 'ndjson', key });
  if (!results.ok) return { name: null, failure: results };
  try {
    const blob = await answeredTable(language, { own, lines: linesIn(results.response), layers });
    return { name: save(blob, `${own?.file.name.replace(/\.\w+$/, '') ?? id}-${id.slice(-6)}.csv`), failure: null };
  } catch {
    return { name: null, failure: null };
  }
}

function save(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: name }).click();
  // The browser has its own hold on what it saves, a moment after the click.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
  return name;
}
