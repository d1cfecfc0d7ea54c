/** Files that say themselves that they are not whole, or that are something else than data. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importEach, type EachSource } from '../support/drivers/import-each.ts';
import { storedRows } from '../support/drivers/import-run.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';
import { writeZip } from '../support/material/zip.ts';

type Members = Readonly<Record<string, unknown>>;

const features = [0, 1].map((i) => ({
  type: 'Feature',
  ...polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], { NAME: `area ${i}`, total: 99, next: 'x' }),
}));

const collection = (before: Members, after: Members = {}): string =>
  JSON.stringify({ type: 'FeatureCollection', ...before, features, ...after });

const esri = (before: Members, after: Members = {}): string =>
  JSON.stringify({
    ...before,
    ...{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 4269 } },
    fields: [{ name: 'NAME', type: 'esriFieldTypeString', alias: 'NAME', length: 20 }],
    features: features.map(({ geometry }) => ({
      attributes: { NAME: 'x' },
      geometry: { rings: geometry!.coordinates },
    })),
    ...after,
  });

/** Each is refused, and the message quotes the member. */
const cutOff: Readonly<Record<string, readonly [text: string, says: string]>> = {
  flagged: [collection({ exceededTransferLimit: true }), '"exceededTransferLimit": true'],
  flagged_after: [collection({}, { exceededTransferLimit: true }), '"exceededTransferLimit": true'],
  flagged_inside: [collection({}, { properties: { exceededTransferLimit: true } }), '"exceededTransferLimit": true'],
  flagged_twice: [collection({ exceededTransferLimit: true, properties: { exceededTransferLimit: true } }), 'true'],
  flagged_as_text: [collection({ exceededTransferLimit: 'true' }), '"exceededTransferLimit": true'],
  flagged_escaped: [collection({}).replace('{', '{"exceeded\\u0054ransferLimit" : true ,'), 'true'],
  esri_flagged: [esri({ exceededTransferLimit: true }), '"exceededTransferLimit": true'],
  esri_flagged_after: [esri({}, { exceededTransferLimit: true }), '"exceededTransferLimit": true'],
  esri_flagged_inside: [esri({ properties: { exceededTransferLimit: true } }), '"exceededTransferLimit": true'],
  matched: [collection({ numberMatched: 4186, numberReturned: 2 }), '"numberMatched": 4186'],
  matched_after: [collection({}, { numberReturned: 2, numberMatched: 3 }), '"numberMatched": 3'],
  matched_as_text: [collection({ numberMatched: '4186' }), '"numberMatched": 4186'],
  returned: [collection({ numberReturned: 3 }), '"numberReturned": 3'],
  total_features: [collection({ totalFeatures: 3 }), '"totalFeatures": 3'],
  counted: [collection({ resultRecordCount: 2, count: 3 }), '"count": 3'],
  context: [collection({}, { context: { matched: 3, returned: 2, limit: 2 } }), '"matched": 3'],
  next_link: [collection({}, { links: [{ rel: 'self', href: 'a' }, { rel: 'next', href: 'b' }] }), '"next" link'], // prettier-ignore
  next_member: [collection({ next: 'https://example.org/?page=2' }), '"next" link'],
  next_token: [collection({}, { nextPageToken: 'abc' }), '"nextPageToken" link'],
  next_in_links: [collection({ _links: { next: { href: 'https://example.org/?page=2' } } }), '"next" link'],
};

/** None of them says that anything is missing. */
const whole: Readonly<Record<string, string>> = {
  unflagged: collection({ exceededTransferLimit: false, properties: { exceededTransferLimit: false } }),
  all_matched: collection({ numberMatched: 2, numberReturned: 2, totalFeatures: 2 }),
  not_counted: collection({ numberMatched: 'unknown', totalFeatures: null }),
  last_page: collection({ links: [{ rel: 'self', href: 'a' }, { rel: 'prev', href: 'b' }], next: null }), // prettier-ignore
  own_figures: collection({ properties: { total: 12_000, count: 9 }, name: 'next' }),
};

const sourcesOf = (texts: Readonly<Record<string, string>>): Record<string, EachSource> =>
  Object.fromEntries(
    Object.entries(texts).map(([id, text]) => [
      id,
      { files: { [`${id}${id.startsWith('esri') ? '.json' : '.geojson'}`]: text } },
    ]),
  );

function zipped(folder: string, members: Readonly<Record<string, string>>): Buffer {
  const file = join(folder, 'made.zip');
  writeZip(file, Object.fromEntries(Object.entries(members).map(([name, text]) => [name, Buffer.from(text)])));
  return readFileSync(file);
}

