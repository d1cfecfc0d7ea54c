/** Fields that differ in case alone, or whose case is another than expected. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldIndex } from '../../src/catalogue/source-field.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importEach, type EachSource } from '../support/drivers/import-each.ts';
import { storedRows } from '../support/drivers/import-run.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';

const withFields = (id: string, rows: readonly Readonly<Record<string, string>>[], entry: object = {}): EachSource => ({
  files: { [`${id}.geojson`]: geoJson(rows.map((row, i) => polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], row))) },
  entry,
});

const twins = [
  { name: 'x', NAME: 'right' },
  { name: 'right', NAME: 'x' },
];

describe('names of fields', function () {
  this.timeout(60_000);

  it('are exact, else the only one in another case, else an error that names all', () => {
    expect(fieldIndex('NAME', ['name', 'NAME'])).to.equal(1);
    expect(fieldIndex('NAME', ['OTHER', 'Name'])).to.equal(1);
    expect(fieldIndex('NAME', ['OTHER'])).to.equal(null);
    expect(() => fieldIndex('NAME', ['name', 'Name'])).to.throw(
      'has the fields "name" and "Name", and "NAME" may be any',
    );
    expect(() => fieldIndex('NAME', ['NAME', 'NAME'])).to.throw('has the fields "NAME" and "NAME"');
  });

  it('choose values, renamed fields and conditions', async () => {
    using folder = temporaryFolder();
    const { outcomes, dataDir } = await importEach(folder.path, {
      exact: withFields('exact', twins),
      reversed: withFields(
        'reversed',
        twins.map(({ name, NAME }) => ({ NAME, name })),
      ),
      other_case: withFields('other_case', [{ name: 'right' }]),
      unclear: withFields('unclear', [{ name: 'x', Name: 'y' }]),
      renamed: withFields('renamed', [{ Label: 'x', LABEL: 'right' }], { rename: { LABEL: 'NAME' } }),
      renamed_case: withFields('renamed_case', [{ Label: 'right' }], { rename: { LABEL: 'NAME' } }),
      renamed_unclear: withFields('renamed_unclear', [{ Label: 'x', LABEL: 'y' }], { rename: { label: 'NAME' } }),
      chosen: withFields('chosen', twins, { where: `NAME = 'right'` }),
      chosen_quoted: withFields('chosen_quoted', twins, { where: `"name" <> 'right'` }),
      chosen_unclear: withFields('chosen_unclear', twins, { where: `Name = 'right'` }),
    });
    const names = (id: string): unknown[] => {
      const outcome = outcomes[id]!;
      return 'error' in outcome ? [outcome.error] : storedRows(dataDir, id).map(({ values }) => values['NAME']);
    };
    expect(names('exact')).to.deep.equal(['right', 'x']);
    expect(names('reversed')).to.deep.equal(['right', 'x']);
    for (const id of ['other_case', 'renamed', 'renamed_case']) expect(names(id), id).to.deep.equal(['right']);
    for (const id of ['chosen', 'chosen_quoted']) expect(names(id), id).to.deep.equal(['right']);
    expect(names('unclear')[0]).to.match(/has the fields "name" and "Name", and "NAME" may be any of them/);
    expect(names('renamed_unclear')[0]).to.match(/has the fields "Label" and "LABEL", and "label" may be any/);
    expect(names('chosen_unclear')[0]).to.match(/has the fields "name" and "NAME", and "Name" may be any/);
  });

  it('in a condition on a GeoPackage are names, never texts', async () => {
    using folder = temporaryFolder();
    const geojson = join(folder.path, 'in.geojson');
    writeFileSync(geojson, geoJson([polygon([square(-79.5, 43.5, 0.02)], { NAME: 'a', STATUS: 'Closed' })]));
    const file = join(folder.path, 'in.gpkg');
    ogr2ogr('-f', 'GPKG', file, geojson);
    const source = (id: string, where: string): EachSource => ({ files: { [`${id}.gpkg`]: readFileSync(file) }, entry: { where } }); // prettier-ignore
    const { outcomes } = await importEach(join(folder.path, 'run'), {
      wrong: source('wrong', `"STATE" <> 'Closed'`),
      right: source('right', `"status" = 'Closed' AND "fid" > 0`),
    });
    expect(outcomes['wrong'])
      .to.have.property('error')
      .that.matches(/the condition .* does not fit its fields \(NAME, STATUS\)/);
    expect(outcomes['right']).to.have.property('record').that.includes({ featureCount: 1 });
  });
});
