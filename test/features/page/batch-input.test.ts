import { expect } from 'chai';
import { areaOf } from '../../../src/features/areas/area-request.ts';
import { readRows } from '../../../src/features/batches/rows/read-rows.ts';
import type * as BatchInput from '../../../web/batch/batch-input.ts';
import type * as DroppedFiles from '../../../web/app/dropped-files.ts';
import { webModule } from './web-module.ts';
import fc from '../../support/drivers/fast-check.ts';

const { asTheServiceTakes, readPlaces } = (await webModule('batch/batch-input.ts')) as typeof BatchInput;
const { kindOf } = (await webModule('app/dropped-files.ts')) as typeof DroppedFiles;

const fileOf = (text: string | Uint8Array<ArrayBuffer>, name = 'places.csv'): File => new File([text], name);

/** Number of rows that the service reads in a text; null when it refuses the whole. */
async function rowsOfService(text: string, name: string): Promise<number | null> {
  const chunks = (async function* () {
    await Promise.resolve();
    yield Buffer.from(text);
  })();
  let rows = 0;
  try {
    const format = name.endsWith('.csv') ? 'csv' : null;
    for await (const { place } of readRows(chunks, format, { readArea: areaOf })) rows += Number('ok' in place);
  } catch {
    return null;
  }
  return rows;
}

async function rowsOfPage(text: string, name: string): Promise<number | null> {
  const places = await readPlaces(fileOf(text, name));
  return 'fault' in places ? null : places.rows;
}

