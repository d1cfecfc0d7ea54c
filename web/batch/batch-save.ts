/** The results of a batch, saved as a file. */
import { readResults, type ResultFormat } from './batch-api.ts';
import { el } from '../shared/dom.ts';
import type { Failure } from '../shared/api.ts';

/**
 * Fetches results with the key, and gives them to the browser to save.
 * Returns the name of the file; null: it was not saved.
 */
export async function saveResults(
  id: string,
  { format, key }: { format: ResultFormat; key: string },
): Promise<{ name: string | null; failure: Failure | null }> {
  const results = await readResults(id, { format, key });
  if (!results.ok) return { name: null, failure: results };
  const blob = await results.response.blob().catch(() => null);
  if (!blob) return { name: null, failure: null };
  const url = URL.createObjectURL(blob);
  const name = `${id}.${format}`;
  el('a', { href: url, download: name }).click();
  // The browser has its own hold on what it saves, a moment after the click.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 60_000);
  return { name, failure: null };
}
