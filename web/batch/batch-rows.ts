/** The results of a batch, row by row: what each has of a layer, as a single answer says it, or why it has no answer. */
import { itemsOf, type Item } from '../answers/answers.ts';
import { itemsOfArea } from '../answers/area-view.ts';
import { toldIn, type Told } from '../answers/together.ts';
import { MOST_POINTS, type Points } from './batch-input.ts';
import { lineSplitter } from './read-table.ts';
import type { AnswerBody, AreaBody, Body, Problem } from '../shared/api.ts';
import type { Outcome } from './batch-api.ts';
import type { Layer } from '../answers/words.ts';

/** `close`: within a band around a feature, or a radius. */
export type Found = 'here' | 'close' | 'none' | 'unknown';
/** `town`: the municipality where it lies. `found`: of each layer. `told`: what its headline says; null: it has no answer. `isFull`: its whole answer can be shown. */
export type ResultRow = {
  row: number;
  customId: string | null;
  outcome: Outcome;
  address: string | null;
  place: { lat: number; lon: number } | null;
  town: string | null;
  problem: Problem | null;
  found: Readonly<Record<string, Found>>;
  told: Told | null;
  isFull: boolean;
  isArea: boolean;
};
/** A line of results. `attribution`: in the first one. */
export type Line = { row: number; custom_id: string | null; attribution?: readonly string[] } & (
  | { code: null; body: AnswerBody }
  | { code: string; body: Omit<Problem, 'code'> }
);

const byCode: Record<string, Outcome> = {
  ADDRESS_NOT_FOUND: 'notFound',
  OUTSIDE_ONTARIO: 'outside',
  BAD_REQUEST: 'invalid',
};

export const outcomeOf = ({ code }: Line): Outcome => (code === null ? 'found' : (byCode[code] ?? 'failed'));

/**
 * Reads the first rows of results as NDJSON, and leaves the rest unread. `asked`: places of rows that were asked for by coordinates: a row without an
 * answer is shown there.
 */
export async function readRows(
  response: Response,
  { asked, layers }: { asked: Points; layers: readonly Layer[] },
): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  for await (const line of linesIn(response)) {
    rows.push(rowOf(line, { asked, layers }));
    if (rows.length === MOST_POINTS) break;
  }
  return rows;
}

/** Yields the lines of results. Whoever takes no more of them ends the download. */
export async function* linesIn(response: Response): AsyncGenerator<Line> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  const split = lineSplitter();
  try {
    for (let isLast = false; !isLast;) {
      const { done, value } = await reader.read();
      isLast = done;
      yield* split(done ? null : value).flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
    }
  } finally {
    await reader.cancel();
  }
}

/** What the page keeps of a row. */
export function rowOf(line: Line, { asked, layers }: { asked: Points; layers: readonly Layer[] }): ResultRow {
  const known = { row: line.row, customId: line.custom_id, outcome: outcomeOf(line) };
  if (line.code === null) {
    const { body } = line;
    const items = itemsIn(layers, body);
    const address = 'address' in body ? body.address : null;
    const found = Object.fromEntries(items.map((item) => [item.layer.key, foundOf(item)]));
    const municipality = items.find(({ layer, tone }) => layer.key === 'municipality' && tone === 'found');
    // Where no municipality is loaded, the address names one: "1 Main St, Sampleton, ON L0X 5X8, Canada".
    const town = municipality?.main ?? address?.split(', ').at(-3) ?? null;
    const [isArea, isFull] = [isOfArea(body), isFullAnswer(body)];
    return { ...known, address, place: body, town, problem: null, found, told: toldIn(items), isFull, isArea };
  }
  const [lon, lat] = asked.get(line.row) ?? [];
  const place = lat === undefined || lon === undefined ? null : { lat, lon };
  const problem = { ...line.body, code: line.code };
  return { ...known, address: null, place, town: null, problem, found: {}, told: null, isFull: false, isArea: false };
}

/** The towns of some rows, each in the middle of its rows; what has most of them first. */
export function townsOf(rows: readonly Pick<ResultRow, 'place' | 'town'>[]) {
  const names = [...new Set(rows.flatMap(({ place, town }) => (place && town ? [town] : [])))];
  return names
    .map((name) => ({ name, places: rows.flatMap(({ place, town }) => (place && town === name ? [place] : [])) }))
    .sort((a, b) => b.places.length - a.places.length)
    .map(({ name: text, places }) => {
      const mean = (axis: 'lat' | 'lon') => places.reduce((sum, place) => sum + place[axis], 0) / places.length;
      return { text, lat: mean('lat'), lon: mean('lon') };
    });
}

export const isOfArea = (body: AnswerBody): body is AreaBody & AnswerBody => 'areaM2' in body;

/** Says whether an answer tells "none" from "not known" by itself, and can be shown whole. */
export const isFullAnswer = (body: AnswerBody): boolean => isOfArea(body) || 'evidence' in body;

/** The answer as items. Of a short answer without evidence only the values are known; a name that is missing may be one that nobody knows. */
export function itemsIn(layers: readonly Layer[], body: AnswerBody): Item[] {
  if (isOfArea(body)) return itemsOfArea(layers, body);
  return itemsOf(layers, isFullAnswer(body) ? body : withStates(layers, body));
}

function withStates(layers: readonly Layer[], body: Body): Body {
  const evidence = layers.map(({ key, kind, radiusM }) => {
    const value = body.layers[key] ?? null;
    const isNone =
      value === false || value === 'outside' || (kind === 'count' && Object.values(value as object)[0] === 0);
    const state = value === null ? 'unavailable' : isNone ? 'absent' : 'present';
    const unknown = { distanceM: null, boundaryDistanceM: null, nearBoundary: false, dataSets: [] };
    return [key, { ...unknown, state, searchedM: radiusM ?? 0 }];
  });
  const uncertaintyM = 0;
  return { ...body, geocode: { uncertaintyM }, evidence: Object.fromEntries(evidence) as object } as unknown as Body;
}

function foundOf({ tone, band, layer }: Item): Found {
  if (tone !== 'found') return tone;
  return band === 'here' && layer.kind !== 'count' ? 'here' : 'close';
}