describe('A file of places on the page', () => {
  it('is understood by its header, with its rows and its first rows', async () => {
    const text = '\ufeffCustom_ID,Address,owner\r\n7,"12 Main St W, Sampleton, ON",Ann\r\n\r\n8,"two\r\nlines",Bob\r\n';
    expect(await readPlaces(fileOf(text))).to.deep.include({
      format: 'csv',
      columns: ['custom_id', 'address'],
      ignored: ['owner'],
      rows: 2,
      first: [
        { custom_id: '7', address: '12 Main St W, Sampleton, ON', lat: '', lon: '' },
        { custom_id: '8', address: 'two\nlines', lat: '', lon: '' },
      ],
    });
  });

  it('takes the names that the service takes, and shows the others as ignored', async () => {
    const csv = await readPlaces(fileOf('Custom ID,ADDRESS,Owner,custom-id 2\n7,1 Main St,Ann,x\n'));
    expect(csv).to.deep.include({ columns: ['custom_id', 'address'], ignored: ['Owner', 'custom-id 2'] });
    expect('first' in csv && csv.first[0]).to.include({ custom_id: '7', address: '1 Main St' });
    const ndjson = await readPlaces(fileOf('{"customId":"7","Lat":44,"LON":-79,"note":1}\n', 'a.ndjson'));
    expect(ndjson).to.deep.include({ columns: ['custom_id', 'lat', 'lon'], ignored: ['note'] });
    expect('first' in ndjson && ndjson.first[0]).to.include({ custom_id: '7', lat: '44' });
    expect(await readPlaces(fileOf('address,Custom ID,custom-id\na,b,c\n'))).to.deep.equal({
      fault: 'twice',
      header: ['Custom ID', 'custom-id'],
    });
    expect(await rowsOfService('address,Custom ID,custom-id\na,b,c\n', 'a.csv')).to.equal(null);
  });

  it('takes the other names that the service takes, and leaves out rows that are blank, as the service does', async () => {
    const texts = [
      'Full Address,notes,,\r\n1 Main St,x,,\r\n,,,\r\n,,,\r\n',
      'Latitude,lng\n44,-79\n \n,\n"",\n\x1a',
      'custom_id,address\n1,1 Main St\0\0',
      ',,\naddress,,\n1 Main St,,\n',
    ];
    for (const text of texts) {
      const places = await readPlaces(fileOf(text));
      expect(places, JSON.stringify(text)).to.deep.include({ rows: 1, isAsIs: true });
      expect(await rowsOfService(text, 'places.csv')).to.equal(1);
    }
    const two = 'Full Address,Adresse\na,b\n';
    expect(await readPlaces(fileOf(two))).to.deep.equal({ fault: 'twice', header: ['Full Address', 'Adresse'] });
    expect(await rowsOfService(two, 'places.csv')).to.equal(null);
  });

  for (const [what, text, first] of [
    [
      'French names, semicolons and parts of an address',
      'id;Adresse;Ville;Code postal\n7;12 rue Principale;Petit-Échantillon;P0L 1X0\n8;"14, rue Principale, Petit-Échantillon";Petit-Échantillon;\n',
      [
        '"7","12 rue Principale, Petit-Échantillon, P0L 1X0","",""',
        '"8","14, rue Principale, Petit-Échantillon","",""',
      ],
    ],
    [
      'a line that says what separates, house numbers, and decimal commas',
      'sep=;\n\nIdentifiant;No civique;Rue;Latitude;Longitude\na;12;Main St W;44,1;-78,6\nb;;"5 ""Old"" St";;\n',
      ['"a","12 Main St W","44.1","-78.6"', '"b","5 ""Old"" St","",""'],
    ],
    [
      'tabs, and a row that cannot be read',
      'street\tcity\n1 Main St, Sampleton, ON\tSampleton\n"1 Main"x\tSampleton\n2 Main St\tSampleton\n',
      ['"","1 Main St, Sampleton, ON","",""', '""x', '"","2 Main St, Sampleton","",""'],
    ],
  ] as const)
    it(`is understood with ${what}, and sent as the service takes it`, async () => {
      const places = await readPlaces(fileOf(text));
      if ('fault' in places || places.table === null) throw new Error(JSON.stringify(places));
      expect(places.rows).to.equal(first.length);
      const sent = await (await asTheServiceTakes(fileOf(text), places.table))!.text();
      expect(sent).to.equal(`custom_id,address,lat,lon\n${first.map((row) => `${row}\n`).join('')}`);
      expect(await rowsOfService(sent, 'a.csv')).to.equal(first.length);
      expect(places.first[0]!.address).to.equal(/^"[^"]*","([^"]*)"/.exec(first[0])![1]);
    });

  it('has columns that somebody chooses, where their names say nothing', async () => {
    const text = 'nom;lieu;endroit\nAnn;1 Main St;Sampleton\n';
    expect(await readPlaces(fileOf(text))).to.deep.equal({ fault: 'noColumns', header: ['nom', 'lieu', 'endroit'] });
    const places = await readPlaces(fileOf(text), ['custom_id', 'address', 'city']);
    expect(places).to.deep.include({
      columns: ['custom_id', 'address'],
      ignored: [],
      first: [{ custom_id: 'Ann', address: '1 Main St, Sampleton', lat: '', lon: '' }],
    });
  });

  it('has the places of rows with coordinates, which the map needs for rows without an answer', async () => {
    const places = await readPlaces(fileOf('lat,lon\n44.1,-78.6\n91,-78\nx,1\n43,-79.5\n'));
    expect('points' in places && [...places.points]).to.deep.equal([
      [1, [-78.6, 44.1]],
      [4, [-79.5, 43]],
    ]);
  });

  it('may be NDJSON, by its name or by its first line', async () => {
    const text =
      '{"address":"12 Main St W","custom_id":1}\n{"lat":44.1,"lon":-78.6}\n\n{broken\n{"geometry":{"type":"Polygon"}}\n';
    for (const name of ['a.ndjson', 'a.jsonl', 'a.txt']) {
      const places = await readPlaces(fileOf(text, name));
      expect(places, name).to.deep.include({
        format: 'ndjson',
        columns: ['custom_id', 'address', 'lat', 'lon', 'geometry'],
        rows: 4,
      });
    }
  });

  it('is refused with the reason when it can be no batch', async () => {
    const faults: Record<string, string> = {
      '': 'empty',
      '\n\n': 'empty',
      'address\n': 'empty',
      'place,where\n1 Main St,Sampleton\n': 'noColumns',
      'lat,name\n1,2\n': 'noColumns',
      'address,ADDRESS\na,b\n': 'twice',
    };
    for (const [text, fault] of Object.entries(faults))
      expect(await readPlaces(fileOf(text)), JSON.stringify(text)).to.deep.include({ fault });
    for (const text of ['[{"address":"1 Main St"}]', '{\n  "address": "1 Main St"\n}\n'])
      expect(await readPlaces(fileOf(text, 'a.ndjson')), text).to.deep.equal({ fault: 'notLines' });
    const latin1 = new Uint8Array(Buffer.from('{"address":"École"}\n', 'latin1'));
    expect(await readPlaces(fileOf(latin1, 'a.ndjson')), 'JSON is UTF-8').to.deep.equal({ fault: 'notUtf8' });
    const binary = new Uint8Array([...Buffer.from('address\n'), 0xc9, 0x01, 0x02]);
    expect(await readPlaces(fileOf(binary))).to.deep.equal({ fault: 'notUtf8' });
    const huge = { name: 'huge.csv', size: 256_000_001 } as File;
    expect(await readPlaces(huge)).to.deep.equal({ fault: 'tooLarge' });
    const many = await readPlaces(fileOf(`address\n${'a\n'.repeat(1_000_001)}`));
    expect(many).to.deep.equal({ fault: 'tooManyRows' });
  });

  it('has as many rows as the service reads in it', async () => {
    const cell = fc.constantFrom(
      'a',
      '1 Main St',
      '"q"',
      '"a,b"',
      '"two\nlines"',
      'five" pipe',
      '"open',
      '"x"y',
      '',
      ' "s" ',
    );
    const line = fc.array(cell, { minLength: 1, maxLength: 3 }).map((cells) => cells.join(','));
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const lines = fc.array(fc.tuple(line, end), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom('', '\n', 'sep=,\r\n'), async (some, preamble) => {
        const text = `${preamble}address,lat,lon\n${some.map((cells) => cells.join('')).join('')}`;
        expect(await rowsOfPage(text, 'a.csv')).to.equal(await rowsOfService(text, 'a.csv'));
      }),
      { numRuns: 300 },
    );
  });
});

