/** Questions with known answers on the register extract, whole and without some of its streets and numbers: no answer may be wrong. */
import { join } from 'node:path';
import { expect } from 'chai';
import { inputs } from '../support/drivers/inputs.ts';
import { ask, isWay, total, WAYS_FOUND_SHARE } from '../support/material/questions/ask.ts';
import { questionClasses } from '../support/material/questions/classes/all.ts';
import { openRegister } from '../support/material/questions/open-registers.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';

/** Of each class. */
const COUNT = inputs(100, 40);

describe('the geocoder, asked about the register what has one right answer', function () {
  this.timeout(600_000);

  for (const name of ['real', 'hold'] as const) {
    it(`answers rightly or not at all on the ${name} register`, async function () {
      const data = realDataOrSkip(this);
      using register = await openRegister(name, join(data, 'nar'));
      const tallies = questionClasses.map((questionClass) =>
        ask(questionClass, register.known, register.gazetteer, { count: COUNT, seed: 2 }),
      );
      const ways = tallies.filter(isWay);
      const lost = tallies.filter((tally) => !isWay(tally)).flatMap(({ lostSamples }) => lostSamples);
      expect(tallies.flatMap(({ wrongSamples }) => wrongSamples)).to.deep.equal([]);
      expect(lost).to.deep.equal([]);
      expect(total(ways, 'right') / total(ways, 'asked')).to.be.at.least(WAYS_FOUND_SHARE);
      expect(tallies.filter(({ asked }) => asked === COUNT).length).to.be.greaterThan(100);
    });
  }
});
