/** The time that the sample configurations of the proxies leave to slow bodies. */
import { expect } from 'chai';
import { setKey } from '../../src/core/keys/keys.ts';
import { startProxy } from '../support/drivers/proxies.ts';
import { startSignupSide } from '../support/drivers/signup.ts';
import { KIB, routesWithBody, sendSlowly, type BodyOf } from '../support/drivers/slow-bodies.ts';

/** Time in ms over which a slow client sends the body of a route. */
const bodyMs = ({ mostBytes }: Pick<BodyOf, 'mostBytes'>): number => (mostBytes > 8 * KIB ? 20_000 : 6000);

for (const kind of ['haproxy', 'nginx'] as const) {
  describe(`The time limits of the sample configuration of ${kind}`, function () {
    this.timeout(240_000);

    it('leave the slowest body of each route its time, and hold it until all of it has come', async () => {
      await using side = await startSignupSide();
      const { front } = side;
      await setKey(front.store, front.keyId, { customer: 'cus_1' });
      await using proxy = await startProxy(kind, [front.url, front.url], { keepsTimes: true });
      const statuses = await Promise.all(
        routesWithBody.map((route) => sendSlowly(proxy, side, route, { ms: bodyMs(route) })),
      );
      expect(statuses).to.deep.equal(routesWithBody.map(({ status }) => [status]));
      const heard = front.lines.filter(({ route }) => routesWithBody.some(({ path }) => path === route));
      expect(heard).to.have.length(routesWithBody.length);
      // From the header at the service to the end of its answer.
      for (const { route, ms } of heard) {
        const { mostBytes } = routesWithBody.find(({ path }) => path === route)!;
        expect(ms, String(route)).to.be.below((bodyMs({ mostBytes }) * 5) / 6);
      }
    });
  });
}
