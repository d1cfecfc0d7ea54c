/**
 * @typedef {import('../src/shared/wire/full-lookup.ts').FullLookupBody} FullLookupBody
 * @typedef {import('../src/shared/wire/layers.ts').LayersBody} LayersBody
 * @typedef {{ tileUrl: string | null, tileAttribution: string, examples: string[] }} PageConfig
 * @typedef {{ code: string, detail?: string, reason?: string, suggestions?: string[] }} Problem
 * @typedef {{ ok: true, body: FullLookupBody } | { ok: false, problem: Problem, retryAfterS: number | null }} LookupResult
 */

/** Longer than the server's own deadline, so that the server's answer comes first. */
const TIMEOUT_MS = 15_000;

/**
 * Looks an address up. A server that cannot be reached is the problem `UNREACHABLE`.
 * @param {string} address
 * @param {string} key
 * @returns {Promise<LookupResult>}
 */
export async function lookUp(address, key) {
  try {
    const response = await fetch('/api/lookup?detail=full&geometry=near', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ address }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.json();
    if (response.ok) return { ok: true, body };
    const retryAfter = response.headers.get('Retry-After');
    return { ok: false, problem: body, retryAfterS: retryAfter === null ? null : Number(retryAfter) };
  } catch {
    return { ok: false, problem: { code: 'UNREACHABLE' }, retryAfterS: null };
  }
}

/** @returns {Promise<LayersBody>} */
export const readLayers = () => readJson('/api/layers');

/** @returns {Promise<PageConfig>} */
export const readPageConfig = () => readJson('/web/config.json');

/** @param {string} path */
async function readJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}
