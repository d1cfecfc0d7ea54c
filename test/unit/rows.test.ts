import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { areaOf } from '../../src/features/areas/area-request.ts';
import { addressColumnsOf } from '../../src/features/batches/rows/address-columns.ts';
import { inOrder } from '../../src/features/batches/answer-rows.ts';
import { linesOf, Turns } from '../../src/features/batches/rows/lines.ts';
import { MAX_LINE } from '../../src/features/batches/rows/csv-record.ts';
import { counted, noRows, totalOf, type AnsweredRow, type AskedRow } from '../../src/features/batches/rows/row.ts';
import { readRows, type RowsFormat } from '../../src/features/batches/rows/read-rows.ts';
import { writerOf } from '../../src/features/batches/rows/writers.ts';
import type { ReadArea } from '../../src/messages/lookup.ts';
import { fail } from '../../src/messages/outcome.ts';
import fc from '../support/drivers/fast-check.ts';

const catalogue = readCatalogue(join(projectDir, 'layers'));

/** The text in pieces of `size` bytes, as a stream may cut it: in the middle of a character, too. */
async function* pieces(text: string | Buffer, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function rowsOf(
  text: string | Buffer,
  format: RowsFormat | null = null,
  size?: number,
  readArea: ReadArea | null = areaOf,
): Promise<AskedRow[]> {
  const rows: AskedRow[] = [];
  for await (const row of readRows(pieces(text, size), format, { readArea })) rows.push(row);
  return rows;
}

/** A row in short: its address, its coordinates, or what is wrong with it. */
function inShort({ place }: AskedRow): string {
  if (!place.ok) return `${place.code}: ${place.detail}`;
  if (place.value.kind === 'area') return 'an area';
  return place.value.kind === 'address' ? place.value.address : `${place.value.lat},${place.value.lon}`;
}
const shorts = async (text: string | Buffer, format?: RowsFormat): Promise<string[]> =>
  (await rowsOf(text, format ?? null)).map(inShort);

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'it did not fail',
    (cause: unknown) => (cause as Error).message,
  );
}

