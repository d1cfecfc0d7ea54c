/** Questions with known answers, on a register drawn by hand that shows each mechanism: no answer may be wrong. */
import { expect } from 'chai';
import { ask } from '../support/questions/ask.ts';
import { questionClasses } from '../support/questions/classes/all.ts';
import { notYet } from '../support/questions/not-yet.ts';
import { openRegister, type OpenRegister } from '../support/questions/open-registers.ts';

const COUNT = 300;

describe('the geocoder, asked what has one right answer', () => {
  let register: OpenRegister;
  before(async () => {
    register = await openRegister('drawn', null);
  });
  after(() => {
    register[Symbol.dispose]();
  });

  for (const questionClass of questionClasses) {
    const title = `answers rightly or not at all: ${questionClass.name}`;
    const test = (): void => {
      const tally = ask(questionClass, register.known, register.gazetteer, { count: COUNT, seed: 1 });
      expect(tally.asked, 'questions').to.be.greaterThan(0);
      expect(tally.wrongSamples, questionClass.shows).to.deep.equal([]);
      expect(tally.lostSamples, questionClass.shows).to.deep.equal([]);
    };
    if (notYet.has(questionClass.name)) it.skip(title, test);
    else it(title, test);
  }

  it('names only classes that there are as not yet answered', () => {
    const names = questionClasses.map(({ name }) => name);
    expect([...notYet].filter((name) => !names.includes(name))).to.deep.equal([]);
    expect(new Set(names).size).to.equal(names.length);
  });
});
