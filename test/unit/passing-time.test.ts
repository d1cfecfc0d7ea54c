/** The clocks of a test are not those of what else is in its process, such as a service that tests share. */
import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Loop } from '../../src/core/loop/loop.ts';
import { HOUR_MS } from '../../src/messages/time.ts';
import { after as later, atTime, pass, withOwnTimers } from '../support/drivers/passing-time.ts';

describe('A clock of a test', () => {
  it('is read by the work that it is for, and by nothing beside it', async () => {
    const own = { date: Date.now(), performance: performance.now() };
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const beside = begun.then(() => ({ date: Date.now(), performance: performance.now() }));
    const read = await later(HOUR_MS, async () => {
      begin();
      await nextTurn();
      return { date: Date.now(), performance: performance.now(), beside: await beside };
    });
    for (const clock of ['date', 'performance'] as const) {
      expect(read[clock] - own[clock]).to.be.at.least(HOUR_MS);
      expect(read[clock] - read.beside[clock], clock).to.be.at.least(HOUR_MS);
    }
    expect(
      await atTime(
        () => HOUR_MS,
        () => Promise.resolve(Date.now()),
      ),
    ).to.equal(HOUR_MS);
    expect(Date.now()).to.be.at.least(own.date).and.not.equal(HOUR_MS);
  });

  describe('for timers', () => {
    let turns = 0;
    let loop: Loop;
    before(() => {
      loop = new Loop({ everyMs: 1, turn: () => void turns++ });
    });
    after(() => loop[Symbol.asyncDispose]());
    withOwnTimers();

    it('leaves those that were there before alone', async () => {
      let rang = 0;
      setTimeout(() => rang++, HOUR_MS);
      for (const before = turns; turns < before + 3;) await nextTurn();
      await pass(HOUR_MS - 1);
      expect(rang).to.equal(0);
      await pass(1);
      expect(rang).to.equal(1);
    });
  });
});
