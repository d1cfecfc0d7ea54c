/**
 * Files that nobody should send. Each ends in an error that says what to do, or in rows of which the bad ones are errors: never in a crash, and
 * never in a row about another place.
 */
import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { areaOf } from '../../../src/features/areas/area-request.ts';
import { MAX_AREA_LINE } from '../../../src/features/batches/rows/lines.ts';
import { MAX_LINE } from '../../../src/features/batches/rows/csv-record.ts';
import { readRows, type RowsFormat } from '../../../src/features/batches/rows/read-rows.ts';
import type { AskedRow } from '../../../src/features/batches/rows/row.ts';
import { AppError } from '../../../src/messages/problems.ts';

interface Hostile {
  readonly name: string;
  readonly format: RowsFormat;
  readonly input: string | Buffer | (() => Iterable<Buffer>);
  /** What the refusal of the whole file says; null when it is read. */
  readonly refused?: RegExp;
  /** Each row: what it asks for, or what its error says. */
  readonly rows?: readonly (string | RegExp)[];
  /** How many rows there are, where there are many. */
  readonly count?: number;
}

const MALFORMED = /malformed: its quotes have no end, or it has more than 16384 characters/;
const DEGREES = /lat and lon must be WGS84 decimal degrees, such as 44\.1/;
const NOT_AN_OBJECT = /must be one JSON object/;
const CONTROL = /address must not hold control characters/;
const UTF_16 = /the file is UTF-16: save it as UTF-8/;
const NEEDS_COLUMN = /^the file needs a column "address", or columns "lat" and "lon": its header has /;

const utf16 = (text: string, mark: boolean): Buffer => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le');
const square = [
  [-79.4, 44.1],
  [-79.39, 44.1],
  [-79.39, 44.11],
  [-79.4, 44.1],
];
const polygon = { type: 'Polygon', coordinates: [square] };
const area = (more: object): string => JSON.stringify({ geometry: polygon, ...more });
const geometry = (value: unknown): string => JSON.stringify({ geometry: value });
function* megabytes(count: number, begin: string, end: string): Iterable<Buffer> {
  yield Buffer.from(begin);
  for (let i = 0; i < count; i++) yield Buffer.alloc(1 << 20, 'x');
  yield Buffer.from(end);
}

const encodings: readonly Hostile[] = [
  {
    name: 'UTF-16 with a byte order mark',
    format: 'csv',
    input: utf16('address\n1 A St\n', true),
    refused: UTF_16,
  },
  {
    name: 'UTF-16, the other order of bytes',
    format: 'ndjson',
    input: utf16('{"address":"1 A St"}', true).swap16(),
    refused: UTF_16,
  },
  {
    name: 'UTF-16 without a byte order mark',
    format: 'csv',
    input: utf16('address\n1 A St\n', false),
    refused: /the file is binary, or UTF-16/,
  },
  {
    name: 'Latin-1',
    format: 'csv',
    input: Buffer.from('address\n1 A St\n2 Rue Montréal\n', 'latin1'),
    refused: /^row 2 \(line 3\), column 12: the byte 0xe9 is not UTF-8: save the file as UTF-8$/,
  },
  {
    name: 'Latin-1 in a column that does not count',
    format: 'csv',
    input: Buffer.from('address,note\r\n1 A St,é\r\n', 'latin1'),
    refused: /^row 1 \(line 2\), column 8: the byte 0xe9 is not/,
  },
  {
    name: 'half a character at the end',
    format: 'csv',
    input: Buffer.from('address\n1 Rue é').subarray(0, -1),
    refused: /^row 1 \(line 2\), column 7: the byte 0xc3 is not/,
  },
  {
    name: 'half of a surrogate pair',
    format: 'ndjson',
    input: Buffer.from([...Buffer.from('{"address":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}\n')]),
    refused: /^row 1 \(line 1\), column 13: the byte 0xed is not/,
  },
  {
    name: 'half of a surrogate pair, escaped',
    format: 'ndjson',
    input: '{"address":"\\ud800 1 A St"}\n{"address":"1 A St"}',
    rows: [CONTROL, '1 A St'],
  },
  {
    name: 'a byte order mark before the header and before the rows of a second file',
    format: 'csv',
    input: '\ufeffaddress\n1 A St\n\ufeffaddress\n2 B St\n',
    rows: ['1 A St', 'address', '2 B St'],
  },
  {
    name: 'a character that an earlier conversion lost',
    format: 'csv',
    input: 'address\n1 Rue Montr\ufffdal\n2 B St\n',
    rows: [/address holds U\+FFFD/, '2 B St'],
  },
];