describe('import of files that say that they are not whole', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  let outcomes: Awaited<ReturnType<typeof importEach>>['outcomes'];
  let dataDir: string;
  const resultOf = (id: string): string => {
    const outcome = outcomes[id]!;
    return 'error' in outcome ? outcome.error : `${outcome.record.featureCount} features`;
  };

  before(async () => {
    const [flagged] = cutOff['flagged']!;
    const lines = features.map((feature) => JSON.stringify(feature));
    ({ outcomes, dataDir } = await importEach(folder.path, {
      ...sourcesOf(Object.fromEntries(Object.entries(cutOff).map(([id, [text]]) => [id, text]))),
      ...sourcesOf(whole),
      ...sourcesOf({
        refused: '{"error":{"code":499,"message":"Token Required","details":[]}}',
        two_collections: `${collection({})}\n${collection({})}`,
        wrapped: `{"data":${collection({ exceededTransferLimit: true })}}`,
        two_lists: collection({}).replace('{', `{"features":[],`),
        no_number: collection({}).replace('43.5', 'null'),
        text_number: collection({}).replace('43.5', '"NaN"'),
        esri_curve: esri({}).replace('"rings":[', '"curveRings":[[[-79,43],{"c":[[-78,43],[-78.5,43.2]]}],'),
        one_number: collection({}).replace(/,43.5\]/, ']'),
        no_ring: collection({}).replace('[[[-79.5', '[null,[[-79.5'),
        pointer:
          'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n',
      }),
      utf16: { files: { 'utf16.geojson': Buffer.from(`\ufeff${collection({})}`, 'utf16le') } },
      zip_of_mac: {
        files: {
          'mac.zip': zipped(folder.path, {
            'inside.geojson': collection({}),
            '__MACOSX/._inside.geojson': 'Mac OS X        \u0002',
            '._inside.geojson': 'Mac OS X        \u0002',
          }),
        },
      },
      zip_flagged: { files: { 'flagged.zip': zipped(folder.path, { 'inside.geojson': flagged }) } },
      zip_pointer: {
        files: {
          'pointer.zip': zipped(folder.path, { 'inside.gpkg': 'version https://git-lfs.github.com/spec/v1\n' }),
        },
      },
      part_flagged: {
        files: { 'one.geojson': collection({}), 'two.geojson': flagged },
        entry: { file: ['one.geojson', 'two.geojson'] },
      },
      page_twice: {
        files: { 'page-1.geojson': collection({}), 'page-2.geojson': collection({}) },
        entry: { file: ['page-1.geojson', 'page-2.geojson'] },
      },
      two_pages: {
        files: { 'first.geojson': collection({}), 'second.geojson': collection({ name: 'second' }) },
        entry: { file: ['first.geojson', 'second.geojson'] },
      },
      lines: { files: { 'lines.geojsonl': lines.join('\n') } },
      lines_in_geojson: { files: { 'lines.geojson': `${lines.join('\r\n')}\r\n` } },
      separated: { files: { 'separated.geojsons': lines.map((line) => `\u001e${line}\n`).join('') } },
      one_separated: { files: { 'single.ndjson': `\u001e${lines[0]!}\n` } },
      separated_wide: {
        files: { 'wide.geojsons': features.map((one) => `\u001e${JSON.stringify(one, null, 2)}\n`).join('') },
      },
      lines_wide: { files: { 'wide.ndjson': features.map((one) => `${JSON.stringify(one, null, 2)}\n`).join('') } },
      lines_cut: { files: { 'cut.ndjson': lines.join('\n').slice(0, -20) } },
    }));
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  for (const [id, [, says]] of Object.entries(cutOff))
    it(`refuses one with ${id.replaceAll('_', ' ')}, and says how to fetch the rest`, () => {
      expect(resultOf(id))
        .to.contain('holds only the first 2 features of more')
        .and.contain(says)
        .and.contain('ogr2ogr');
    });

  it('refuses it inside a zip file, and as one file of several', () => {
    expect(resultOf('zip_flagged')).to.match(/^flagged\.zip: holds only the first 2 features of more/);
    expect(resultOf('part_flagged')).to.match(/^two\.geojson: holds only the first 2 features of more/);
  });

  for (const id of Object.keys(whole))
    it(`takes one that is ${id.replaceAll('_', ' ')}`, () => {
      expect(resultOf(id)).to.equal('2 features');
    });

  it('takes a zip file of a Mac, which has another member for each', () => {
    expect(resultOf('zip_of_mac')).to.equal('2 features');
  });

  it('refuses a page that was fetched twice', () => {
    expect(resultOf('page_twice')).to.match(/^page-1\.geojson and page-2\.geojson have the same content/);
    expect(resultOf('two_pages')).to.equal('4 features');
  });

  it('refuses a collection inside of something else, whose members nobody reads', () => {
    expect(resultOf('wrapped')).to.match(/^wrapped\.geojson: has no "features" and no "type" of its own/);
  });

  it('takes one feature a line, with or without separators', () => {
    for (const id of ['lines', 'lines_in_geojson', 'separated', 'separated_wide'])
      expect(resultOf(id), id).to.equal('2 features');
    expect(resultOf('one_separated')).to.equal('1 features');
    expect(storedRows(dataDir, 'lines').map(({ values }) => values['NAME'])).to.deep.equal(['area 0', 'area 1']);
  });

  it('refuses what is only in part one feature a line', () => {
    expect(resultOf('lines_wide')).to.match(/^wide\.ndjson: is not a readable/);
    expect(resultOf('lines_cut')).to.match(/^cut\.ndjson: is not a readable/);
  });

  it('says what a file is that holds no data', () => {
    expect(resultOf('refused')).to.match(
      /^refused\.geojson: holds no data, but what an ArcGIS server .*: 499 Token Required/,
    );
    expect(resultOf('pointer')).to.match(/^pointer\.geojson: is a pointer of Git LFS/);
    expect(resultOf('zip_pointer')).to.match(/^pointer\.zip: is a pointer of Git LFS/);
    expect(resultOf('utf16')).to.equal('utf16.geojson: is text in UTF-16: save it as UTF-8');
  });

  it('refuses what GDAL would leave out without a word', () => {
    expect(resultOf('two_collections')).to.match(/holds 2 JSON texts, of which only the first would be read/);
    expect(resultOf('two_lists')).to.match(/has the member "features" twice/);
    for (const id of ['no_number', 'text_number', 'no_ring'])
      expect(resultOf(id), id).to.match(/a coordinate that is no number/);
    expect(resultOf('one_number')).to.match(/a position with one coordinate/);
    expect(resultOf('esri_curve')).to.match(/has curves \("curveRings"\)/);
  });
});

