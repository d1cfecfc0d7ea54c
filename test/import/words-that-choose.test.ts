/** Words by which answers choose features: how many features have each, and names in two languages. */
import { expect } from 'chai';
import { importReport } from '../../src/import/import-report.ts';
import type { DataSetOutcome } from '../../src/messages/import.ts';
import { judge, wordIn } from '../../src/catalogue/counting.ts';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importedRecord, runImport, storedRows, dataDirOf } from '../support/drivers/import-run.ts';
import { definitionOf } from '../support/material/layer-definitions.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';

const answer = {
  order: 1,
  key: 'lakeNearness',
  title: 'Lake',
  description: 'Lake',
  group: 'hazards_and_water',
  kind: 'proximity',
  bands: { adjacent: 30 },
} as const;

const lakes = definitionOf({
  geometry: 'polygon',
  fields: { NAME: { type: 'string', required: true }, TYPE: { type: 'string', required: false } },
  answers: [
    {
      ...answer,
      bandsFor: [{ field: 'NAME', values: ['Lake Ontario', 'Lake Erie', 'Lake Nowhere'], bands: { adjacent: 120 } }],
      ignore: { field: 'TYPE', values: ['River', 'Canal'] },
    },
  ],
});

const rivers = definitionOf({
  geometry: 'polygon',
  fields: {},
  answers: [
    {
      ...answer,
      order: 2,
      key: 'riverNearness',
      with: [{ dataSet: 'lakes', only: { field: 'TYPE', values: ['River', 'Brook'] } }],
    },
  ],
});

const named = (i: number, NAME: string, TYPE: string): ReturnType<typeof polygon> =>
  polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], { NAME, TYPE });

describe('words by which answers choose features', function () {
  this.timeout(60_000);

  it('are counted, also those of other data sets, and one that no feature has is a warning', async () => {
    using folder = temporaryFolder();
    const features = [
      named(0, 'Lake Ontario / lac Ontario', 'Lake'),
      named(1, 'Lake Ontario', 'Lake'),
      named(2, 'Lake Erie', 'Canal'),
      named(3, 'Lake Ontario North', 'River'),
    ];
    const files = { 'lakes.geojson': geoJson(features), 'rivers.geojson': geoJson([named(0, '', '')]) };
    const manifest = { lakes: { file: 'lakes.geojson' }, rivers: { file: 'rivers.geojson' } };
    const result = await runImport({ folder: folder.path, definitions: { lakes, rivers }, manifest, files });
    expect(importedRecord(result.outcomes, 'lakes').filterWords).to.deep.equal({
      NAME: { 'Lake Ontario': 2, 'Lake Erie': 1, 'Lake Nowhere': 0 },
      TYPE: { River: 1, Canal: 1, Brook: 0 },
    });
    expect(importedRecord(result.outcomes, 'rivers')).not.to.have.property('filterWords');
    const report = importReport(result);
    expect(report).to.contain(
      'lakes: NAME "Lake Ontario" 2, NAME "Lake Erie" 1, NAME "Lake Nowhere" 0, TYPE "River" 1',
    );
    expect(report).to.contain('WARNING: no feature of lakes has NAME "Lake Nowhere", TYPE "Brook"');
    expect(storedRows(dataDirOf({ folder: folder.path }), 'lakes')[0]!.values).to.include({
      NAME: 'Lake Ontario / lac Ontario',
    });
  });

  it('are not told of a data set that failed', () => {
    const failed: DataSetOutcome = { id: 'a', status: 'failed', error: 'x', seconds: 0, previousCount: null };
    expect(importReport({ manifest: null, outcomes: [failed], kept: [] })).not.to.contain('Words by which');
  });

  it('are the whole value, or what stands before the name in another language', () => {
    const words = ['Lake Ontario', 'A / B', '3'];
    for (const [value, word] of [
      ['Lake Ontario', 'Lake Ontario'],
      ['Lake Ontario / Lac Ontario', 'Lake Ontario'],
      [' Lake Ontario ', 'Lake Ontario'],
      ['A / B', 'A / B'],
      [3, '3'],
      ['Lac Ontario / Lake Ontario', null],
      ['Lake Ontario/Lac Ontario', null],
      ['Lake Ontarios', null],
      [null, null],
      [undefined, null],
    ] as const)
      expect(wordIn(value, words), String(value)).to.equal(word);
  });
});

describe('the definitions of railways and soils', () => {
  const { dataSets } = readCatalogue(join(projectDir, 'layers'));
  const definition = (id: string) => dataSets.find((dataSet) => dataSet.id === id)!;

  it('count track that is in use, or of which nothing is said', () => {
    const standing = (status: unknown): string => judge(definition('orwn_track').counts!, () => status).standing;
    expect(['Operational', '', null, undefined].map(standing)).to.deep.equal(['yes', 'yes', 'yes', 'yes']);
    expect(standing('Discontinued')).to.equal('no');
    expect(standing('Abandoned'), 'a word that nobody has read').to.equal('unclear');
  });

  it('read the class of track by the name of the real field, and by those of others', () => {
    const { fields, answers } = definition('orwn_track');
    expect(fields['TRACKCLASS']!.alternatives).to.deep.equal(['CATEGORY', 'TRACK_CATEGORY']);
    expect(answers[0]).to.have.nested.property('deciding.category.field', 'TRACKCLASS');
  });

  it('take the soil code 0 for a soil that is not rated', () => {
    expect(definition('soil_survey_complex').fields['CLI1']!.blank).to.deep.equal(['0']);
  });
});