/** The beginning of a zip file (APPNOTE 4.3.7) whose first entry has this name. */
const zipOf = (entry: string): Buffer => {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(entry.length, 26);
  return Buffer.concat([head, Buffer.from(entry), Buffer.alloc(100, 0x9c)]);
};

/** Each kind under a name that says CSV, as it begins in the programs that write it. */
const otherKinds: readonly Hostile[] = (
  [
    ['KMZ of Google Earth', zipOf('doc.kml'), /^the file is KMZ, a zipped map: save points as CSV with lat and lon/],
    ['a zipped Shapefile', zipOf('parcels/parcels.shp'), /^the file is a zipped map: .*ogr2ogr -f GeoJSONSeq/],
    ['a zipped geodatabase', zipOf('land.gdb/a00000001.gdbtable'), /^the file is a zipped map/],
    ['a workbook of Excel', zipOf('[Content_Types].xml'), /^the file is an Excel workbook, .*: save the sheet as CSV$/],
    ['a workbook of LibreOffice', zipOf('mimetype'), /^the file is an OpenDocument file: save the sheet as CSV$/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^the file is an old Excel workbook/],
    ['a GeoPackage', Buffer.from(`SQLite format 3\0\x10\0${'\0'.repeat(50)}GPKG`), /^the file is a GeoPackage/],
    ['a Shapefile', Buffer.from(`0000270a${'0'.repeat(100)}`, 'hex'), /^the file is a Shapefile/],
    [
      'KML',
      '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n',
      /^the file is KML:/,
    ],
    ['KML on one line', '\ufeff<kml xmlns="http://earth.google.com/kml/2.1"><Placemark>', /^the file is KML:/],
    ['a page that asks to log in', '<!DOCTYPE html>\n<title>Sign in</title>', /^the file is a web page/],
    ['GML', '<?xml version="1.0"?>\n<ogr:FeatureCollection>', /^the file is XML/],
    ['GeoJSON of GDAL', '{\n"type": "FeatureCollection",\n"name": "parcels",\n', /^the file is a map as JSON/],
    ['GeoJSON on one line', '{"type":"FeatureCollection","features":[]}', /^the file is a map as JSON/],
    ['JSON of Esri', '{"geometryType": "esriGeometryPolygon", "features": []}', /^the file is JSON of Esri/],
    ['a refusal', '{"error":{"code":499,"message":"Token Required"}}', /^the file is a refusal of a server/],
    ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n', /^the file is a pointer/],
  ] as const
).map(([name, input, refused]) => ({ name, format: 'csv', input, refused }));

const notText: readonly Hostile[] = [
  { name: 'nothing', format: 'csv', input: '', refused: /^the file is empty: it needs a header/ },
  { name: 'nothing as NDJSON', format: 'ndjson', input: '\n \n', refused: /^the file has no rows/ },
  { name: 'a header alone', format: 'csv', input: 'address\r\n', refused: /has a header, but no rows/ },
  {
    name: 'a spreadsheet',
    format: 'csv',
    input: Buffer.from('PK\x03\x04 and so on'),
    refused: /an Excel workbook: save the sheet as CSV/,
  },
  ...otherKinds,
  { name: 'gzip', format: 'csv', input: gzipSync('address\n1 A St\n'), refused: /compressed with gzip: unpack it/ },
  {
    name: 'a gzip bomb',
    format: 'ndjson',
    input: gzipSync(Buffer.alloc(20 << 20, '{}\n')),
    refused: /compressed with gzip/,
  },
  { name: 'a PDF', format: 'csv', input: '%PDF-1.7\n', refused: /the file is a PDF: send CSV or NDJSON/ },
  { name: 'CSV', format: 'ndjson', input: 'address\n1 A St\n', refused: /no JSON object: send CSV as CSV/ },
  {
    name: 'bytes at random',
    format: 'csv',
    input: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i * 31 + 17) % 256)),
    refused: /not UTF-8|needs a column|binary/,
  },
  { name: 'zeros', format: 'csv', input: Buffer.alloc(100_000), refused: /the file is binary/ },
  {
    name: 'NUL in an address',
    format: 'csv',
    input: 'address\n1 A St\0\n2 B St\n',
    rows: [CONTROL, '2 B St'],
  },
  {
    name: 'an escape sequence for terminals',
    format: 'ndjson',
    input: '{"address":"\\u001b[2J1 A St"}',
    rows: [CONTROL],
  },
];

