import { expect } from 'chai';
import { document } from '../support/oracles/contract.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { given, givenAll } from '../support/drivers/given.ts';

/** By path, the features that have it. */
const READABLE: Readonly<Record<string, readonly string[]>> = {
  ...{ '/openapi.json': [], '/api/layers': [], '/licences': [], '/llms.txt': [] },
  ...{ '/api/rules': ['rules'], '/status.json': ['sources'] },
};

describe('A page of another site', () => {
  let front: FrontEnd;
  before(async () => {
    front = await startFrontEnd();
  });
  after(() => front[Symbol.asyncDispose]());

  const headers = { origin: 'https://example.com' };
  const allowed = ({ headers: has }: Response) => has.get('access-control-allow-origin');

  for (const [path, features] of Object.entries(READABLE)) {
    given(...features).it(`reads ${path}`, async () => {
      const response = await fetch(front.url + path, { headers });
      expect([response.status, allowed(response)]).to.deep.equal([200, '*']);
      expect(response.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    });
  }

  givenAll().it('calls nothing else, and a browser that asks before gets a no', async () => {
    const others = Object.entries(document.paths).filter(([path]) => !(path in READABLE));
    for (const [path, operations] of [...others, ['/docs', { get: {} }] as const, ['/', { get: {} }] as const]) {
      for (const method of [...Object.keys(operations), 'options']) {
        const url = front.url + path.replace('{id}', 'x');
        const asked = { 'access-control-request-method': 'POST', authorization: `Bearer ${front.key}` };
        const response = await fetch(url, { method: method.toUpperCase(), headers: { ...headers, ...asked } });
        expect(allowed(response), `${method} ${path}`).to.equal(null);
        if (method === 'options') expect(response.status, path).to.equal(405);
      }
    }
  });
});
