/**
 * Writes a register of a given size from real rows: as many streets a row and rows a street as the whole register has, in the same
 * municipalities. Arguments: FROM TO ROWS.
 */
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse/sync';

/** Copies that lengthen a street; the others make new streets. With these the whole has about 42 rows a street, as Ontario has. */
const COPIES_OF_STREET = 4;

/** No name of the extract has a civic number beyond it. */
const CIVICS_OF_COPY = 40_000;

const DEGREES_OF_COPY = 0.004;

/** Words that make another street of a name. */
const nameWords = [
  '',
  ...'Oak Elm Maple Cedar Birch Willow Aspen Poplar Hazel Linden Spruce Walnut Cherry Alder Laurel Juniper'.split(' '),
];

const CODE_LETTERS = 'ABCEGHJKLMNPRSTVWXYZ';

type Cells = string[];

const [from = '', to = '', rowCount = ''] = process.argv.slice(2);
const addresses = read('Addresses');
const locations = read('Locations');
const copies = Math.ceil(Number(rowCount) / addresses.rows.length);
if (copies > COPIES_OF_STREET * nameWords.length) throw new Error('too many rows for so few words');
await write('Addresses/Address_35_part_1.csv', addresses.header, Number(rowCount), addresses.rows, copyOfAddress);
await write('Locations/Location_35_part_1.csv', locations.header, Infinity, locations.rows, copyOfLocation);

function read(folder: string): { header: Cells; rows: Cells[] } {
  const parts = readdirSync(join(from, folder)).sort();
  const [header = [], ...rows] = parts.flatMap((name, i) =>
    parse(readFileSync(join(from, folder, name)), { bom: true, fromLine: i === 0 ? 1 : 2 }),
  ) as Cells[];
  return { header, rows };
}

async function write(
  name: string,
  header: Cells,
  most: number,
  rows: readonly Cells[],
  copyOf: (row: Cells, copy: number) => Cells,
): Promise<void> {
  const lines = function* (): Generator<string> {
    yield `\ufeff${header.join(',')}\r\n`;
    let left = most;
    for (let copy = 0; copy < copies; copy++) {
      let text = '';
      for (const row of rows.slice(0, left)) text += `${copyOf(row, copy).map(quoted).join(',')}\r\n`;
      left -= rows.length;
      yield text;
      if (left <= 0) return;
    }
  };
  const file = join(to, name);
  mkdirSync(join(file, '..'), { recursive: true });
  await pipeline(Readable.from(lines()), createWriteStream(file));
}

function copyOfAddress(row: Cells, copy: number): Cells {
  const cells = [...row];
  const change = (column: string, by: (text: string) => string): void => {
    const at = addresses.header.indexOf(column);
    if (cells[at] !== '') cells[at] = by(cells[at]!);
  };
  const word = nameWords[Math.floor(copy / COPIES_OF_STREET)]!;
  const name = (text: string): string => (word === '' ? text : `${text} ${word}`);
  change('LOC_GUID', (text) => guid(text, copy));
  change('CIVIC_NO', (text) => String(Number(text) + (copy % COPIES_OF_STREET) * CIVICS_OF_COPY));
  change('OFFICIAL_STREET_NAME', name);
  change('MAIL_STREET_NAME', name);
  change('MAIL_POSTAL_CODE', (text) => postalCode(text, copy));
  return cells;
}

function copyOfLocation(row: Cells, copy: number): Cells {
  const cells = [...row];
  cells[0] = guid(cells[0]!, copy);
  for (const column of ['BG_LATITUDE', 'BF_REPPOINT_LATITUDE']) {
    const at = locations.header.indexOf(column);
    if (cells[at] !== '') cells[at] = (Number(cells[at]) + (copy % COPIES_OF_STREET) * DEGREES_OF_COPY).toFixed(6);
  }
  return cells;
}

/** Another id for each copy. */
function guid(text: string, copy: number): string {
  const first = (Number.parseInt(text.slice(0, 8), 16) ^ Math.imul(copy, 0x9e3779b1)) >>> 0;
  return first.toString(16).padStart(8, '0') + text.slice(8);
}

/** A code of the same area. */
function postalCode(text: string, copy: number): string {
  const letter = CODE_LETTERS[(CODE_LETTERS.indexOf(text[4]!) + copy) % CODE_LETTERS.length]!;
  return text.slice(0, 4) + letter + text.slice(5);
}

function quoted(cell: string): string {
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
