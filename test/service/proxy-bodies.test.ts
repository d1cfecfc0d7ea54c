/** Bodies through the sample configurations of the proxies, in seconds. `test/release/proxy-bodies.test.ts` sends slow ones and all that there are. */
import { expect } from 'chai';
import { setKey } from '../../src/core/keys/keys.ts';
import { notingRelay } from '../support/doubles/noting-relay.ts';
import { startProxy } from '../support/drivers/proxies.ts';
import { startSignupSide } from '../support/drivers/signup.ts';
import { headersOf, KIB, padded, routesWithBody, sendSlowly } from '../support/drivers/slow-bodies.ts';
import { uploadClients } from '../support/drivers/upload-clients.ts';
import { given } from '../support/drivers/given.ts';

/** Time in ms over which a slow client sends its body. */
const SLOWLY_MS = 1200;

for (const kind of ['haproxy', 'nginx'] as const) {
  describe(`The sample configuration of ${kind}, and bodies`, () => {
    given('areas', 'batches', 'signup').it(
      'lets the largest body of each route through, holds a slow one, and refuses what is too large or has no key',
      async () => {
        await using side = await startSignupSide();
        const { front } = side;
        await setKey(front.store, front.keyId, { customer: 'cus_1' });
        await using relay = await notingRelay(front.url);
        await using proxy = await startProxy(kind, [relay.url, relay.url]);
        const url = proxy.url.replace('127.0.0.1', 'localhost');
        const client = uploadClients['undici']!;
        const send = ({ method, path, content }: (typeof routesWithBody)[number], bytes: number) => {
          const body = padded(content, bytes);
          return client({
            url: url + path,
            method,
            headers: headersOf(side, body),
            body: Buffer.from(body),
            ca: proxy.ca,
          });
        };
        for (const route of routesWithBody)
          expect((await send(route, route.mostBytes)).status, route.path).to.equal(route.status);
        const area = routesWithBody.find(({ path }) => path === '/api/lookup/area')!;
        const refused = await send(area, area.mostBytes + 1);
        expect(refused.body).to.contain(`"detail":"the body is larger than ${area.mostBytes / KIB} KiB"`);

        const before = relay.heard.length;
        let early = 0;
        const beforeLast = (): void => {
          early = relay.heard.length - before;
        };
        expect(await sendSlowly(proxy, side, area, { ms: SLOWLY_MS, beforeLast })).to.deep.equal([area.status]);
        expect(early, 'it was passed on before all of it had come').to.equal(0);
        expect(relay.heard.slice(before)).to.deep.equal([area.path]);

        const tooEarly = {
          url: `${url}/api/batches`,
          headers: { 'content-type': 'text/csv' },
          body: Buffer.alloc(4 << 20, 'x'),
        };
        expect((await client({ ...tooEarly, ca: proxy.ca })).status).to.equal(401);
      },
    );
  });
}
