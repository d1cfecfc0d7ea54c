/** The results of a batch, saved as a file. */
import { readResults } from './batch-api.js';
import { el } from '../shared/dom.js';

/**
 * Fetches results with the key, and gives them to the browser to save.
 * @param {string} id
 * @param {{ format: import('./batch-api.js').ResultFormat, key: string }} options
 * @returns {Promise<{ name: string | null, failure: import('../shared/api.js').Failure | null }>} the name of the file, null: it was not saved
 */
export async function saveResults(id, { format, key }) {
  const results = await readResults(id, { format, key });
  if (!results.ok) return { name: null, failure: results };
  const blob = await results.response.blob().catch(() => null);
  if (!blob) return { name: null, failure: null };
  const url = URL.createObjectURL(blob);
  const name = `${id}.${format}`;
  el('a', { href: url, download: name }).click();
  // The browser has its own hold on what it saves, a moment after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return { name, failure: null };
}
