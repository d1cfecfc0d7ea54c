import { expect } from 'chai';
import { Quota } from '../../src/core/limits/quota.ts';

describe('Units given back', () => {
  for (const [limit, most] of [
    [150, 150],
    [5, 100],
  ] as const) {
    it(`are at most ${most} per hour for a key with a limit of ${limit}, and no other key has fewer for it`, async () => {
      const quota = new Quota();
      for (let n = 0; n < most; n++) {
        const state = await (await quota.spend('flood', limit)).giveBack();
        expect(state.remaining).to.equal(limit);
      }
      const state = await (await quota.spend('flood', limit)).giveBack();
      expect(state.remaining).to.equal(limit - 1);
      expect((await quota.peek('flood', limit)).remaining).to.equal(limit - 1);
      expect((await (await quota.spend('other', limit)).giveBack()).remaining).to.equal(limit);
    });
  }
});