const csv: readonly Hostile[] = [
  {
    name: 'a quote that never closes',
    format: 'csv',
    input: `address\n"1 A St\n${'2 B St\n'.repeat(3000)}`,
    count: 3001,
    rows: [MALFORMED, '2 B St'],
  },
  {
    name: 'a quote in every line that never closes',
    format: 'csv',
    input: `a,address\n${'z","\n'.repeat(30_000)}`,
    count: 30_000,
    rows: [MALFORMED],
  },
  {
    name: 'text behind a quote',
    format: 'csv',
    input: 'address\n"1 A St"x\n2 B St\n',
    rows: [MALFORMED, '2 B St'],
  },
  {
    name: 'a header with a quote that never closes',
    format: 'csv',
    input: '"address\n1 A St\n',
    refused: /first line/,
  },
  {
    name: 'a line of 10 MB',
    format: 'csv',
    input: () => megabytes(10, 'address\n', '\n2 B St\n'),
    rows: [MALFORMED, '2 B St'],
  },
  {
    name: 'a header of 10 MB',
    format: 'csv',
    input: () => megabytes(10, 'address,', '\n2 B St\n'),
    refused: /header in the first line has .* more than 16384 characters/,
  },
  {
    name: 'a million columns',
    format: 'csv',
    input: `${'address,'.repeat(1_000_000)}\n`,
    refused: /more than 16384 characters/,
  },
  {
    name: 'a million columns in one row',
    format: 'csv',
    input: `address\n${','.repeat(1_000_000)}\n2 B St\n`,
    rows: [MALFORMED, '2 B St'],
  },
  { name: 'a column twice', format: 'csv', input: 'address,ADDRESS\n1,2\n', refused: /two columns "address"/ },
  {
    name: 'no column that counts',
    format: 'csv',
    input: 'street,city\n1,2\n',
    refused: /"street", "city"\. Where several/,
  },
  {
    name: 'a latitude without a longitude',
    format: 'csv',
    input: 'lat,length\n44,-79\n',
    refused: new RegExp(`${NEEDS_COLUMN.source}"lat", "length"`),
  },
  {
    name: 'names of columns that objects have',
    format: 'csv',
    input: '__proto__,constructor,toString\na,b,c\n',
    refused: NEEDS_COLUMN,
  },
  {
    name: 'semicolons',
    format: 'csv',
    input: 'custom_id;address\n1;"1 A St; Sampleton"\n',
    refused: /^semicolons separate the columns of the file: save it with commas/,
  },
  { name: 'semicolons and quotes', format: 'csv', input: '"lat";"lon"\n44,1;-79,4\n', refused: /^semicolons/ },
  { name: 'tabs', format: 'csv', input: 'lat\tlon\n44.1\t-79.4\n', refused: /^tabs separate/ },
  { name: 'a line that names semicolons', format: 'csv', input: 'sep=;\naddress;b\n1;2\n', refused: /^semicolons/ },
  { name: 'a line that names commas', format: 'csv', input: 'sep=,\r\naddress,b\r\n1 A St,2\r\n', rows: ['1 A St'] },
  {
    name: 'a quoted header with blanks',
    format: 'csv',
    input: ' "address" , "custom_id"\n1 A St,7\n',
    rows: ['7: 1 A St'],
  },
  { name: 'CR alone', format: 'csv', input: 'address,b\r1 A St,x\r2 B St,y\r', rows: ['1 A St', '2 B St'] },
  {
    name: 'mixed line ends',
    format: 'csv',
    input: 'address,b\r1 A St,x\n2 B St,y\r\n3 C St,"z\rz"\r\r\n4 D St,\n',
    rows: ['1 A St', '2 B St', '3 C St', '4 D St'],
  },
  {
    name: 'commas in numbers',
    format: 'csv',
    input: 'lat,lon\n44,1,-79,4\n"44,1","-79,4"\n',
    rows: [/has 4 fields, the header 2: write numbers with a point/, DEGREES],
  },
  {
    name: 'numbers that are none',
    format: 'csv',
    input: 'lat,lon\nNaN,NaN\nInfinity,1\n0x2c,-79\n4.4e1,-79\n١,٢\n91,-79\n44,-181\n1e999,1\n--44,1\n',
    rows: Array.from({ length: 9 }, () => DEGREES),
  },
  {
    name: 'formulas',
    format: 'csv',
    input: 'custom_id,address\n=1+1,"=HYPERLINK(""http://x"")"\n',
    rows: ['=1+1: =HYPERLINK("http://x")'],
  },
  {
    name: 'an identifier twice',
    format: 'csv',
    input: 'custom_id,address\na,1 A St\na,2 B St\n',
    rows: ['a: 1 A St', 'a: 2 B St'],
  },
  {
    name: 'too few and too many fields',
    format: 'csv',
    input: 'custom_id,address\na\nb,1 A St,Sampleton\n',
    rows: [/has 1 fields, the header 2/, /has 3 fields, the header 2: put quotes around/],
  },
  {
    name: 'an address of 10,000 characters',
    format: 'csv',
    input: `address\n${'x'.repeat(10_000)}\n`,
    rows: [/not have more than 300 characters/i],
  },
  { name: 'geometries', format: 'csv', input: 'custom_id,geometry\n1,x\n', refused: /Areas .* are sent as NDJSON/ },
  { name: 'NDJSON', format: 'csv', input: '{"address":"1 A St"}\n', refused: /JSON are sent as NDJSON/ },
];

