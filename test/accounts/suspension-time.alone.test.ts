/** How soon all machines know of a suspension, and of its end. */
import { expect } from 'chai';
import { PROMISED_S, suspendByWebhook, suspendUnknown } from './suspensions.ts';

describe('A suspension, and its end', function () {
  this.timeout(240_000);

  for (const withRedis of [false, true])
    it(`are known to ${withRedis ? 'every machine' : 'a process alone'} within ${PROMISED_S} s`, async () => {
      const took = [...(await suspendByWebhook(withRedis)), ...(await suspendUnknown(withRedis))];
      for (const seconds of took) expect(seconds).to.be.below(PROMISED_S);
    });
});