describe('import of a Shapefile', function () {
  this.timeout(60_000);

  it('names the file that is missing, cut off or a pointer', async () => {
    using folder = temporaryFolder();
    const made = (name: string): Record<string, Buffer> => {
      const to = join(folder.path, `${name}.shp`);
      ogr2ogr('-f', 'ESRI Shapefile', to, sourceFile(folder.path));
      return Object.fromEntries(
        ['shp', 'shx', 'dbf', 'prj'].map((one) => [`${name}.${one}`, readFileSync(to.replace(/shp$/, one))]),
      );
    };
    const without = (name: string, extension: string): Record<string, Buffer> => {
      return Object.fromEntries(Object.entries(made(name)).filter(([file]) => file !== `${name}.${extension}`));
    };
    const changed = (name: string, extension: string, change: (content: Buffer) => Buffer): Record<string, Buffer> => {
      const files = made(name);
      return { ...files, [`${name}.${extension}`]: change(files[`${name}.${extension}`]!) };
    };
    const { outcomes } = await importEach(join(folder.path, 'run'), {
      whole: { files: made('ok') },
      upper: {
        files: Object.fromEntries(
          Object.entries(made('up')).map(([name, content]) => [
            name.endsWith('shp') ? name : name.replace(/\w+$/, (one) => one.toUpperCase()),
            content,
          ]),
        ),
      },
      no_index: { files: without('ca', 'shx') },
      no_table: { files: without('cb', 'dbf') },
      short_shapes: { files: changed('cc', 'shp', (content) => content.subarray(0, -16)) },
      short_index: { files: changed('cd', 'shx', (content) => content.subarray(0, -8)) },
      short_table: { files: changed('ce', 'dbf', (content) => content.subarray(0, -40)) },
      fewer_rows: { files: changed('cf', 'dbf', (content) => (content.writeUInt32LE(1, 4), content)) },
      pointer: {
        files: changed('cg', 'dbf', () =>
          Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'),
        ),
      },
      deleted: {
        files: changed('ch', 'dbf', (content) => (content.writeUInt8(0x2a, content.readUInt16LE(8)), content)),
      },
    });
    const says = Object.fromEntries(
      Object.entries(outcomes).map(([id, outcome]) => [
        id,
        'error' in outcome ? outcome.error : `${outcome.record.featureCount} features`,
      ]),
    );
    expect(says['whole']).to.equal('2 features');
    expect(says['upper']).to.equal('2 features');
    expect(says['no_index']).to.match(/ca\.shx is missing/);
    expect(says['no_table']).to.match(/cb\.dbf is missing/);
    expect(says['short_shapes']).to.match(/is truncated: cc\.shp should have/);
    expect(says['short_index']).to.match(/is truncated: cd\.shx should have/);
    expect(says['short_table']).to.match(/is truncated: ce\.dbf should have/);
    expect(says['fewer_rows']).to.match(/cf\.shx has 2 records, but cf\.dbf says 1/);
    expect(says['pointer']).to.match(/cg\.dbf is a pointer of Git LFS/);
    expect(says['deleted'], 'a record that is marked as deleted').to.equal('1 features');
  });
});

function sourceFile(folder: string): string {
  const file = join(folder, 'source.geojson');
  writeFileSync(file, geoJson(features));
  return file;
}