/** A coordinate that is none, and what is said of it. */
const notDegrees: readonly (readonly [lat: unknown, lon: unknown, cause: RegExp])[] = [
  ['44,1', '-79.4', /^BAD_REQUEST: lat "44,1" has a decimal comma, not a point: /],
  [44.1, '-79,4', /lon "-79,4" has a decimal comma/],
  [44.1, 'west', /lon "west" is no number/],
  [44.1, '', /lon is blank, and the other one is not/],
  [44.1, null, /lon is missing, and the other one is there/],
  [undefined, -79.4, /lat is missing/],
  [44.1, true, /lon is no number/],
  ['44°18\'00"N', '79°24\'00"W', /lat .* is in degrees and minutes/],
  ['44 18 0', '-79 24 0', /is in degrees and minutes/],
  ['N44° 18.5′', 'W79° 24′', /is in degrees and minutes/],
  ['44.1° N', '79.4° W', /has a sign or a letter/],
  ['44.1', '79.4W', /lon "79.4W" has a sign or a letter/],
  ['44.1', '\u221279.4', /lon .* begins with another sign than the minus/],
  ['4.41E+01', '-79.4', /is in scientific notation/],
  ['44.1, -79.4', '', /holds two numbers/],
  ['4,883,000', '630,500', /signs between its thousands, and is in metres/],
  ['4883000', '630500', /is no degree, and may be in metres/],
  [4883000.5, 630500, /is no degree, and may be in metres/],
  ['-94.5', '49.8', /lat "-94.5" is exchanged with the other one/],
  ['N/A', '-79.4', /lat "N\/A" is no number/],
  [91, -79.4, /lat 91 is beyond -90 to 90/],
  ['44.1', '-181', /lon "-181" is beyond -180 to 180/],
];

