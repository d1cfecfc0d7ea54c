/** Text in another encoding than its file says, or than it says at all. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelOf } from '../../workers/import/sources/text-encoding.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importEach, type EachSource } from '../support/drivers/import-each.ts';
import { storedRows } from '../support/drivers/import-run.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';

/** Names as the extracts of the province, of Ottawa and of Quebec's border have them. */
const names = [
  "Office de protection de la nature de la rivière à l'Orignal",
  'Rivière Petite-Nation / Petite Nation River',
  'Baie-des-Chaleurs',
  'Hawkesbury-Est, Comtés unis de Prescott et Russell',
  'L’Île-Perrot — Bœuf',
  'Lac Témiscamingue',
];

/** A Shapefile whose text is in one encoding, with a .cpg and a language byte that may say another. */
function shapefile(
  folder: string,
  id: string,
  written: { readonly in: string; readonly cpg?: string; readonly language?: number },
): EachSource['files'] {
  const geojson = join(folder, 'in.geojson');
  writeFileSync(geojson, geoJson(names.map((NAME, i) => polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], { NAME }))));
  const shp = join(folder, `${id}.shp`);
  ogr2ogr('-f', 'ESRI Shapefile', shp, geojson, '-lco', `ENCODING=${written.in}`);
  const files: Record<string, Buffer> = {};
  for (const one of ['shp', 'shx', 'dbf', 'prj']) files[`${id}.${one}`] = readFileSync(shp.replace(/shp$/, one));
  files[`${id}.dbf`]!.writeUInt8(written.language ?? 0, 29);
  if (written.cpg !== undefined) files[`${id}.cpg`] = Buffer.from(written.cpg);
  return files;
}

describe('text of a source', function () {
  this.timeout(60_000);

  it('is read as it is said to be, and refused where that is a lie', async () => {
    using folder = temporaryFolder();
    const made = (
      id: string,
      written: Parameters<typeof shapefile>[2],
      entry: object = {},
    ): Record<string, EachSource> => ({
      [id]: { files: shapefile(folder.path, id, written), entry },
    });
    const json = geoJson(names.map((NAME, i) => polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], { NAME })));
    const latin1 = Buffer.from(json.replace('’', "'").replace('—', '-').replace('œ', 'oe'), 'latin1');
    const { outcomes, dataDir } = await importEach(join(folder.path, 'run'), {
      ...made('utf8', { in: 'UTF-8', cpg: 'UTF-8' }),
      ...made('utf8_untold', { in: 'UTF-8' }),
      ...made('cp1252', { in: 'CP1252', cpg: '1252' }),
      ...made('cp1252_by_language', { in: 'CP1252', language: 0x03 }),
      ...made('cp1252_untold', { in: 'CP1252' }),
      ...made('cp1252_lying', { in: 'CP1252', cpg: 'UTF-8' }),
      ...made('utf8_lying', { in: 'UTF-8', cpg: 'ISO-8859-1' }),
      ...made('utf8_lying_language', { in: 'UTF-8', language: 0x57 }),
      ...made('odd', { in: 'UTF-8', cpg: 'Klingon' }),
      ...made('given', { in: 'CP1252', cpg: 'UTF-8' }, { encoding: 'CP1252' }),
      ...made('given_wrong', { in: 'UTF-8', cpg: 'UTF-8' }, { encoding: 'CP1252' }),
      ...made('chosen', { in: 'CP1252' }, { encoding: 'CP1252', where: "NAME = 'Lac Témiscamingue'" }),
      ...made('chosen_utf8', { in: 'UTF-8', cpg: 'UTF-8' }, { where: "NAME = 'Lac Témiscamingue'" }),
      json: { files: { 'json.geojson': json } },
      json_latin1: { files: { 'latin1.geojson': latin1 } },
      json_given: { files: { 'given.geojson': latin1 }, entry: { encoding: 'windows-1252' } },
    });
    const read = (id: string): unknown => {
      const outcome = outcomes[id]!;
      return 'error' in outcome ? outcome.error : storedRows(dataDir, id).map(({ values }) => values['NAME']);
    };
    for (const id of ['utf8', 'utf8_untold', 'cp1252', 'cp1252_by_language', 'given', 'json'])
      expect(read(id), id).to.deep.equal(names);
    for (const id of ['cp1252_untold', 'cp1252_lying', 'json_latin1'])
      expect(read(id), id).to.match(
        /5 of 5 texts with accents in the field "NAME" are not valid .* UTF-8.*give the right "encoding"|4 of 4 texts/,
      );
    expect(read('utf8_lying')).to.contain(
      'its text is in UTF-8, and not in ISO-8859-1 of utf8_lying.cpg: give "encoding"',
    );
    expect(read('utf8_lying_language')).to.contain(
      'its text is in UTF-8, and not in windows-1252 of utf8_lying_language.dbf',
    );
    expect(read('given_wrong')).to.contain('its text is in UTF-8, and not in CP1252 of "encoding"');
    expect(read('odd')).to.contain('the encoding "Klingon" is not known');
    for (const id of ['chosen', 'chosen_utf8']) expect(read(id), id).to.deep.equal(['Lac Témiscamingue']);
    expect(read('json_given')).to.include('Lac Témiscamingue');
  });

  it('reads as none where it is damaged in a few features, which are counted', async () => {
    using folder = temporaryFolder();
    const features = Array.from({ length: 40 }, (_, i) =>
      polygon([square(-79.5 + i * 0.01, 43.5, 0.005)], { NAME: i === 7 ? 'Qu\ufffdbec' : `Québec ${i}` }),
    );
    const { outcomes, dataDir } = await importEach(folder.path, {
      few: {
        files: { 'few.geojson': geoJson(features) },
        definition: { fields: { NAME: { type: 'string', required: false } } },
      },
    });
    expect(outcomes['few'])
      .to.have.property('record')
      .that.deep.includes({ unreadableTexts: { NAME: 1 } });
    expect(storedRows(dataDir, 'few')[7]!.values).to.deep.equal({ NAME: null });
  });

  it('has the names that programs write for an encoding', () => {
    for (const name of ['UTF-8', 'utf8', '65001', 'CP65001']) expect(labelOf(name), name).to.equal('utf-8');
    for (const name of [
      '1252',
      'CP1252',
      'cp-1252',
      'ANSI 1252',
      'windows-1252',
      'ISO-8859-1',
      '88591',
      'ISO 88591',
      'latin1',
    ])
      expect(labelOf(name), name).to.equal('windows-1252');
    expect(labelOf('ISO8859-15')).to.equal('iso-8859-15');
    expect(() => labelOf('Klingon')).to.throw('not known');
  });
});
