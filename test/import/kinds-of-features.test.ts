/** What the kind of a feature says: it counts, it does not, only the evidence tells of it, or nobody knows. Drawn after real extracts. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { writeDefinitions } from '../support/material/layer-definitions.ts';
import { Miniature } from '../support/material/miniature.ts';
import { polygon, square, type TestFeature } from '../support/material/sources.ts';

type Properties = TestFeature['properties'];

const LAT = 44.5;
const at = (column: number): [number, number] => [-79 + column * 0.1, LAT];
const inside = (column: number): [number, number] => [at(column)[0] + 0.005, LAT + 0.005];
const area = (column: number, properties: Properties): TestFeature =>
  polygon([square(...at(column), 0.01)], properties);
const line = (column: number, properties: Properties): TestFeature => ({
  geometry: { type: 'LineString', coordinates: [at(column), [at(column)[0] + 0.01, LAT]] },
  properties,
});
/** Metres north of a column's corner. */
const north = (column: number, metres: number): [number, number] => [at(column)[0], LAT + metres / 111_100];
const well = (column: number, metres: number, properties: Properties): TestFeature => ({
  geometry: { type: 'Point', coordinates: north(column, metres) },
  properties: { DEPTH_M: 10, USE1: ' ', USE2: ' ', ...properties },
});

const ansi = [
  area(0, { ANSI_NAME: 'West Guilford', CLASS_SUBTYPE: 'ANSI, Life Science', ANSI_SIGNIFICANCE: 'Provincial' }),
  area(1, { ANSI_NAME: 'Clear Lake', CLASS_SUBTYPE: 'Candidate ANSI, Life Science', ANSI_SIGNIFICANCE: 'Regional' }),
  area(2, { ANSI_NAME: 'New Bluff', CLASS_SUBTYPE: 'Proposed ANSI', ANSI_SIGNIFICANCE: 'Local' }),
  // A candidate and a confirmed area overlap.
  area(3, { ANSI_NAME: 'Upper', CLASS_SUBTYPE: 'Candidate ANSI, Earth Science', ANSI_SIGNIFICANCE: 'Regional' }),
  area(3, { ANSI_NAME: 'Lower', CLASS_SUBTYPE: 'ANSI, Earth Science', ANSI_SIGNIFICANCE: 'Regional' }),
];
const lines = [
  line(0, { CLASS_SUBTYPE: 'Submerged Hydro Line', CLASS_SUBTYPE_NUM: 1117 }),
  line(1, { CLASS_SUBTYPE: 'Natural Gas Pipeline', CLASS_SUBTYPE_NUM: 1118 }),
  line(2, { CLASS_SUBTYPE: 'Heat Line', CLASS_SUBTYPE_NUM: null }),
  line(3, { CLASS_SUBTYPE: null, CLASS_SUBTYPE_NUM: 1114 }),
  // A hydro line with a line of unknown kind 100 m beside it.
  line(4, { CLASS_SUBTYPE: 'Hydro Line', CLASS_SUBTYPE_NUM: 1114 }),
  {
    ...line(4, { CLASS_SUBTYPE: 'Heat Line' }),
    geometry: { type: 'LineString', coordinates: [north(4, 100), [at(4)[0] + 0.01, LAT + 100 / 111_100]] },
  },
];
const wells = [
  well(0, 0, { WELL_ID: '0012345', FINAL_STATUS_DESCR: 'Water Supply', COMPLETED_YEAR: 1940, USE2: 'Municipal' }),
  well(0, 50, { WELL_ID: '0012346', FINAL_STATUS_DESCR: 'Test Hole', COMPLETED_YEAR: 1999, USE1: 'Domestic' }),
  well(0, 100, { WELL_ID: '0012347', FINAL_STATUS_DESCR: 'Observation Wells', COMPLETED_YEAR: 1999 }),
  well(0, 150, { WELL_ID: '0012348', FINAL_STATUS_DESCR: 'Dewatering', COMPLETED_YEAR: 1999 }),
  well(0, 200, { WELL_ID: '0012349', FINAL_STATUS_DESCR: null, USE1: 'Livestock', COMPLETED_YEAR: 1950 }),
  well(0, 250, { WELL_ID: '0012350', FINAL_STATUS_DESCR: 'Alteration', COMPLETED_YEAR: 2001 }),
  well(0, 300, { WELL_ID: '0012351', FINAL_STATUS_DESCR: 'Geothermal', USE1: 'Heating', COMPLETED_YEAR: 2015 }),
];