const ndjson: readonly Hostile[] = [
  {
    name: 'coordinates that are none',
    format: 'ndjson',
    input: notDegrees.map(([lat, lon]) => JSON.stringify({ lat, lon })).join('\n'),
    rows: notDegrees.map(([, , cause]) => cause),
  },
  {
    name: 'a number beyond all numbers',
    format: 'ndjson',
    input: '{"lat":1e400,"lon":-79.4}\n',
    rows: [/^BAD_REQUEST: lat is larger than any number: /],
  },
  {
    name: 'a number and a text',
    format: 'ndjson',
    input: '{"lat":44.1,"lon":"-79.4"}\n{"lat":" 44.1","lon":-79.4}\n',
    rows: ['44.1,-79.4', '44.1,-79.4'],
  },
  {
    name: 'GeoJSON in place of a row',
    format: 'ndjson',
    input: `${JSON.stringify(polygon)}\n${geometry({ type: 'Point', coordinates: [-79.4, 44.1] })}\n`,
    rows: [/is a geometry of GeoJSON: send it as {"geometry": …}/, /send a point as "lat" and "lon"/],
  },
  {
    name: 'an array',
    format: 'ndjson',
    input: '[{"address":"1 A St"}]',
    refused: /is a JSON array: send one object a/,
  },
  {
    name: 'objects over several lines',
    format: 'ndjson',
    input: '{\n  "address": "1 A St"\n}\n',
    refused: /half an object/,
  },
  {
    name: 'values that are no objects',
    format: 'ndjson',
    input: '{}\n[1]\n7\n"x"\nnull\n{"address":"1 A St"}{"address":"2 B St"}\n{"address":"1 A St"\n',
    rows: [/the row needs "address"/, ...Array.from({ length: 6 }, () => NOT_AN_OBJECT)],
  },
  {
    name: 'JSON that is 8,000 deep',
    format: 'ndjson',
    input: `{"address":"1 A St","deep":${'['.repeat(8000)}${']'.repeat(8000)}}`,
    rows: ['1 A St'],
  },
  {
    name: 'a geometry that is 250,000 deep',
    format: 'ndjson',
    input: `{"geometry":{"type":"Polygon","coordinates":${'['.repeat(250_000)}${']'.repeat(250_000)}}}\n{"address":"1 A St"}`,
    rows: [/the row has more than 50 levels/, '1 A St'],
  },
  {
    name: 'members of prototypes',
    format: 'ndjson',
    input: '{"__proto__":{"address":"1 A St"}}\n{"constructor":{"prototype":{"address":"x"}}}\n{"other":1}',
    rows: Array.from({ length: 3 }, () => /the row needs "address"/),
  },
  {
    name: 'members of other types',
    format: 'ndjson',
    input:
      '{"address":5}\n{"address":["1 A St"]}\n{"address":{"toString":1}}\n{"lat":true,"lon":1}\n{"lat":[44],"lon":-79}',
    rows: [/address must be a text/, /address must be a text/, /address must be a text/, DEGREES, DEGREES],
  },
  {
    name: 'numbers that are too large, and none',
    format: 'ndjson',
    input:
      '{"lat":1e400,"lon":1}\n{"lat":NaN,"lon":1}\n{"lat":44.1,"lon":-1e308}\n{"lat":44.1}\n{"lat":"44,1","lon":"-79,4"}',
    rows: [DEGREES, NOT_AN_OBJECT, DEGREES, DEGREES, DEGREES],
  },
  {
    name: 'identifiers that are no texts',
    format: 'ndjson',
    input: [{}, [1], true, 1.5, 12345678901234567890n, 7]
      .map((id) => `{"custom_id":${typeof id === 'bigint' ? String(id) : JSON.stringify(id)},"address":"1 A St"}`)
      .join('\n'),
    rows: [...Array.from({ length: 5 }, () => /custom_id must be a text/), '7: 1 A St'],
  },
  {
    name: 'a line of 10 MB',
    format: 'ndjson',
    input: () => megabytes(10, '{"address":"', '"}\n{"address":"2 B St"}'),
    rows: [/more than 16384 characters/, '2 B St'],
  },
  {
    name: 'a geometry of 10 MB',
    format: 'ndjson',
    input: () => megabytes(10, '{"geometry":"', '"}\n{"address":"2 B St"}'),
    rows: [new RegExp(`more than ${MAX_AREA_LINE} characters`), '2 B St'],
  },
  {
    name: 'an address as long as an area may be',
    format: 'ndjson',
    input: `{"address":"${'x'.repeat(MAX_LINE)}"}`,
    rows: [/more than 16384 characters/],
  },
  {
    name: 'two objects in one line that ends with CR',
    format: 'ndjson',
    input: '{"address":"1 A St"}\r{"address":"2 B St"}\r\n{"address":"3 C St"}',
    rows: ['1 A St', '2 B St', '3 C St'],
  },
  {
    name: 'areas with another place',
    format: 'ndjson',
    input: [area({ address: '1 A St' }), area({ lat: 44.1, lon: -79.4 }), area({ custom_id: 'p', lat: null })].join(
      '\n',
    ),
    rows: [/a geometry and another place/, /a geometry and another place/, 'p: area of 3 corners'],
  },
  {
    name: 'geometries that are none',
    format: 'ndjson',
    input: [
      geometry({ type: 'Point', coordinates: [-79.4, 44.1] }),
      geometry({ type: 'Feature', geometry: polygon }),
      geometry({ type: 'Polygon', coordinates: [[]] }),
      geometry({ type: 'Polygon', coordinates: [square.map(([lon, lat]) => [lat, lon])] }),
      geometry({
        type: 'Polygon',
        coordinates: [
          [
            [-8_800_000, 5_400_000],
            [1, 1],
            [2, 2],
          ],
        ],
      }),
      geometry({ ...polygon, crs: {} }),
      geometry('POLYGON((…))'),
      geometry({ type: 'Polygon', coordinates: [Array.from({ length: 5010 }, (_, i) => [-79 + i / 1e6, 44])] }),
    ].join('\n'),
    rows: [
      /geometry\.type must be Polygon or MultiPolygon: a line or a point has no area/,
      /geometry is a Feature/,
      /geometry\.coordinates\[0\] is empty/,
      /send \[longitude, latitude\]/,
      /send degrees, not metres/,
      /must not have a crs/,
      /the row must have a geometry/,
      /more than 5000 vertices/,
    ],
  },
];