describe('A dropped file', () => {
  it('is a parcel or a file of places, by its name or by what is in it', () => {
    const cases: readonly (readonly [string, string, DroppedFiles.Kind])[] = [
      ['a.csv', 'address\n1 Main St', 'places'],
      ['a.CSV', '{"address":"1 Main St"}', 'places'],
      ['a.csv', '{"type":"FeatureCollection",', 'parcel'],
      ['a.ndjson', '{"type": "Feature", "geometry": null}', 'parcel'],
      ['a.ndjson', '{"type":"house","address":"1 Main St"}', 'places'],
      ['a.geojsons', '\u001e{"type":"Feature","geometry":null}', 'parcel'],
      ['a.json', '{"geometryType":"esriGeometryPolygon","features":[]}', 'parcel'],
      ['a.json', '{"error":{"code":499,"message":"Token Required"}}', 'parcel'],
      ['a.ndjson', '{"address":"1 Main St"}', 'places'],
      ['a.txt', 'address\n1 Main St', 'places'],
      ['a.geojson', '{"type":"Polygon","coordinates":[]}', 'parcel'],
      ['a.json', '{\n  "type": "FeatureCollection"', 'parcel'],
      ['a.json', '{"type":"FeatureCollection","features":[]}', 'parcel'],
      ['a.json', '{"address":"1 Main St"}\n{"address":"2 Main St"}\n', 'places'],
      ['a.json', '\ufeff{"geometry":{"type":"Polygon"},"custom_id":"7"}\n', 'places'],
      ['a.json', '{\n  "address": "1 Main St",\n  "lat": 44,\n  "layers": {\n', 'answer'],
      ['a', '{"areaM2":1,"lat":44,"layers":{"greenbelt":null}}', 'answer'],
      ['a.json', '{"row":1,"body":{"address":"1 Main St","layers":{}}}\n', 'places'],
      ['a.json', '[1,2]', 'parcel'],
      ['a.geojson', 'nothing of the kind', 'parcel'],
      ['a.kml', '<?xml version="1.0"?><kml>', 'kml'],
      ['a', '<?xml version="1.0"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">', 'kml'],
      ['a', '<gpx version="1.1">', 'map'],
      ['a.kml', 'nothing of the kind', 'notXml'],
      ['a', '<kml:kml xmlns:kml="http://www.opengis.net/kml/2.2">', 'kml'],
      ['a.KMZ', 'PK\u0003\u0004', 'zip'],
      ['a.csv', 'PK\u0003\u0004', 'zip'],
      ['a.docx', 'PK\u0003\u0004', 'other'],
      ['a.csv', 'SQLite format 3\0', 'map'],
      ['a.geojson', '<!DOCTYPE html><title>Sign in</title>', 'webpage'],
      ['a.xls', '<html xmlns:x="urn:schemas-microsoft-com:office:excel">', 'spreadsheet'],
      ['a.geojson', 'version https://git-lfs.github.com/spec/v1', 'pointer'],
      ['a.shp', '\0\0\u0027\n', 'map'],
      ['a.zip', 'PK\u0003\u0004', 'zip'],
      ['a', 'PK\u0003\u0004', 'zip'],
      ['a.xlsx', 'PK\u0003\u0004', 'spreadsheet'],
      ['a.pdf', '%PDF-1.7', 'other'],
      ['a.dat', 'a\0b', 'other'],
      ['a.csv', 'a\0b', 'places'],
    ];
    for (const [name, head, kind] of cases) expect(kindOf(name, head), `${name}: ${head}`).to.equal(kind);
  });
});
