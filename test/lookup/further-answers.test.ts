/** Further answers at many places: every read path, and the definitions read literally on the drawn features. */
import { expect } from 'chai';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../src/project/project.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { Miniature } from '../support/material/miniature.ts';
import type { Feature, LonLat } from '../support/material/sample/frame.ts';
import { star } from '../support/material/random-stars.ts';
import { polygon, type Ring, type TestFeature } from '../support/material/sources.ts';
import { plainAnswer } from './plain-answers.ts';
import { distanceM } from './plain-geometry.ts';
import { inputs } from '../support/drivers/inputs.ts';

const PLACES = inputs(500);
/** South-west corner and side of the square in which features are drawn, degrees. */
const [WEST, SOUTH, SIDE] = [-79, 44.5, 0.06];
const METRES_PER_DEGREE = 111_320;

const { further } = readCatalogue(join(projectDir, 'layers'));
const random = seededRandom(20261124);
const below = (most: number): number => Math.floor(random() * most);
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
const somewhere = (): LonLat => [WEST + random() * SIDE, SOUTH + random() * SIDE];

/** What wetlands say of themselves, as extracts and services have it, and words that nobody has seen. */
const wetlands: readonly TestFeature['properties'][] = [
  { WETLAND_SIGNIFICANCE: 'Evaluated-Provincial', EVALUATED_WETLAND_IND: 'Yes', EVALUATED_WETLAND_NAME: 'Known' },
  { WETLAND_SIGNIFICANCE: null, EVALUATED_WETLAND_IND: 'Yes', EVALUATED_WETLAND_NAME: 'Evaluated' },
  { WETLAND_SIGNIFICANCE: null, EVALUATED_WETLAND_IND: 'No', EVALUATED_WETLAND_NAME: null },
  { WETLAND_SIGNIFICANCE: null, EVALUATED_WETLAND_IND: null, EVALUATED_WETLAND_NAME: null },
  { WETLAND_SIGNIFICANCE: 'Provincial', EVALUATED_WETLAND_IND: 'Yes', EVALUATED_WETLAND_NAME: 'Another word' },
];

describe('nearness to a significant wetland', function () {
  this.timeout(240_000);
  const KEY = 'significantWetlandProximity';
  const drawn = Array.from({ length: 300 }, () => {
    const properties = pick([wetlands[0]!, wetlands[0]!, wetlands[1]!, wetlands[1]!, wetlands[1]!, ...wetlands]);
    return polygon([star(random, somewhere(), 30 + 150 * random())], { WETLAND_TYPE: 'Swamp', ...properties });
  });
  let miniature: Miniature;
  before(async () => {
    miniature = await Miniature.of({ wetland: drawn });
  });
  after(() => {
    miniature[Symbol.dispose]();
  });

  it(`is the same on every read path and by the definition at ${PLACES} places, with every class`, () => {
    const layer = further.find(({ answer }) => answer.key === KEY)!;
    const features = drawn as readonly unknown[] as readonly Feature[];
    const sources = { wetland: { features, knows: () => true } };
    const seen = new Map<string, number>();
    for (let asked = 0; asked < PLACES;) {
      const at = somewhere();
      // The plain geometry is good to some parts in a thousand.
      const ways = features.map(({ geometry }) => distanceM(geometry, at));
      if (ways.some((way) => (way > 0 && way < 1) || [30, 120].some((limit) => Math.abs(way - limit) < 1))) continue;
      asked++;
      const { value, state } = plainAnswer(sources, layer, at);
      const given = miniature.ask(KEY, at);
      expect({ value: given.value, state: given.state }, at.join()).to.deep.equal({ value, state });
      const told = `${state} ${JSON.stringify(value)}`;
      seen.set(told, (seen.get(told) ?? 0) + 1);
    }
    console.log(`        ${[...seen].map(([told, count]) => `${told}: ${count}`).join(', ')}`);
    expect([...seen.keys()]).to.have.members([
      ...['present "inside"', 'present "regulated"', 'present "adjacent"', 'absent "outside"'],
      ...['unavailable null', 'no_coverage null'],
    ]);
  });
});

describe('"outside" of significant wetlands', function () {
  this.timeout(240_000);
  const KEY = 'significantWetlandProximity';
  const at = (column: number): LonLat => [-79 + column * 0.05, 44.5];
  /** A place so many metres south of a column's square. */
  const south = (column: number, metres: number): LonLat => [at(column)[0] + 0.001, 44.5 - metres / METRES_PER_DEGREE];
  const wetland = (column: number, properties: TestFeature['properties']): TestFeature => {
    const [west, bottom] = at(column);
    const ring: Ring = [
      [west, bottom],
      [west + 0.002, bottom],
      [west + 0.002, bottom + 0.002],
      [west, bottom + 0.002],
      [west, bottom],
    ];
    return polygon([ring], properties);
  };
  let miniature: Miniature;
  before(async () => {
    miniature = await Miniature.of({ wetland: wetlands.map((properties, i) => wetland(i, properties)) });
  });
  after(() => {
    miniature[Symbol.dispose]();
  });

  it('is said where the wetlands near by were evaluated, and not where nobody has looked', () => {
    const answers = wetlands.map((_, column) => miniature.ask(KEY, south(column, 50)));
    expect(answers.map(({ value, state }) => [value, state])).to.deep.equal([
      ['adjacent', 'present'],
      ['outside', 'absent'],
      // Not evaluated, of unknown standing, and with a word that may mean the same as the known one.
      [null, 'unavailable'],
      [null, 'unavailable'],
      [null, 'unavailable'],
    ]);
    expect(miniature.ask(KEY, south(1, 130)), 'no wetland within 120 m').to.include({
      ...{ value: null, state: 'no_coverage' },
    });
  });

  it('comes with the wetland that decides', () => {
    const [known, evaluated, not] = [0, 1, 2].map((column) => miniature.ask(KEY, south(column, 50)).feature);
    expect(known).to.include({ name: 'Known', evaluated: 'yes', significance: 'provincial' });
    expect(evaluated).to.include({ name: 'Evaluated', evaluated: 'yes', significance: null });
    expect(not).to.include({ name: null, evaluated: 'no' });
  });

  it('leaves the answer about every wetland as it is', () => {
    for (const [column] of wetlands.entries())
      expect(miniature.ask('wetlandProximity', south(column, 50)).value).to.equal('adjacent');
  });
});
