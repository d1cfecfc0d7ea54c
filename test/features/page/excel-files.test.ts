import { expect } from 'chai';
import { readRows } from '../../../src/features/batches/rows/read-rows.ts';
import type * as BatchColumns from '../../../web/batch/batch-columns.ts';
import type * as BatchInput from '../../../web/batch/batch-input.ts';
import type * as Ids from '../../../web/shared/ids.ts';
import { webModule } from './web-module.ts';

const { asTheServiceTakes, readPlaces, rowsAgain } = (await webModule('batch/batch-input.ts')) as typeof BatchInput;
const { rolesIn } = (await webModule('batch/batch-columns.ts')) as typeof BatchColumns;
const { idOfFeature } = (await webModule('shared/ids.ts')) as typeof Ids;

type Read = Exclude<Awaited<ReturnType<typeof readPlaces>>, { fault: string }>;

async function read(
  content: string | Uint8Array<ArrayBuffer>,
  name = 'list.csv',
): Promise<{ file: File; places: Read }> {
  const file = new File([content], name);
  const places = await readPlaces(file);
  if ('fault' in places) throw new Error(JSON.stringify(places));
  return { file, places };
}

/** The rows that the service reads in what the page sends. */
async function sentRows({ file, places }: { file: File; places: Read }): Promise<unknown[]> {
  const sent = places.isAsIs ? file : (await asTheServiceTakes(file, places.table!))!;
  const chunks = (async function* () {
    yield Buffer.from(await sent.arrayBuffer());
  })();
  const rows: unknown[] = [];
  for await (const { customId, place } of readRows(chunks, 'csv', {})) rows.push([customId, place.ok && place.value]);
  return rows;
}

const HEADER = 'File No.;Street Address;Town';
const ROWS = 'D-1;12 Côté St;Sampleton\r\nD-2;"14 rue de l’Église";Sampleton';
const TABLE = `${HEADER}\r\n${ROWS}\r\n`;

/** As Excel encodes it on Windows: the apostrophe is no letter of Latin-1. */
const inWindows1252 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Array.from(text, (letter) => (letter === '’' ? 0x92 : letter === '–' ? 0x96 : letter.codePointAt(0)!)),
  );

function inUtf16(text: string, isBigEndian: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
  if (!isBigEndian) return bytes;
  return bytes.map((_, i) => bytes[i % 2 === 0 ? i + 1 : i - 1]!);
}

describe('A table as Excel writes it', () => {
  const asked = ['12 Côté St, Sampleton', '14 rue de l’Église, Sampleton'];
  for (const [encoding, bytes, unusual] of [
    ['windows-1252', inWindows1252(TABLE), 'Côté'],
    ['utf-16le', inUtf16(TABLE, false), ''],
    ['utf-16be', inUtf16(TABLE, true), ''],
    ['utf-16le', inUtf16(TABLE, false).subarray(2), ''],
    ['utf-16be', inUtf16(TABLE, true).subarray(2), ''],
    ['utf-8', new Uint8Array(Buffer.from(`\ufeff${TABLE}`)), ''],
  ] as const)
    it(`is read in ${encoding}, ${bytes[0]! > 0x7f ? 'with' : 'without'} a mark, and sent in UTF-8`, async () => {
      const one = await read(bytes);
      expect(one.places.table).to.deep.include({ encoding, separator: ';', titles: [] });
      expect(one.places).to.deep.include({ rows: 2, unusual });
      expect([...one.places.asked.values()]).to.deep.equal(asked);
      expect(await sentRows(one)).to.deep.equal([
        ['D-1', { kind: 'address', address: asked[0] }],
        ['D-2', { kind: 'address', address: asked[1] }],
      ]);
    });

  for (const [what, text, titles, header] of [
    [
      'a title of one cell',
      'Committee – list of November\r\n\r\nFile No.,Address,Town\r\nD,1 A St,B\r\n',
      1,
      'File No.',
    ],
    ['a title with a comma', 'Committee, November 3\r\nFile No.,Address,Town\r\nD,1 A St,B\r\n', 1, 'File No.'],
    [
      'titles as wide as the table',
      'List,,\r\nPrinted,3 Nov,\r\nFile No.,Address,Town\r\nD,1 A St,B\r\n',
      2,
      'File No.',
    ],
    ['a title as wide as the table', 'Printed,3 Nov\r\nDossier,Address\r\nD,1 A St\r\n', 1, 'Dossier'],
    ['a title and one column', 'My places\r\nAddress\r\n1 A St\r\n', 1, 'Address'],
    ['a title above names in service style', 'List of places\r\ncustom_id,address\r\nD,1 A St\r\n', 1, 'custom_id'],
    ['no title, and a place named in a row', 'custom_id,address\r\naddress,address\r\n', 0, 'custom_id'],
  ] as const)
    it(`has its header below ${what}`, async () => {
      const one = await read(text);
      expect(one.places.table!.titles).to.have.length(titles);
      expect(one.places.table!.header[0]).to.equal(header);
      expect(one.places.rows).to.equal(1);
      expect(await sentRows(one)).to.have.length(1);
    });

  it('offers its own header where no name is known, not the title above it', async () => {
    for (const [text, header] of [
      [
        'List of November\nqui;où;note\nAnn;12 Main, Sampleton, ON;x\nBob;14 Main, Sampleton, ON;y\n',
        ['qui', 'où', 'note'],
      ],
      ['who,where\nAnn,1 A St\n', ['who', 'where']],
    ] as const)
      expect(await readPlaces(new File([text], 'a.csv'))).to.deep.equal({ fault: 'noColumns', header });
  });

  it('gives each row again as it was written, also where it is longer than the header', async () => {
    const one = await read(inWindows1252(`Liste\r\n${TABLE}D-3;1 A St;B;too much\r\n`));
    const rows: (readonly string[])[] = [];
    for await (const { cells } of rowsAgain(one.file, one.places)) rows.push(cells);
    expect(rows).to.deep.equal([
      ['D-1', '12 Côté St', 'Sampleton'],
      ['D-2', '14 rue de l’Église', 'Sampleton'],
      ['D-3', '1 A St', 'B', 'too much'],
    ]);
  });
});

