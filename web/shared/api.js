/** What the page asks of the service. */
import { isPoint } from './question.js';

/**
 * @typedef {import('../../src/messages/wire/full-lookup.ts').FullLookupBody} AddressBody
 * @typedef {import('../../src/messages/wire/point-lookup.ts').FullPointLookupBody} PointBody
 * @typedef {import('../../src/messages/wire/layers.ts').LayersBody} LayersBody
 * @typedef {import('../../src/messages/geocode.ts').Suggestion} Suggestion
 * @typedef {import('../../src/features/page/page-document.ts').ContentInPage} PageSettings
 * @typedef {import('./question.js').Question} Question
 * @typedef {{ code: string, detail?: string, reason?: string, param?: string, since?: string, suggestions?: string[] }} Problem
 * @typedef {{ ok: false, problem: Problem, retryAfterS: number | null, left?: number | null }} Failure left: lookups of this hour, where the answer says so
 */

/** Longer than the server's own deadline, so that the server's answer comes first. */
const TIMEOUT_MS = 15_000;

/** @type {Failure} */
export const UNREACHABLE = { ok: false, problem: { code: 'UNREACHABLE' }, retryAfterS: null };

/**
 * The lookup that answers a question.
 * @param {Question} question
 */
export function requestOf({ kind, ...asked }) {
  return { path: pathOf(kind), body: JSON.stringify(asked) };
}

/**
 * Looks a place up. A server that cannot be reached is the problem `UNREACHABLE`.
 * @param {ReturnType<typeof requestOf>} asked
 * @param {{ key: string, idempotencyKey: string, cancel: AbortSignal }} how
 * @returns {Promise<{ ok: true, body: any, left?: number | null } | Failure>} the body is that of the question's kind
 */
export const lookUp = ({ path, body }, { key, idempotencyKey, cancel }) =>
  request(path, key, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body,
    signal: withTimeout(cancel),
  });

/**
 * Reads a stored answer, which needs no key. One of another address, because other data are in service now, is the problem `NOT_FOUND`.
 * @param {string} address
 * @param {string} outcome
 * @param {AbortSignal} cancel
 * @returns {ReturnType<typeof lookUp>}
 */
export async function readExample(address, outcome, cancel) {
  const result = await request(`/api/examples/${outcome}`, null, { signal: withTimeout(cancel) });
  return result.ok && result.body.example.address !== address
    ? { ...UNREACHABLE, problem: { code: 'NOT_FOUND' } }
    : result;
}

/** @param {AbortSignal} cancel */
const withTimeout = (cancel) => AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), cancel]);

/**
 * The path with the further answers that the address of the page asks for, as `/?layers=all`, and with what the map shows.
 * @param {Question['kind']} kind
 */
function pathOf(kind) {
  const layers = new URLSearchParams(location.search).get('layers');
  const query = new URLSearchParams({
    ...(kind === 'area' ? {} : { detail: 'full' }),
    ...(has('maps') ? { geometry: 'map' } : {}),
    ...(layers === null ? {} : { layers }),
  });
  return query.size === 0 ? paths[kind] : `${paths[kind]}?${query}`;
}

const paths = { address: '/api/lookup', point: '/api/lookup/point', area: '/api/lookup/area' };

/**
 * Sends a request, with a key unless none is needed. A server that cannot be reached is the problem `UNREACHABLE`.
 * @param {string} path
 * @param {string | null} key
 * @param {RequestInit & { headers?: Record<string, string> }} [init]
 * @returns {Promise<{ ok: true, body: any, left?: number | null } | Failure>}
 */
export async function request(path, key, init = {}) {
  try {
    const headers = key === null ? {} : { Authorization: `Bearer ${key}` };
    const response = await fetch(path, { ...init, headers: { ...init.headers, ...headers } });
    return response.ok ? { ok: true, body: await response.json(), left: leftIn(response) } : await failureOf(response);
  } catch (cause) {
    return cause instanceof DOMException && cause.name === 'TimeoutError'
      ? { ...UNREACHABLE, problem: { code: 'TIMEOUT' } }
      : UNREACHABLE;
  }
}

/**
 * @param {Response} response that is no success
 * @returns {Promise<Failure>}
 */
export async function failureOf(response) {
  const retryAfter = response.headers.get('Retry-After');
  return {
    ok: false,
    problem: await response.json(),
    retryAfterS: retryAfter === null ? null : Number(retryAfter),
    left: leftIn(response),
  };
}

/** @param {Response} response */
function leftIn({ headers }) {
  const left = /"lookup";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1];
  return left === undefined ? null : Number(left);
}

/** As the service takes. */
const MOST_SUGGESTED_LETTERS = 100;

/** Time before which the service gives no suggestions, by the clock of `performance`. */
let suggestFromMs = 0;

/**
 * Completes a text. Without suggestions the page works as well, so every failure gives none.
 * @param {string} text
 * @param {{ key: string, limit?: number, signal?: AbortSignal | null }} options
 * @returns {Promise<readonly Suggestion[]>}
 */
export async function suggest(text, { key, limit = 5, signal = null }) {
  const isUseless = !has('suggest') || text === '' || text.length > MOST_SUGGESTED_LETTERS || isPoint(text);
  if (isUseless || key === '' || performance.now() < suggestFromMs) return [];
  try {
    const query = new URLSearchParams({ q: text, limit: String(limit) });
    const response = await fetch(`/api/suggest?${query}`, { headers: { Authorization: `Bearer ${key}` }, signal });
    if (response.ok) return (await response.json()).suggestions;
    const retryAfterS = Number(response.headers.get('Retry-After') ?? 0);
    suggestFromMs = performance.now() + retryAfterS * 1000;
  } catch {
    // Also when the text has changed meanwhile.
  }
  return [];
}

/** @type {Promise<LayersBody> | null} */
let layers = null;

/**
 * The catalogue. The page asks for it once, and again after a failure and when another snapshot has answered.
 * @param {string} [snapshotId] of the answer
 * @returns {Promise<LayersBody>}
 */
export async function readLayers(snapshotId) {
  const catalogue = await fetchedLayers();
  if (snapshotId === undefined || catalogue.snapshot.id === snapshotId) return catalogue;
  layers = null;
  return fetchedLayers();
}

/**
 * The snapshot that is in service now; null when that cannot be known.
 * @param {AbortSignal} cancel
 * @returns {Promise<string | null>}
 */
export async function presentSnapshot(cancel) {
  layers = null;
  return fetchedLayers({ cache: 'no-cache', signal: withTimeout(cancel) }).then(
    ({ snapshot }) => snapshot.id,
    () => null,
  );
}

/**
 * @param {RequestInit} [how]
 * @returns {Promise<LayersBody>}
 */
function fetchedLayers(how = {}) {
  if (!layers) {
    layers = fetch('/api/layers', how).then((response) => {
      if (!response.ok) throw new Error(`/api/layers answered ${response.status}`);
      return response.json();
    });
    layers.catch(() => (layers = null));
  }
  return layers;
}

/** @type {readonly string[] | null} */
let features = null;

/**
 * Whether the service has a feature.
 * @param {PageSettings['features'][number]} name
 */
export const has = (name) => (features ??= readSettings().features).includes(name);

/**
 * What the server has written into the page.
 * @returns {PageSettings}
 */
export const readSettings = () => JSON.parse(document.getElementById('settings')?.textContent ?? '');
