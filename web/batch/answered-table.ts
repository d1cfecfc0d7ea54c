/** The reader's own table with the answers: his columns first, then what was found beside what was asked, then a column for each layer in words. */
import { certaintyOf, differencesIn } from '../answers/summary.ts';
import { type Item } from '../answers/answers.ts';
import { nameOfLayer, type Layer } from '../answers/words.ts';
import { rowsAgain, type Places } from './batch-input.ts';
import { isFullAnswer, isOfArea, itemsIn, outcomeOf, type Line } from './batch-rows.ts';
import { batchTexts } from '../texts/batch.ts';
import { fill, groundArea, texts, language } from '../shared/i18n.ts';
import { reasonOf } from '../shared/problem.ts';

/** The file that was sent, and how it was read. */
export type Own = { file: File; places: Places };
type Cell = string | number | null;

/** Own members of NDJSON beyond so many have no column. */
const MOST_MEMBERS = 500;

/**
 * Returns the table as CSV, in UTF-8 with the mark by which spreadsheets know it. `own` null: the file is not at hand, as where a link has led to the
 * batch; numbers and ids stand for its columns. Throws where the file cannot be read any more, and where the page changes its language meanwhile.
 */
export async function answeredTable({
  own,
  lines,
  layers,
}: {
  own: Own | null;
  lines: AsyncIterable<Line>;
  layers: readonly Layer[];
}): Promise<Blob> {
  const begun = language;
  const { table } = batchTexts[begun];
  const names = own ? await namesIn(own) : [batchTexts[language].row, 'custom_id'];
  const layerNames = layers.map((layer) => nameOfLayer(layer));
  const { asked, outcome, address, sure, remark, lat, lon, sources } = table;
  const head = [...names, asked, outcome, address, sure, remark, lat, lon, ...layerNames, sources];
  const separator = separatorFor(own);
  const parts: Blob[] = [];
  let text = `\ufeff${lineOf(head, separator)}`;
  for await (const { cells, line, ...row } of own ? joined(own, names, lines) : alone(lines)) {
    if (language !== begun) throw new Error('a table is in one language');
    const attribution = line?.attribution?.join(' ') ?? null;
    text += lineOf([...cells, row.asked, ...foundCells(line, layers), attribution], separator);
    // Texts in pieces become Blobs, which a browser may keep on the disk.
    if (text.length > 1_000_000) [text] = ['', parts.push(new Blob([text]))];
  }
  return new Blob([...parts, text], { type: 'text/csv' });
}

/** What separates columns in the reader's own file: his spreadsheet reads that. Where French is spoken, spreadsheets use semicolons. */
function separatorFor(own: Own | null) {
  const table = own?.places.table;
  if (table) return table.separator === ';' ? ';' : ',';
  return language === 'fr' ? ';' : ',';
}

/** The headers of a table, or the members of NDJSON and their properties in the order in which they come. */
async function namesIn({ file, places }: Own): Promise<readonly string[]> {
  if (places.table) return places.table.header;
  const names = new Set<string>();
  for await (const { members } of rowsAgain(file, places)) {
    for (const name of Object.keys(flat(members))) if (names.size < MOST_MEMBERS) names.add(name);
  }
  return [...names];
}

/** The properties of a feature, then what else a row has besides its outline. */
function flat({ properties, ...members }: Record<string, unknown>): Record<string, unknown> {
  const own = { ...(typeof properties === 'object' ? properties : { properties }), ...members };
  return Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'geometry'));
}

type Row = { cells: readonly Cell[]; asked: string; line: Line | null };

/** Joins rows with their lines by number. The lines may end before the rows do. */
async function* joined(own: Own, names: readonly string[], lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  const { table } = own.places;
  const results = lines[Symbol.asyncIterator]();
  let next = await results.next();
  let row = 0;
  try {
    for await (const { cells, members, asked } of rowsAgain(own.file, own.places)) {
      row++;
      const isIt = next.done !== true && next.value.row === row;
      const line = isIt ? (next.value as Line) : null;
      const owned = table
        ? fitted(cells, names.length, table.separator)
        : names.map((name) => cellOf(flat(members)[name]));
      yield { cells: owned, asked, line };
      if (isIt) next = await results.next();
    }
  } finally {
    await results.return?.();
  }
}

async function* alone(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  for await (const line of lines) yield { cells: [line.row, line.custom_id], asked: '', line };
}

/** As many cells as the header has; what is too much stays in the last. */
function fitted(cells: readonly string[], count: number, separator: string): readonly string[] {
  if (cells.length > count) return [...cells.slice(0, count - 1), cells.slice(count - 1).join(separator)];
  return [...cells, ...Array<string>(count - cells.length).fill('')];
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}

/** What was found, and each layer in words. `line` null: the row has no result. */
function foundCells(line: Line | null, layers: readonly Layer[]): Cell[] {
  const { rowOutcomes, outcomes } = batchTexts[language];
  const none = layers.map(() => null);
  if (line === null) return [outcomes.waiting, null, null, null, null, null, ...none];
  const outcome = rowOutcomes[outcomeOf(line)];
  if (line.code !== null) {
    return [outcome, null, null, reasonOf({ ...line.body, code: line.code }), null, null, ...none];
  }
  const { body } = line;
  const items = new Map(itemsIn(layers, body).map((item) => [item.layer.key, item]));
  const words = layers.map(({ key }) => {
    const item = items.get(key);
    return item ? cellOfItem(item, body) : null;
  });
  return [outcome, ...placeCells(body), body.lat, body.lon, ...words];
}

/** The address, how sure it is, and what differs from what was asked. */
function placeCells(body: (Line & { code: null })['body']): Cell[] {
  if (isOfArea(body)) {
    const { repaired, areaM2 } = body;
    const { area } = texts;
    return [fill(area.heading, { area: groundArea(areaM2) }), null, repaired ? area.repairedText : null];
  }
  if (!isFullAnswer(body)) return [body.address, null, null];
  const differences = differencesIn(body.geocode).map(({ text }) => text);
  const sure = certaintyOf(body);
  // Where an address is, the columns beside say.
  return [
    body.address,
    body.geocode.accuracy === 'point' ? sure : sure.replace(/ · .*/, ''),
    differences.join(' ') || null,
  ];
}

/** "None" and "not known" are words. An answer without evidence does not tell the two apart where it has no value. */
function cellOfItem({ layer, tone, main, note }: Item, body: (Line & { code: null })['body']): Cell {
  const { words, area } = texts;
  if (isOfArea(body)) return note ?? (tone === 'none' ? words.none : words.unknown);
  const value = body.layers[layer.key] ?? null;
  if (!isFullAnswer(body)) {
    if (value === null) return batchTexts[language].table.noneOrUnknown;
    if (layer.kind === 'proximity')
      return ({ ...area.bands, outside: area.rest.bands } as Record<string, string>)[value as string] ?? null;
  }
  return note === null ? main : `${main} (${note})`;
}

/** Beginnings that a spreadsheet runs as a formula, as in the service's own tables (src/features/batches/rows/writers.ts). */
const FORMULA = /^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;

/** What is nothing but a number is none. */
const NUMBER = /^[+-]?\d[\d\s.,]*%?$/;

const lineOf = (cells: readonly Cell[], separator: string) =>
  `${cells.map((cell) => written(cell, separator)).join(separator)}\r\n`;

function written(cell: Cell, separator: string) {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
