/** What a caller meets when there are more lookups than can be answered. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { Quota } from '../../src/accounts/quota.ts';
import { okAnswer, startFrontEnd } from '../support/front-end.ts';

const address = { address: '12 Main St W, Sampleton, ON' };

/** What the key has left, by the field `RateLimit`. */
const remaining = ({ headers }: Response): number => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe('Overload', () => {
  it('answers 503 with Retry-After while the pool is full, and the request costs nothing of the limit', async () => {
    const pool = { pending: 0 };
    const options = { limitPerHour: 2, maxPending: 3, pending: () => pool.pending };
    await using front = await startFrontEnd(options);
    pool.pending = 3;
    for (let n = 0; n < 5; n++) {
      const refused = await front.post(address);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(((await refused.json()) as { code: string }).code).to.equal('DB_ERROR');
    }
    pool.pending = 2;
    const answers = [await front.post(address), await front.post(address), await front.post(address)];
    expect(answers.map((answer) => [answer.status, remaining(answer)])).to.deep.equal([
      [200, 1],
      [200, 0],
      [429, 0],
    ]);
  });

  it('counts each refusal, gives it an id, and logs one line for all of a second', async () => {
    const pool = { pending: 0 };
    await using front = await startFrontEnd({ maxPending: 3, pending: () => pool.pending });
    expect((await front.post(address)).status).to.equal(200);
    pool.pending = 3;
    for (let n = 0; n < 20; n++) {
      const refused = await front.post(address, { 'x-request-id': `request-${n}` });
      expect([refused.status, refused.headers.get('x-request-id')]).to.deep.equal([503, `request-${n}`]);
      expect(((await refused.json()) as { instance: string }).instance).to.match(new RegExp(`:request-${n}$`));
    }
    const counted = 'land_lookup_requests_total{route="/api/lookup",status="503",code="DB_ERROR"} 20';
    expect(await front.metrics.metrics()).to.include(counted);
    while (!front.lines.some(({ message }) => message === 'lookups refused for load')) await sleep(50);
    const refusals = front.lines.filter(({ status, refused }) => status === 503 || refused !== undefined);
    expect(refusals.map(({ refused }) => refused)).to.deep.equal([20]);
  });

  it('refuses at the hand-over when the pool has filled up meanwhile, and gives the unit back', async () => {
    const pool = { pending: 0 };
    const quota = new Quota();
    const spend = quota.spend.bind(quota);
    quota.spend = (...key) => {
      pool.pending = 3;
      return spend(...key);
    };
    await using front = await startFrontEnd({ quota, limitPerHour: 5, maxPending: 3, pending: () => pool.pending });
    const refused = await front.post(address);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(remaining(refused)).to.equal(5);
  });

  it('counts lookups until they are answered, and takes new ones at once then', async () => {
    const waiting: (() => void)[] = [];
    const lookup = () =>
      new Promise<typeof okAnswer>((resolve) =>
        waiting.push(() => {
          resolve(okAnswer);
        }),
      );
    await using front = await startFrontEnd({ lookup, maxPending: 2 });
    const accepted = Array.from({ length: 4 }, () => front.post(address));
    while (waiting.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await front.post(address)).status).to.equal(503);
    for (const end of waiting.splice(0)) end();
    expect((await Promise.all(accepted)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const next = front.post(address);
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    waiting[0]!();
    expect((await next).status).to.equal(200);
  });

  it('says 401 to a bad key also then', async () => {
    await using front = await startFrontEnd({ maxPending: 1, pending: () => 1 });
    expect((await front.post(address, { authorization: 'Bearer none' })).status).to.equal(401);
  });
});
