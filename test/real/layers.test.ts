/**
 * Every loaded layer over 500 places, against the source files themselves (test/real/oracle.ts). A layer without data must
 * be null everywhere.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { Oracle, type Place } from './oracle.ts';
import { answersAt, choosePlaces, rightAnswers, type PlaceAnswer } from './right-answers.ts';
import { layerKeys } from '../support/material/layer-keys.ts';

const SEED = 20261121;

describe('the layers over real extracts', function () {
  this.timeout(600_000);
  const folder = temporaryFolder();
  let places: readonly Place[] = [];
  let answers: readonly PlaceAnswer[] = [];
  let oracle: Oracle;

  before(function () {
    const data = realDataOrSkip(this);
    places = choosePlaces(data, { seed: SEED, count: 500 });
    answers = answersAt(realDataDir(data), places, folder.path);
    oracle = new Oracle(folder.path, join(data, 'sources'), places);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  function compare(key: string, expected: Map<number, readonly unknown[]>): void {
    const seen = new Map<string, number>();
    places.forEach((place, index) => {
      const got = answers[index]!.layers![key];
      const allowed = expected.get(place.id)!;
      seen.set(JSON.stringify(got), (seen.get(JSON.stringify(got)) ?? 0) + 1);
      const isAllowed = allowed.some((value) => JSON.stringify(value) === JSON.stringify(got));
      const where = `${key} at ${place.lat},${place.lon}: ${JSON.stringify(got)}, expected ${JSON.stringify(allowed)}`;
      expect(isAllowed, where).to.equal(true);
    });
    expect(seen.size, `${key} says the same everywhere: ${[...seen.keys()].join()}`).to.be.greaterThan(1);
  }

  for (const [key, expected] of Object.entries(rightAnswers)) {
    it(`answers ${key} as the source file does`, () => {
      compare(key, expected(oracle));
    });
  }

  it('answers every layer without data with null, and dates only the data that it has', () => {
    const loaded = Object.keys(rightAnswers);
    for (const { layers = {}, dataAsOf = {} } of answers) {
      expect(Object.keys(layers)).to.deep.equal(layerKeys);
      const others = Object.entries(layers).filter(([key]) => !loaded.includes(key));
      expect(others.filter(([, value]) => value !== null)).to.deep.equal([]);
      expect(dataAsOf).to.include({ greenbelt: '2023-01-01', ca_admin_areas: '2022-01-01' });
      expect(Object.keys(dataAsOf)).to.have.length(14);
    }
  });
});
