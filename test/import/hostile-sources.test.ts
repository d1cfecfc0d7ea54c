import { expect } from 'chai';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { compareHostileSources } from '../support/oracles/hostile-sources/compare.ts';
import { manglings } from '../support/oracles/hostile-sources/mangled.ts';

/** Two seeds of these meet every way once. */
const SOURCES = 20;

describe('sources of other people', function () {
  this.timeout(240_000);

  it('have enough ways for two seeds', () => {
    expect(Object.keys(manglings).length).to.be.at.most(2 * SOURCES);
  });

  for (const seed of [1, 2])
    it(`are answered as they are meant, or refused: seed ${seed}`, async () => {
      using folder = temporaryFolder();
      mkdirSync(join(folder.path, 'files'), { recursive: true });
      const { wrong, imported, refused } = await compareHostileSources(folder.path, seed, SOURCES);
      expect(wrong).to.deep.equal([]);
      expect(imported).to.be.above(4);
      expect(refused).to.have.length.above(4);
    });
});