describe('the kinds of features', function () {
  this.timeout(240_000);
  let miniature: Miniature;

  before(async () => {
    miniature = await Miniature.of({ ansi, utility_line: lines, well_records: wells });
  });
  after(() => {
    miniature[Symbol.dispose]();
  });

  it('answers confirmed areas of interest, and tells of candidates in the evidence', () => {
    const confirmed = { name: 'West Guilford', type: 'ANSI, Life Science', significance: 'Provincial' };
    expect(miniature.ask('ansi', inside(0))).to.deep.equal({
      ...{ value: confirmed, state: 'present' },
      feature: { status: 'confirmed', science: 'life', ...confirmed, significance: 'provincial' },
    });
    expect(miniature.ask('ansi', inside(1))).to.deep.equal({
      ...{ value: null, state: 'absent' },
      feature: {
        ...{ status: 'candidate', science: 'life', significance: 'regional' },
        ...{ name: 'Clear Lake', type: 'Candidate ANSI, Life Science' },
      },
    });
    expect(miniature.ask('ansi', inside(3)).value).to.include({ name: 'Lower' });
    expect(miniature.ask('ansi', [-79.05, LAT])).to.deep.equal({ value: null, state: 'absent', feature: null });
  });

  it('does not know the answer where a feature is of a kind that no definition knows, and never says "no"', () => {
    expect(miniature.ask('ansi', inside(2))).to.deep.equal({
      ...{ value: null, state: 'unavailable' },
      feature: { status: null, science: null, significance: null, name: 'New Bluff', type: 'Proposed ANSI' },
    });
    expect(miniature.ask('transmissionLineProximity', north(2, 40))).to.include({ value: null, state: 'unavailable' });
    expect(miniature.ask('transmissionLineProximity', north(2, 160))).to.include({ value: 'outside', state: 'absent' });
  });

  it('counts submerged hydro lines as transmission lines, and pipelines not', () => {
    expect(miniature.ask('transmissionLineProximity', north(0, 40)).value).to.equal('regulated');
    expect(miniature.ask('transmissionLineProximity', north(1, 40))).to.include({ value: 'outside', state: 'absent' });
    expect(miniature.ask('transmissionLineProximity', north(3, 100)).value).to.equal('adjacent');
  });

  it('gives a class where no line of unknown kind would give a closer one', () => {
    const classes = [10, 49, 51, 99, 140].map(
      (metres) => miniature.ask('transmissionLineProximity', north(4, metres)).value,
    );
    // At 51 and 99 m the unknown line is within 50 m, and the hydro line is not.
    expect(classes).to.deep.equal(['regulated', 'regulated', null, null, null]);
  });

  it('counts water wells by their status and then by their use, and other records apart', () => {
    expect(miniature.ask('waterWells', at(0))).to.deep.equal({
      value: { count500m: 2, nearestDistanceM: 0, nearestWellId: '0012345', nearestDepthM: 10 },
      ...{ state: 'present', feature: { unclearCount: 2 } },
    });
  });

  it('leaves out what is certain, keeps the rest apart, and reports the words that nobody knows', () => {
    expect(miniature.record('well_records')).to.deep.include({
      featureCount: 2,
      beside: { unclear: 2 },
      dropped: {
        'FINAL_STATUS_DESCR is "Test Hole"': 1,
        'FINAL_STATUS_DESCR is "Observation Wells"': 1,
        'FINAL_STATUS_DESCR is "Dewatering"': 1,
      },
      unknownWords: { FINAL_STATUS_DESCR: { Geothermal: 1 }, USE1: { Heating: 1 } },
    });
    expect(miniature.record('ansi')).to.deep.include({
      ...{ featureCount: 2, beside: { unclear: 1, shown: 2 } },
      unknownWords: { CLASS_SUBTYPE: { 'Proposed ANSI': 1 }, ANSI_SIGNIFICANCE: { Local: 1 } },
    });
    expect(miniature.report).to.match(/Words that no definition knows[^]*ansi: CLASS_SUBTYPE "Proposed ANSI" 1/);
    expect(miniature.report).to.match(/utility_line: CLASS_SUBTYPE "Heat Line" 2/);
  });
});

describe('a snapshot of an import by other rules', function () {
  this.timeout(240_000);

  it('is judged by the rules of now when it is read', async () => {
    using folder = temporaryFolder();
    const definitions = ['ansi', 'utility_line', 'well_records'].map((id) => {
      const text = readFileSync(join(projectDir, 'layers', `${id}.json`), 'utf8');
      const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
      return [id, Object.fromEntries(members.filter(([name]) => name !== 'counts'))];
    });
    const layersDir = writeDefinitions(folder.path, Object.fromEntries(definitions) as Record<string, object>);
    using old = await Miniature.of({ ansi, utility_line: lines, well_records: wells }, layersDir);
    expect(old.record('ansi')).to.deep.include({ featureCount: 5 }).and.not.to.have.property('beside');
    expect(old.ask('ansi', inside(1))).to.deep.include({ value: null, state: 'absent' });
    expect(old.ask('ansi', inside(1)).feature).to.include({ status: 'candidate' });
    expect(old.ask('ansi', inside(2))).to.include({ value: null, state: 'unavailable' });
    expect(old.ask('transmissionLineProximity', north(1, 40)).value).to.equal('outside');
    expect(old.ask('transmissionLineProximity', north(2, 40))).to.include({ value: null, state: 'unavailable' });
    expect(old.ask('waterWells', at(0)).value).to.include({ count500m: 2 });
  });
});