describe('Hostile inputs', () => {
  const corpus = { encodings, notText, csv, ndjson };

  it('are at least forty', () => {
    expect(Object.values(corpus).flat().length).to.be.at.least(40);
  });

  for (const [group, inputs] of Object.entries(corpus)) {
    describe(group, () => {
      for (const hostile of inputs) {
        // The size of the pieces changes where characters, line ends and quotes are cut.
        for (const size of [1 << 16, 3]) {
          const isLarge = typeof hostile.input === 'function' || hostile.input.length > 100_000;
          if (size === 3 && isLarge) continue;
          it(`${hostile.name}, in pieces of ${size} bytes`, async () => {
            await check(hostile, size);
          });
        }
      }
    });
  }
});

async function check({ format, input, refused, rows = [], count }: Hostile, size: number): Promise<void> {
  const read: AskedRow[] = [];
  let refusal: unknown = null;
  try {
    const chunks = typeof input === 'function' ? input() : pieces(Buffer.from(input as string), size);
    for await (const row of readRows(each(chunks), format, { readArea: areaOf })) read.push(row);
  } catch (cause) {
    refusal = cause;
  }
  if (refused) {
    expect(refusal).to.be.instanceOf(AppError);
    expect(refusal).to.include({ code: 'BAD_REQUEST' });
    expect((refusal as AppError).message).to.match(refused);
    expect((refusal as AppError).message.length).to.be.lessThan(600);
    return;
  }
  if (refusal instanceof Error) throw refusal;
  expect(read.map(inShort).slice(0, rows.length + 1), 'rows').to.have.length(
    count === undefined ? rows.length : rows.length + 1,
  );
  rows.forEach((row, i) => {
    const short = inShort(read[i]!);
    if (typeof row === 'string') expect(short).to.equal(row);
    else
      expect(short)
        .to.match(row)
        .and.match(/^BAD_REQUEST: /);
  });
  if (count !== undefined) expect(read).to.have.length(count);
}

/** What a row asks for, or what is wrong with it, with the row's identifier. */
function inShort({ customId, place }: AskedRow): string {
  if (!place.ok) return `${place.code}: ${place.detail}`;
  return (customId === null ? '' : `${customId}: `) + placeInShort(place.value);
}

function placeInShort(place: (AskedRow['place'] & { readonly ok: true })['value']): string {
  if (place.kind === 'address') return place.address;
  return place.kind === 'point' ? `${place.lat},${place.lon}` : `area of ${place.polygons[0]![0]!.length / 2} corners`;
}

function* pieces(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  for (const item of items) yield await Promise.resolve(item);
}
