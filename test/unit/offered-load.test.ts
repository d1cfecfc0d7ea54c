/** What a load that was offered says of refusals: those of the service, and those that the client's own bursts brought about. */
import { expect } from 'chai';
import { summaryOf, type Offered } from '../stress/parts/offered-load.ts';

const PER_SECOND = 100;

function sent(sentMs: number, status = 200, ms = 1): Offered {
  return { sentMs, status, ms, fromSendingMs: ms };
}

describe('summaryOf', () => {
  it('counts what was lost at the steady rate for the service', () => {
    const all = Array.from({ length: 100 }, (_, i) => sent(i * 10, i % 20 === 0 ? 503 : 200));
    const { lost, lostInBursts, mostIn100Ms } = summaryOf(all, PER_SECOND);
    expect([lost, lostInBursts, mostIn100Ms]).to.deep.equal([5, 0, 10]);
  });

  it('counts what was lost after a pause of the client for its burst, until the burst is over', () => {
    const burst = Array.from({ length: 30 }, (_, i) => sent(500, i > 20 ? 503 : 200));
    const { lost, lostInBursts, mostIn100Ms } = summaryOf([sent(0, 503), ...burst, sent(610, 503)], PER_SECOND);
    expect([lost, lostInBursts, mostIn100Ms]).to.deep.equal([11, 9, 30]);
  });

  it('tells the time from when a lookup was due from that since it was sent', () => {
    const late = { sentMs: 100, status: 200, ms: 50, fromSendingMs: 5 };
    const { p99, p99FromSending } = summaryOf([late, late], PER_SECOND);
    expect([p99, p99FromSending]).to.deep.equal([50, 5]);
  });
});
