/** The first rows of the results of a batch: what each has of a layer, or why it has no answer. */
import { MOST_POINTS } from './batch-input.js';
import { lineSplitter } from './csv.js';

/**
 * @typedef {import('../shared/api.js').Problem} Problem
 * @typedef {import('./batch-api.js').Outcome} Outcome
 * @typedef {import('./batch-input.js').Points} Points
 * @typedef {import('../answers/words.js').Layer} Layer
 * @typedef {'here' | 'close' | 'none' | 'unknown'} Found close: within a band around a feature, or a radius
 * @typedef {{
 *   row: number, customId: string | null, outcome: Outcome, address: string | null, place: { lat: number, lon: number } | null, problem: Problem | null,
 *   layers: Record<string, any>, states: Record<string, string>, isArea: boolean,
 * }} ResultRow layers: the values. states: of each value, where the answer has evidence
 */

/** @type {Record<string, Outcome>} */
const byCode = { ADDRESS_NOT_FOUND: 'notFound', OUTSIDE_ONTARIO: 'outside', BAD_REQUEST: 'invalid' };

/**
 * Reads the first rows of results as NDJSON, and leaves the rest unread.
 * @param {Response} response
 * @param {Points} asked places of rows that were asked for by coordinates: a row without an answer is shown there
 * @returns {Promise<ResultRow[]>}
 */
export async function readRows(response, asked) {
  /** @type {ResultRow[]} */
  const rows = [];
  for await (const line of linesIn(response)) {
    if (rows.length === MOST_POINTS) break;
    rows.push(rowOf(JSON.parse(line), asked));
  }
  return rows;
}

/**
 * Yields the lines of an answer. Whoever takes no more of them ends the download.
 * @param {Response} response
 */
async function* linesIn(response) {
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  const split = lineSplitter();
  try {
    for (let isLast = false; !isLast;) {
      const { done, value } = await reader.read();
      isLast = done;
      yield* split(done ? null : value).filter((line) => line !== '');
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * @param {any} line
 * @param {Points} asked
 * @returns {ResultRow}
 */
function rowOf({ row, custom_id: customId, code, body }, asked) {
  const known = { row, customId };
  if (code === null) {
    const { lat, lon, address = null, layers, evidence = {}, areaM2 } = body;
    const states = Object.fromEntries(
      Object.entries(evidence).map(([key, one]) => [key, /** @type {any} */ (one).state]),
    );
    return {
      ...{ ...known, outcome: 'found', address, place: { lat, lon }, problem: null },
      ...{ layers, states, isArea: areaM2 !== undefined },
    };
  }
  const [lon, lat] = asked.get(row) ?? [];
  const place = lat === undefined || lon === undefined ? null : { lat, lon };
  return {
    ...{ ...known, outcome: byCode[code] ?? 'failed', address: null, place, problem: { ...body, code } },
    ...{ layers: {}, states: {}, isArea: false },
  };
}

/**
 * What a row that was answered has of a layer. Without evidence, a name that is missing may be one that nobody knows.
 * @param {Layer} layer
 * @param {ResultRow} row
 * @returns {Found}
 */
export function foundIn({ key, kind }, { layers, states, isArea }) {
  const value = layers[key] ?? null;
  if (states[key] === 'absent') return 'none';
  if (value === null) return 'unknown';
  return isArea ? inArea(value) : found[kind](value);
}

/** @type {Record<Layer['kind'], (value: any) => Found>} */
const found = {
  boolean: (value) => (value ? 'here' : 'none'),
  value: () => 'here',
  object: () => 'here',
  proximity: (value) => (value === 'inside' ? 'here' : value === 'outside' ? 'none' : 'close'),
  count: (value) => (Number(Object.values(value)[0]) > 0 ? 'close' : 'none'),
};

/**
 * @param {NonNullable<import('../answers/area-words.js').AreaAnswer>} value
 * @returns {Found}
 */
function inArea({ share, parts, bands, unknownShare, ...counts }) {
  const here = [share, parts?.length, bands?.inside, Number(counts['count'] ?? 0)];
  const close = [bands?.regulated, bands?.adjacent];
  const isAny = (/** @type {(number | undefined)[]} */ shares) => shares.some((one) => one !== undefined && one > 0);
  if (isAny(here)) return 'here';
  return isAny(close) ? 'close' : unknownShare > 0 ? 'unknown' : 'none';
}