describe('An address in several columns', () => {
  const askedOf = async (header: string, row: string): Promise<string | undefined> =>
    (await read(`${header}\n${row}\n`)).places.asked.get(1);

  it('has the house number before a street that begins with a number of its own', async () => {
    for (const [row, asked] of [
      ['1234;4th Line', '1234 4th Line, Sampleton'],
      ['88;10 Sideroad', '88 10 Sideroad, Sampleton'],
      ['12.0;Main St W', '12 Main St W, Sampleton'],
      ['12;12 Main St W', '12 Main St W, Sampleton'],
      ['12;12A Main St W', '12A Main St W, Sampleton'],
      ['12;Unit 5, 12 Main St W', 'Unit 5, 12 Main St W, Sampleton'],
      ['12;5-12 Main St W', '5-12 Main St W, Sampleton'],
      [';12 Main St W', '12 Main St W, Sampleton'],
    ] as const)
      expect(await askedOf('House Number;Street;Town', `${row};Sampleton`), row).to.equal(asked);
  });

  it('has its type, direction, unit, province and country', async () => {
    const header = 'Street No;Street Name;Street Type;Street Direction;Unit;City;Province;Postal Code;Country';
    for (const [row, asked] of [
      ['12;Main;St;W;5;Sampleton;ON;L0X 5X8;Canada', '12 Main St W, Unit 5, Sampleton, ON, L0X 5X8, Canada'],
      ['12;Main;St;;Apt 5;Sampleton;QC;;', '12 Main St, Apt 5, Sampleton, QC'],
      ['12;Main;;;Upper;Sampleton;;;', '12 Main, Upper, Sampleton'],
    ] as const)
      expect(await askedOf(header, row), row).to.equal(asked);
    expect(
      await askedOf('No civique;Rue;Type de rue;App;Ville;Prov;Pays', '12;Principale;rue;3;Sampleton;QC;'),
    ).to.equal('12 Principale rue, Unit 3, Sampleton, QC');
  });

  it('has nothing twice that the address has, and the town also where the street is called like it', async () => {
    const header = 'Full Address;Street Type;City;Province;Postal Code;Country';
    const whole = '12 Main St W, Sampleton, ON L0X 5X8, Canada';
    expect(await askedOf(header, `${whole.replaceAll(';', ',')};St;Sampleton;ON;L0X5X8;Canada`)).to.equal(whole);
    expect(await askedOf('Adresse;Ville', '12 rue Sampleton;Sampleton')).to.equal('12 rue Sampleton, Sampleton');
    expect(await askedOf('Street;Street Address;City', 'Main St;12 Main St;Sampleton')).to.equal(
      '12 Main St, Sampleton',
    );
  });

  it('is not looked up where the row has more fields than the header, so that nobody knows which is which', async () => {
    const one = await read(
      'File No,Street Address,Town\n1,Unit 5, 12 Main St W,Sampleton\n2,14 Main St W,Sampleton,,\n',
    );
    expect([...one.places.asked.values()]).to.deep.equal(['', '14 Main St W, Sampleton']);
    expect(await sentRows(one)).to.deep.equal([
      [null, false],
      ['2', { kind: 'address', address: '14 Main St W, Sampleton' }],
    ]);
  });

  it('may have commas without quotes where it is the only column', async () => {
    const one = await read('Address\n12 Main St W, Sampleton, ON\n');
    expect([...one.places.asked.values()]).to.deep.equal(['12 Main St W, Sampleton, ON']);
    expect(await sentRows(one)).to.deep.equal([[null, { kind: 'address', address: '12 Main St W, Sampleton, ON' }]]);
  });
});

describe('The own id of a place', () => {
  it('is in a column of many names', () => {
    const names = [
      'File No.',
      'File',
      'FILE NUMBER',
      'Dossier',
      'N° de dossier',
      'Roll Number',
      'roll_no',
      'ARN',
      'PIN',
      'id',
    ];
    for (const name of names)
      expect(rolesIn(['Town', name, 'Address']), name).to.deep.equal(['city', 'custom_id', 'address']);
    expect(rolesIn(['Unit #', 'Street #', 'Street', 'City', 'Zip/Postal Code'])).to.deep.equal([
      ...['unit', 'number', 'address', 'city', 'postal'],
    ]);
    expect(rolesIn(['N° civique', 'Rue', 'App. #', 'Ville'])).to.deep.equal(['number', 'address', 'unit', 'city']);
    expect(rolesIn(['PIN', 'custom_id', 'address']), 'the name of the service goes first').to.deep.equal([
      ...[null, 'custom_id', 'address'],
    ]);
  });

  it('is that of a feature, else a property that is one, else its name', () => {
    expect(idOfFeature({ id: 7, properties: { PIN: '1' } })).to.equal('7');
    expect(idOfFeature({ properties: { name: 'a', PIN: '03600-0123' } })).to.equal('03600-0123');
    expect(idOfFeature({ properties: { Name: 'North field', ARN: ' ' } })).to.equal('North field');
    expect(idOfFeature({ properties: { area: 3 } })).to.equal(null);
    expect(idOfFeature({ properties: null })).to.equal(null);
  });
});
