/** Registers that have been through other programs: what these write for nothing, and what they make of numbers. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { emptyGeoPackage, openImmutable } from '../support/material/small-gazetteer.ts';
import { writeRegister, type RegisterRow } from '../support/material/small-register.ts';

const rows = (count: number): RegisterRow[] =>
  Array.from({ length: count }, (_, i) => ({
    civic: 11 + i * 10,
    street: ['Princess', 'ST'],
    mail: 'KINGSTON',
    csd: [3_510_010, 'Kingston'],
    postalCode: 'K7L1A1',
    at: [44.2311234 + i * 0.0000123, -76.4826543 + i * 0.0000123],
  }));

/** Changes the text of a file of the register. */
type Change = (lines: string[]) => string[];

interface Changed {
  readonly addresses?: Change;
  readonly locations?: Change;
  readonly count?: number;
}

const asItIs: Change = (lines) => lines;
const eachRow =
  (change: (line: string, row: number) => string): Change =>
  ([header, ...lines]) => [header!, ...lines.map((line, i) => (line === '' ? line : change(line, i)))];
/** Writes something else into every cell of the columns that holds this text. */
const cells = (change: (cell: string, column: number) => string): Change =>
  eachRow((line) => line.split(',').map(change).join(',')); // prettier-ignore

const CIVIC = 3;
const asCivic = (change: (civic: string) => string): Change =>
  cells((cell, column) => (column === CIVIC ? change(cell) : cell));
const asPosition = (change: (degrees: string) => string): Change =>
  cells((cell, column) => (column >= 2 && cell !== '' ? change(cell) : cell));

/** Imports the register, and answers an address: where it was found, or why not; or why the import failed. */
async function askedAfter({ addresses = asItIs, locations = asItIs, count = 40 }: Changed): Promise<string> {
  using folder = temporaryFolder();
  writeRegister(folder.path, rows(count));
  for (const [file, change] of [
    ['Addresses/Address_35_part_1.csv', addresses],
    ['Locations/Location_35_part_1.csv', locations],
  ] as const) {
    const path = join(folder.path, file);
    writeFileSync(path, change(readFileSync(path, 'utf8').replaceAll('\r', '').split('\n')).join('\n'));
  }
  const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
  try {
    await importAddresses({ from: folder.path, gpkg, asOf: '2026-06-26' });
  } catch (error) {
    return (error as Error).message;
  }
  const dataset = openImmutable(gpkg);
  try {
    const answer = openGazetteer(dataset).geocode('11 Princess St, Kingston');
    if (!('found' in answer)) return answer.refused.reason;
    const { address, lat, lon } = answer.found;
    return `${address} at ${lat.toFixed(5)}, ${lon.toFixed(5)}`;
  } finally {
    dataset.close();
  }
}

const RIGHT = '11 Princess St, Kingston, ON K7L 1A1, Canada at 44.23112, -76.48265';

describe('a register that other programs have written', function () {
  this.timeout(120_000);

  it('is read as it was published', async () => {
    expect(await askedAfter({})).to.equal(RIGHT);
  });

  for (const nothing of ['NULL', '\\N', 'nan', 'None', 'N/A', '<NA>', '(blank)'])
    it(`takes ${nothing} for nothing`, async () => {
      expect(await askedAfter({ addresses: cells((cell) => (cell === '' ? nothing : cell)) })).to.equal(RIGHT);
    });

  it('takes blanks around a cell for none', async () => {
    const padded = cells((cell) => cell.padEnd(60));
    expect(await askedAfter({ addresses: padded })).to.equal(RIGHT);
    expect(await askedAfter({ locations: padded })).to.equal(RIGHT);
  });

  for (const [what, change] of Object.entries({
    'with thousands': (civic: string) => (Number(civic) > 350 ? `"${civic.slice(0, 1)},${civic.slice(1)}"` : civic),
    'as fractions': (civic: string) => `${civic}.0`,
    'as powers of ten': (civic: string) => (Number(civic) > 350 ? '4E+02' : civic),
    'as days': (civic: string) => (Number(civic) > 350 ? '3-May' : civic),
    'as errors of a spreadsheet': (civic: string) => (Number(civic) > 350 ? '#REF!' : civic),
  }))
    it(`is refused when civic numbers are written ${what}`, async () => {
      expect(await askedAfter({ addresses: asCivic(change) })).to.match(
        /^\d+ of 40 civic numbers are no numbers, such as "[^"]+": was the file saved by a spreadsheet\?/,
      );
    });

  it('counts a single number that is none', async () => {
    expect(await askedAfter({ count: 100, addresses: asCivic((civic) => (civic === '411' ? '3-May' : civic)) })).to.equal(RIGHT); // prettier-ignore
  });

  it('is refused when positions have lost their decimals', async () => {
    expect(await askedAfter({ locations: asPosition((degrees) => Number(degrees).toExponential(2)) })).to.match(
      /only 0 of 40 addresses have a position/,
    );
    const rounded = asPosition((degrees) => Number(degrees).toFixed(3));
    expect(await askedAfter({ locations: rounded, count: 1200 })).to.match(
      /^\d+ of 1200 positions are rounded to three decimals of a degree or fewer/,
    );
  });

  for (const id of ['', 'NULL'])
    it(`gives addresses whose id is ${id || 'blank'} no place of another`, async () => {
      const withoutId = eachRow((line) => line.replace(/^[^,]*/, id));
      const elsewhere: Change = (lines) => [...lines.filter((line) => line !== ''), `${id},3510010,45.1234567,-77.1234567,,`]; // prettier-ignore
      expect(await askedAfter({ addresses: withoutId, locations: elsewhere })).to.match(
        /only 0 of 40 addresses have a position/,
      );
    });

  it('takes latitude and longitude from columns of one kind', async () => {
    const both: Change = ([header, ...lines]) => [
      header!.replace('BG_LATITUDE', 'BG_LATITUDE,REPPOINT_LATITUDE,REPPOINT_LONGITUDE'),
      ...lines.map((line) => line.replace(/^([^,]*,[^,]*,[^,]*),/, '$1,45.1234567,-77.1234567,')),
    ];
    expect(await askedAfter({ locations: both })).to.equal(RIGHT);
  });

  it('is refused with two columns of one name, as a join makes them', async () => {
    const twice: Change = (lines) => lines.map((line, i) => (line === '' ? line : `${line},${i === 0 ? 'CIVIC_NO' : '7'}`)); // prettier-ignore
    expect(await askedAfter({ addresses: twice })).to.match(/there are two columns CIVIC_NO: remove one/);
  });
});