describe('Rows of CSV', () => {
  it('are what the header names, in any order of columns, with any line ends, after a byte order mark', async () => {
    const text = '\ufeffname, LON ,"lat",custom_id\nx,-79.4, 44.1 ,"a,1"\n"y ""z""",-79,44,\n\n,-78,43,b';
    for (const ends of ['\n', '\r\n', '\r']) {
      const rows = await rowsOf(text.replaceAll('\n', ends));
      expect(rows.map(inShort)).to.deep.equal(['44.1,-79.4', '44,-79', '43,-78']);
      expect(rows.map(({ customId }) => customId)).to.deep.equal(['a,1', '', 'b']);
    }
  });

  it('take names that are nearly those of columns, unless another column has the name', async () => {
    const ids = async (text: string) => (await rowsOf(text)).map(({ customId }) => customId);
    for (const near of ['Custom ID', 'custom-id', 'customId', ' CUSTOM_ID '])
      expect(await ids(`ADDRESS,${near}\n1 Main St,a\n`), near).to.deep.equal(['a']);
    expect(await ids('address,Custom ID,custom_id\n1 Main St,a,b\n')).to.deep.equal(['b']);
    expect(await messageOf(rowsOf('address,Custom ID,custom-id\n1 Main St,a,b\n'))).to.contain(
      'two columns "custom_id"',
    );
    expect(await ids('address,id\n1 Main St,a\n')).to.deep.equal([null]);
  });

  it('take names that tables have for columns, and name both where two could be meant', async () => {
    for (const name of ['Full Address', 'full_address', 'ADRESSE', 'Adresse'])
      expect(await shorts(`id,${name}\n1,1 Main St\n`), name).to.deep.equal(['1 Main St']);
    for (const names of ['Latitude,Longitude', 'LATITUDE,lng', 'lat,Lng'])
      expect(await shorts(`${names}\n44,-79\n`), names).to.deep.equal(['44,-79']);
    // The surer name counts.
    expect(await shorts('Full Address,address,Latitude,lat,lon\na,,1,44,-79\n')).to.deep.equal(['44,-79']);
    expect(await messageOf(rowsOf('Full Address,Adresse\na,b\n'))).to.contain('"Full Address" and "Adresse"');
    expect(await messageOf(rowsOf('lat,lng,Longitude\n1,2,3\n'))).to.contain('"lng" and "Longitude"');
    expect(await messageOf(rowsOf('Latitude;Longitude\n1;2\n'))).to.contain('semicolons');
  });

  it('are none where all fields are blank, and at the end of a file of an old program', async () => {
    const text =
      'custom_id,address,notes,,\r\n1,1 Main St,x,,\r\n,,,,\r\n  ,"", ,,\r\n\0\0\0\r\n2,2 Main St,,,\r\n,,,,\r\n';
    for (const end of ['', '\x1a', '\x1a\r\n', '\0\0\0\0'])
      expect(await shorts(text + end, 'csv'), JSON.stringify(end)).to.deep.equal(['1 Main St', '2 Main St']);
    expect(await shorts('address\n1 Main St\x1a')).to.deep.equal(['1 Main St']);
    expect(await shorts(',,\n\naddress,,\n1 Main St,,\n')).to.deep.equal(['1 Main St']);
    expect(await shorts('{"address":"1 Main St"}\n\x1a')).to.deep.equal(['1 Main St']);
    expect(await messageOf(rowsOf('address,b\n,\n'))).to.contain('no rows');
  });

  it('have an address of several columns where somebody names them', async () => {
    const read = async (text: string, names: string, format: RowsFormat = 'csv'): Promise<string[]> => {
      const rows: string[] = [];
      const addressColumns = addressColumnsOf(names, 'address_columns');
      for await (const row of readRows(pieces(text), format, { addressColumns })) rows.push(inShort(row));
      return rows;
    };
    const table =
      'id,Street Address,City,Province,Postal Code\n1,12 Main St W,Sampleton,ON,L0X 5X8\n2,1 A St, ,ON,\n3,,,,\n';
    expect(await read(table, 'Street Address,City,Province,Postal Code')).to.deep.equal([
      ...['12 Main St W, Sampleton, ON, L0X 5X8', '1 A St, ON', 'BAD_REQUEST: address must not be blank'],
    ]);
    expect(await read(table, ' street_address , CITY')).to.deep.equal([
      ...['12 Main St W, Sampleton', '1 A St', 'BAD_REQUEST: address must not be blank'],
    ]);
    expect(await read('No,Street,City\n12.0,4th Line,Sampleton\n', 'No,Street,City')).to.deep.equal([
      '12, 4th Line, Sampleton',
    ]);
    expect(await read('"a, b",address,lat,lon\n1 A St,2 B St,1,2\n,2 B St,44,-79\n', '"a, b"')).to.deep.equal([
      '1 A St',
      '44,-79',
    ]);
    expect(await messageOf(read(table, 'Street,City'))).to.contain('no column "Street"');
    expect(await messageOf(read('City,city\n1,2\n', 'CITY'))).to.contain('"City" (column 1) and "city" (column 2)');
    for (const names of ['', 'City,', 'City,City', '"City', Array.from({ length: 21 }, (_, i) => `c${i}`).join(',')])
      expect(await messageOf(read(table, names)), names).to.match(/^address_columns /);
    const objects =
      '{"No":12,"Street":"Main St W","city":"Sampleton"}\n{"No":null,"address":"x","lat":44,"lon":-79}\n{"No":{}}\n';
    expect(await read(objects, 'no,Street,City', 'ndjson')).to.deep.equal([
      ...['12, Main St W, Sampleton', '44,-79', 'BAD_REQUEST: address must be a text'],
    ]);
  });

  it('may have more blank fields at the end, as spreadsheets write them, and not fewer: an address may be cut', async () => {
    const text = 'custom_id,address,notes,more\n1,1 A St,x,y\n2,2 B St\n3,"3 C St, B",,,, \n4,4 D St,x,y,,z\n5\n';
    expect((await rowsOf(text)).map((row) => `${row.customId}: ${inShort(row)}`)).to.deep.equal([
      ...[
        '1: 1 A St',
        'null: BAD_REQUEST: the row has 2 fields, the header 4: put quotes around a text with a comma',
        '3: 3 C St, B',
      ],
      'null: BAD_REQUEST: the row has 6 fields, the header 4: put quotes around a text with a comma',
      'null: BAD_REQUEST: the row has 1 fields, the header 4: put quotes around a text with a comma',
    ]);
  });

  it('may have commas without quotes where the file has one column', async () => {
    const text = 'address\n12 Main St W, Sampleton, ON\n"14 Main St W, Sampleton"\n16 Main St W , Sampleton,\n';
    expect(await shorts(text)).to.deep.equal([
      ...['12 Main St W, Sampleton, ON', '14 Main St W, Sampleton', '16 Main St W, Sampleton'],
    ]);
  });

  it('take the coordinates where a row has no address', async () => {
    const text = 'address,lat,lon\n"12 Main St W, Sampleton",1,2\n,44.1,-79.4\n';
    expect(await shorts(text)).to.deep.equal(['12 Main St W, Sampleton', '44.1,-79.4']);
  });

  it('are errors in their place when they are bad', async () => {
    const bad = [
      ['91,-79.4', /^BAD_REQUEST: lat "91" is beyond -90 to 90: lat and lon must be WGS84 decimal degrees/],
      ['0x10,-79.4', /lat and lon must be/],
      ['44.1,', /lon is blank, and the other one is not: lat and lon must be/],
      ['44.1', /the row has 1 fields, the header 2/],
      ['44.1,-79.4,9', /the row has 3 fields, the header 2: put quotes/],
      ['"44.1"x,-79.4', /the row is malformed/],
      ['"44.1,-79.4', /the row is malformed/],
    ] as const;
    const text = `lat,lon\n${bad.map(([line]) => `${line}\n44,-79\n`).join('')}`;
    const rows = await shorts(text);
    expect(rows).to.have.length(2 * bad.length);
    bad.forEach(([line, words], i) => {
      expect(rows[2 * i], line).to.match(words);
      expect(rows[2 * i + 1], `after ${line}`).to.equal('44,-79');
    });
  });

  it('hold addresses to the limits of a request', async () => {
    const addresses = ['"  ",1', ',1', 'x'.repeat(301), '"a\u0007b"', '"a\nb"', '\u{1f3e0}'.repeat(300)];
    const text = Buffer.from(
      `address,n\n${addresses.map((one) => (one.endsWith(',1') ? one : `${one},1`)).join('\n')}\n`,
    );
    expect(await shorts(text)).to.deep.equal([
      'BAD_REQUEST: address must not be blank',
      'BAD_REQUEST: address must not be blank',
      'BAD_REQUEST: address must NOT have more than 300 characters',
      'BAD_REQUEST: address must not hold control characters',
      'a\nb',
      '\u{1f3e0}'.repeat(300),
    ]);
  });

  it('lose one line to a stray quote and to a line of 100 MB, not the lines behind it', async () => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('address\n1 A St\n"2 B St\n3 C St\n');
      const piece = Buffer.alloc(1 << 20, 'x');
      for (let i = 0; i < 100; i++) yield await Promise.resolve(piece);
      yield Buffer.from('\n5 E St\n');
    }
    const rows: string[] = [];
    for await (const row of readRows(chunks(), 'csv')) rows.push(inShort(row));
    expect(rows[0]).to.equal('1 A St');
    expect(rows[1]).to.match(/malformed/);
    expect(rows[2]).to.equal('3 C St');
    expect(rows[3]).to.match(/BAD_REQUEST/);
    expect(rows[4]).to.equal('5 E St');
    expect(rows).to.have.length(5);
  });

  it('need columns that name places', async () => {
    expect(await messageOf(rowsOf('street,city\n1,2\n'))).to.contain('needs a column "address"');
    expect(await messageOf(rowsOf('lat,name\n1,2\n'))).to.contain('columns "lat" and "lon"');
    expect(await messageOf(rowsOf('address,Address\n1,2\n'))).to.equal('the file has two columns "address"');
    expect(await messageOf(rowsOf('', 'csv'))).to.contain('empty');
  });

  it('are read as another reader reads them', async () => {
    const field = fc.string({
      unit: fc.constantFrom('a', '1', ' ', ',', '"', '\n', '\r\n', 'é', '\u{1f3e0}'),
      maxLength: 12,
    });
    const quoted = fc
      .tuple(field, fc.boolean())
      .map(([text, always]) => (always || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
    const record = fc.tuple(quoted, quoted, quoted).map((fields) => fields.join(','));
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (records, size) => {
          const text = `custom_id,b,address\n${records.join('\n')}\n`;
          const skipped = { skip_empty_lines: true, skip_records_with_empty_values: true };
          const options = { columns: true, record_delimiter: '\n', ...skipped } as const;
          const other = parse<Record<string, string>>(text, options);
          if (other.length === 0) {
            expect(await rowsOf(text, 'csv', size).catch(String)).to.contain('no rows');
            return;
          }
          const ours = await rowsOf(text, 'csv', size);
          expect(ours.map(({ customId }) => customId)).to.deep.equal(
            other.map((row) => row['custom_id']!.replaceAll('\r\n', '\n').trim()),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('Rows of NDJSON', () => {
  it('take names that are nearly those of members, unless another member has the name', async () => {
    const text = [
      '{"Address":"1 Main St","customId":"a"}',
      '{"address":"1 Main St","Custom ID":"a","custom_id":"b"}',
      '{"LAT":44,"Lon":-79,"custom id":7}',
      '{"Address":"1 Main St","ADDRESS":"2 Main St"}',
    ].join('\n');
    const rows = await rowsOf(text);
    expect(rows.map(({ customId }) => customId)).to.deep.equal(['a', 'b', '7', null]);
    expect(rows.map(inShort).slice(0, 3)).to.deep.equal(['1 Main St', '1 Main St', '44,-79']);
    expect(inShort(rows[3]!)).to.contain('two members that mean the same: "Address" and "ADDRESS"');
    expect(await shorts('{"Latitude":44,"lng":-79}\n{"ADDRESS":"a","Full Address":"b"}\n')).to.deep.equal([
      '44,-79',
      'a',
    ]);
  });

  it('are not guessed where a member that counts is there twice', async () => {
    const twice = [
      '{"custom_id":"a","address":"1 Main St","address":"2 Main St"}',
      '{"lat":44.1,"lat" : 44.2,"lon":-79.4}',
      String.raw`{"lat":44.1,"l\u0061t":44.2,"lon":-79.4}`,
      '{"lat":44.1,"Lat":44.2,"lon":-79.4}',
      '{"address":"1 Main St","ADDRESS":"2 Main St"}',
    ];
    expect(await shorts(twice.join('\n'))).to.deep.equal([
      ...['address', 'lat', 'lat'].map((name) => `BAD_REQUEST: the row has two members "${name}"`),
      'BAD_REQUEST: the row has two members that mean the same: "lat" and "Lat"',
      'BAD_REQUEST: the row has two members that mean the same: "address" and "ADDRESS"',
    ]);
    const once = [
      '{"address":"1 Main St","other":{"address":"2 Main St"}}',
      '{"address":"1 Main St","note":1,"note":2}',
      String.raw`{"address":"1 Main St","note":": \"address\": \"address\": {"}`,
      '{"address":"1 Main St","list":[{"address":"2"},{"address":"3"}]}',
    ];
    expect(await shorts(once.join('\n'))).to.deep.equal(once.map(() => '1 Main St'));
  });

  it('are objects with an address or coordinates, one a line', async () => {
    const text = [
      '{"address":"12 Main St W, Sampleton","custom_id":"é1","other":{}}',
      '{"lat":44.1,"lon":-79.4,"custom_id":7}',
      '',
      '{"lat":"44.1","lon":"-79.4"}',
    ].join('\n');
    const rows = await rowsOf(text);
    expect(rows.map(inShort)).to.deep.equal(['12 Main St W, Sampleton', '44.1,-79.4', '44.1,-79.4']);
    expect(rows.map(({ customId }) => customId)).to.deep.equal(['é1', '7', null]);
  });

  it('are errors in their place when they are bad', async () => {
    const bad = [
      'not json',
      '[1]',
      '{"address":5}',
      '{"address":""}',
      '{"lat":44.1}',
      '{"lat":1e400,"lon":1}',
      '{"custom_id":{},"address":"x"}',
      `{"address":"x","more":"${'y'.repeat(MAX_LINE)}"}`,
    ];
    const rows = await shorts(`{"address":"first"}\n${bad.join('\n')}\n{"address":"last"}`);
    expect(rows).to.have.length(bad.length + 2);
    expect(rows.slice(1, -1).filter((row) => !row.startsWith('BAD_REQUEST'))).to.deep.equal([]);
    expect(rows.at(-1)).to.equal('last');
  });

  it('may ask for areas, which are longer than other rows', async () => {
    const ring = Array.from({ length: 4000 }, (_, i) => [-79 + Math.cos(i / 637) / 1e3, 44 + Math.sin(i / 637) / 1e3]);
    const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
    const text = JSON.stringify({ custom_id: 'parcel', geometry, note: 'ignored' });
    expect(text.length).to.be.greaterThan(8 * MAX_LINE);
    const [row] = await rowsOf(`${text}\n`, null, 1 << 16);
    expect(row).to.deep.equal({
      customId: 'parcel',
      place: { ok: true, value: { kind: 'area', polygons: [[ring.flat()]], isClosed: true } },
    });
  });

  it('may not ask for areas where none are looked up, whatever else they have', async () => {
    const geometry = { type: 'Polygon', coordinates: [[[-79, 44], [-79.01, 44], [-79, 44.01], [-79, 44]]] }; // prettier-ignore
    const lines = [{ geometry }, { geometry, address: '1 Main St' }, { geometry: null, address: '2 Main St' }];
    const rows = await rowsOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), null, 7, null);
    const refused =
      'BAD_REQUEST: the row must not have the member "geometry": no areas are looked up here, send an address or a point';
    expect(rows.map(inShort)).to.deep.equal([refused, refused, '2 Main St']);
    const [{ place }] = rows as [AskedRow];
    expect(place).to.have.nested.property('extras.param', '/geometry');
  });

  it('are told from CSV by the first line that is not blank', async () => {
    expect(await shorts('\n \n {"address":"x"}\n')).to.deep.equal(['x']);
    expect(await shorts('\n\naddress\nx\n')).to.deep.equal(['x']);
  });
});

/** A plain answer with a value of each kind. */
const body = {
  address: '=cmd|"x", \u00e9',
  lat: 44.1,
  lon: -79.4,
  layers: {
    greenbelt: false,
    ormcp: '-Core',
    soil: { cliClass: '@1', description: null },
    waterWells: { count500m: 2 },
  },
  dataAsOf: { greenbelt: '2025-01-24' },
};
const found: AnsweredRow = { row: 1, customId: '+1', answer: { ok: true, value: JSON.stringify(body) } };
const refused: AnsweredRow = {
  ...{ row: 2, customId: null },
  answer: fail('ADDRESS_NOT_FOUND', 'There is no such street.', { reason: 'STREET_NOT_FOUND', suggestions: [] }),
};

const attribution = ['Contains "A", and B.', '=Adapted from C.'];

describe('Answered rows', () => {
  const written = (format: 'ndjson' | 'csv' | 'geojson', ...rows: AnsweredRow[]): string => {
    const { head, foot, row } = writerOf(format, { catalogue, attribution, withLookupIds: false });
    return head + rows.map(row).join('') + foot;
  };

  it('are NDJSON as the body of an answer, and as the code of a failure', () => {
    const [first, second, rest] = written('ndjson', found, refused).split('\n');
    expect([first, rest]).to.deep.equal([JSON.stringify({ ...body, attribution }), '']);
    expect(JSON.parse(second!)).to.deep.equal({
      ...{ code: 'ADDRESS_NOT_FOUND', detail: 'There is no such street.', reason: 'STREET_NOT_FOUND', suggestions: [] },
    });
  });

  it('are CSV with a column for each layer and member, in which no text is a formula', () => {
    const text = written('csv', found, refused);
    const [first, second] = parse<Record<string, string>>(text, { columns: true });
    expect(Object.keys(first!).slice(0, 9)).to.deep.equal([
      'row',
      'custom_id',
      'status',
      'code',
      'address',
      'lat',
      'lon',
      'greenbelt',
      'ormcp',
    ]);
    const layerKeys = new Set(
      Object.keys(first!)
        .slice(7, -2)
        .map((name) => name.split('.')[0]),
    );
    expect([...layerKeys]).to.deep.equal(catalogue.answers.map(({ answer }) => answer.key));
    expect(first).to.include({ row: '1', custom_id: "'+1", status: '200', code: '', address: `'${body.address}` });
    expect(first).to.include({ lat: '44.1', lon: '-79.4', greenbelt: 'false', ormcp: "'-Core", nep: '' });
    expect(first).to.include({ 'soil.cliClass': "'@1", 'soil.description': '', 'waterWells.count500m': '2' });
    expect(Object.keys(first!).at(-1)).to.equal('attribution');
    expect([first!['attribution'], second!['attribution']]).to.deep.equal([
      'Contains "A", and B. =Adapted from C.',
      '',
    ]);
    expect(second).to.include({
      row: '2',
      custom_id: '',
      status: '404',
      code: 'ADDRESS_NOT_FOUND',
      lat: '',
      greenbelt: '',
    });
  });

  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '\uff1d', '\uff0b', '\uff0d', '\uff20']) {
    it(`begin no text of CSV with ${JSON.stringify(start)}`, () => {
      const [row] = parse<Record<string, string>>(written('csv', { ...refused, customId: `${start}1` }), {
        columns: true,
      });
      expect(row!['custom_id']).to.equal(`'${start}1`);
    });
  }

  it('are GeoJSON features, without a geometry where there is no place', () => {
    expect(JSON.parse(written('geojson'))).to.deep.equal({ type: 'FeatureCollection', attribution, features: [] });
    const { type, ...collection } = JSON.parse(written('geojson', found, refused)) as {
      type: string;
      attribution: string[];
      features: { id: number; geometry: unknown; properties: Record<string, unknown> }[];
    };
    expect(type).to.equal('FeatureCollection');
    expect(collection.attribution).to.deep.equal(attribution);
    const [first, second] = collection.features;
    expect(first).to.deep.include({ id: 1, geometry: { type: 'Point', coordinates: [-79.4, 44.1] } });
    expect(first!.properties).to.deep.include({
      row: 1,
      custom_id: '+1',
      status: 200,
      code: null,
      address: body.address,
    });
    expect(first!.properties).to.deep.include({
      greenbelt: false,
      'soil.cliClass': '@1',
      nep: null,
      dataAsOf: body.dataAsOf,
    });
    expect(second).to.deep.include({ id: 2, geometry: null });
    expect(second!.properties).to.include({
      row: 2,
      status: 404,
      code: 'ADDRESS_NOT_FOUND',
      reason: 'STREET_NOT_FOUND',
    });
  });

  it('have the statements of the licences in the first row, also when that row is refused', () => {
    const first = { ...refused, row: 1 };
    const line = JSON.parse(written('ndjson', first)) as Record<string, unknown>;
    expect(line).to.deep.include({ code: 'ADDRESS_NOT_FOUND', attribution });
    const [row] = parse<Record<string, string>>(written('csv', first), { columns: true });
    expect(row!['attribution']).to.contain(attribution[0]);
    expect(JSON.parse(written('ndjson', { ...found, row: 2 }))).to.deep.equal(body);
  });

  it('are counted by outcome', () => {
    const codes = ['ADDRESS_NOT_FOUND', 'OUTSIDE_ONTARIO', 'BAD_REQUEST', 'DB_ERROR', 'INTERNAL'] as const;
    const answers = [found.answer, ...codes.map((code) => fail(code, ''))];
    const counts = answers.reduce(counted, noRows);
    expect(counts).to.deep.equal({ found: 1, notFound: 1, outside: 1, invalid: 1, failed: 2 });
    expect(totalOf(counts)).to.equal(6);
  });
});

describe('Rows under way', () => {
  it('end in the order in which they began, and no more of them are read than may be under way', async () => {
    let read = 0;
    let written = 0;
    async function* numbers(): AsyncGenerator<number> {
      for (; read < 500; read++) yield await Promise.resolve(read);
    }
    const late = (n: number): Promise<number> =>
      new Promise((resolve) =>
        setTimeout(
          () => {
            resolve(n);
          },
          (n * 7) % 5,
        ),
      );
    const ends: number[] = [];
    for await (const n of inOrder(numbers(), 16, late)) {
      ends.push(n);
      written++;
      expect(read - written).to.be.lessThan(17);
    }
    expect(ends).to.deep.equal(Array.from({ length: 500 }, (_, n) => n));
  });
});

describe('Lines of a file', () => {
  it('make the same rows without most of a run of line ends, also within quotes', async () => {
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const run = fc.tuple(end, fc.integer({ min: 1, max: 1200 })).map(([one, count]) => one.repeat(count));
    const cell = fc.constantFrom('12 Main St', '"1\n2 Main St"', '"12 Main St', 'St"', '"a ""b"" c"', '', ' ');
    const file = fc.array(fc.tuple(cell, run), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(file, fc.constantFrom(7, 100, 1 << 16), async (lines, size) => {
        const text = `address\n12 Main St\n${lines.flat().join('')}`;
        // No record has over a hundred lines, so that 200 line ends stand for any longer run.
        const short = text.replace(/[\r\n]{401,}/g, (ends) => ends.slice(0, 400));
        expect(await rowsOf(text, 'csv', size)).to.deep.equal(await rowsOf(short, 'csv', 1 << 16));
      }),
      { seed: 20_261_126, numRuns: 60 },
    );
  });

  it('give others their turn by the time that has passed, whether there are rows or not', async () => {
    for (const [text, most] of [
      ['12 Main St\n', 200],
      [' \n', 200],
      ['x'.repeat(100), 10],
    ] as const) {
      let ms = 0;
      let turns = 0;
      let isReading = true;
      const other = (): void => {
        turns++;
        if (isReading) setImmediate(other);
      };
      setImmediate(other);
      const options = { turns: new Turns(() => ms++) };
      let lines = 0;
      for await (const line of linesOf(pieces(text.repeat(most), 100), options)) lines += line === '' ? 0 : 1;
      isReading = false;
      expect(lines).to.be.above(0);
      // A millisecond passes with each look at the clock, and others' turn comes after three.
      expect(turns, text).to.be.at.least(most / 10);
    }
  });
});
