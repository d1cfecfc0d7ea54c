/** The first rows of the results of a batch: what each has of a layer, or why it has no answer. */
import { MOST_POINTS, type Points } from './batch-input.ts';
import { lineSplitter } from './csv.ts';
import type { AreaAnswer, Problem } from '../shared/api.ts';
import type { Outcome } from './batch-api.ts';
import type { Layer } from '../answers/words.ts';

/** `close`: within a band around a feature, or a radius. */
export type Found = 'here' | 'close' | 'none' | 'unknown';
/** `layers`: the values. `states`: of each value, where the answer has evidence. */
export type ResultRow = {
  row: number;
  customId: string | null;
  outcome: Outcome;
  address: string | null;
  place: { lat: number; lon: number } | null;
  problem: Problem | null;
  layers: Readonly<Record<string, unknown>>;
  states: Record<string, string>;
  isArea: boolean;
};

const byCode: Record<string, Outcome> = {
  ADDRESS_NOT_FOUND: 'notFound',
  OUTSIDE_ONTARIO: 'outside',
  BAD_REQUEST: 'invalid',
};

/**
 * Reads the first rows of results as NDJSON, and leaves the rest unread. `asked`: places of rows that were asked for by coordinates: a row without an
 * answer is shown there.
 */
export async function readRows(response: Response, asked: Points): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  for await (const line of linesIn(response)) {
    if (rows.length === MOST_POINTS) break;
    rows.push(rowOf(JSON.parse(line) as Line, asked));
  }
  return rows;
}

/** Yields the lines of an answer. Whoever takes no more of them ends the download. */
async function* linesIn(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
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

/** A line of results. */
type Line = { row: number; custom_id: string | null } & (
  | { code: null; body: AnsweredBody }
  | { code: string; body: Problem }
);
type AnsweredBody = {
  lat: number;
  lon: number;
  address?: string | null;
  layers: Record<string, unknown>;
  evidence?: Record<string, { state: string }>;
  areaM2?: number;
};

function rowOf({ row, custom_id: customId, code, body }: Line, asked: Points): ResultRow {
  const known = { row, customId };
  if (code === null) {
    const { lat, lon, address = null, layers, evidence = {}, areaM2 } = body;
    const states = Object.fromEntries(Object.entries(evidence).map(([key, { state }]) => [key, state]));
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

/** What a row that was answered has of a layer. Without evidence, a name that is missing may be one that nobody knows. */
export function foundIn({ key, kind }: Layer, { layers, states, isArea }: ResultRow): Found {
  const value = layers[key] ?? null;
  if (states[key] === 'absent') return 'none';
  if (value === null) return 'unknown';
  return isArea ? inArea(value as NonNullable<AreaAnswer>) : found[kind](value);
}

const found: Record<Layer['kind'], (value: unknown) => Found> = {
  boolean: (value) => (value ? 'here' : 'none'),
  value: () => 'here',
  object: () => 'here',
  proximity: (value) => (value === 'inside' ? 'here' : value === 'outside' ? 'none' : 'close'),
  count: (value) => (Number(Object.values(value as object)[0]) > 0 ? 'close' : 'none'),
};

function inArea({ share, parts, bands, unknownShare, ...counts }: NonNullable<AreaAnswer>): Found {
  const here = [share, parts?.length, bands?.inside, Number(counts['count'] ?? 0)];
  const close = [bands?.regulated, bands?.adjacent];
  const isAny = (shares: (number | undefined)[]) => shares.some((one) => one !== undefined && one > 0);
  if (isAny(here)) return 'here';
  return isAny(close) ? 'close' : unknownShare > 0 ? 'unknown' : 'none';
}
