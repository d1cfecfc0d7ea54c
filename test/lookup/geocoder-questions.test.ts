/** Questions with known answers, on a register drawn by hand that shows each mechanism: no answer may be wrong. */
import { expect } from 'chai';
import { ask, isWay, SUGGESTED_SHARE, total, WAYS_FOUND_SHARE, type Tally } from '../support/material/questions/ask.ts';
import { questionClasses } from '../support/material/questions/classes/all.ts';
import { openRegister, type OpenRegister } from '../support/material/questions/open-registers.ts';
import type { QuestionClass } from '../support/material/questions/question.ts';
import { inputs } from '../support/drivers/inputs.ts';

const COUNT = inputs(300);

describe('the geocoder, asked what has one right answer', () => {
  let register: OpenRegister;
  before(async () => {
    register = await openRegister('drawn', null);
  });
  after(() => {
    register[Symbol.dispose]();
  });

  function tallyOf(questionClass: QuestionClass): Tally {
    const tally = ask(questionClass, register.known, register.gazetteer, { count: COUNT, seed: 1 });
    expect(tally.asked, questionClass.name).to.be.greaterThan(0);
    expect(tally.wrongSamples, questionClass.shows).to.deep.equal([]);
    return tally;
  }

  for (const questionClass of questionClasses.filter((each) => !isWay(each))) {
    it(`answers rightly or not at all: ${questionClass.name}`, () => {
      expect(tallyOf(questionClass).lostSamples, questionClass.shows).to.deep.equal([]);
    });
  }

  it('finds addresses in the ways that people write them, and never another place', () => {
    const tallies = questionClasses.filter(isWay).map(tallyOf);
    expect(tallies.length).to.be.at.least(99);
    expect(total(tallies, 'right') / total(tallies, 'asked')).to.be.at.least(WAYS_FOUND_SHARE);
    expect(total(tallies, 'suggested') / total(tallies, 'lost')).to.be.at.least(SUGGESTED_SHARE);
  });
});
