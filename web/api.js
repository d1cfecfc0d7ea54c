/**
 * @typedef {import('../src/shared/wire/full-lookup.ts').FullLookupBody} FullLookupBody
 * @typedef {import('../src/shared/wire/layers.ts').LayersBody} LayersBody
 * @typedef {import('../src/http/page-document.ts').SettingsInPage} PageSettings
 * @typedef {{ code: string, detail?: string, reason?: string, suggestions?: string[] }} Problem
 * @typedef {{ ok: false, problem: Problem, retryAfterS: number | null }} Failure
 * @typedef {{ ok: true, body: FullLookupBody } | Failure} LookupResult
 */

/** Longer than the server's own deadline, so that the server's answer comes first. */
const TIMEOUT_MS = 15_000;

/** @type {Failure} */
export const UNREACHABLE = { ok: false, problem: { code: 'UNREACHABLE' }, retryAfterS: null };

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
    return UNREACHABLE;
  }
}

/** @type {Promise<LayersBody> | null} */
let layers = null;

/**
 * The catalogue. The page asks for it once, and again after a failure.
 * @returns {Promise<LayersBody>}
 */
export function readLayers() {
  if (!layers) {
    layers = fetch('/api/layers').then((response) => {
      if (!response.ok) throw new Error(`/api/layers answered ${response.status}`);
      return response.json();
    });
    layers.catch(() => (layers = null));
  }
  return layers;
}

/**
 * What the server has written into the page.
 * @returns {PageSettings}
 */
export const readSettings = () => JSON.parse(document.getElementById('settings')?.textContent ?? '');
