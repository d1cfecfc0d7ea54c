/** JSON that is long enough to be compressed. */
import { expect } from 'chai';
import { asSent, type Sent } from '../support/drivers/as-sent.ts';
import { given } from '../support/drivers/given.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';

const LONG = JSON.stringify({
  features: Array.from({ length: 5000 }, (_, i) => ({ lon: -79 - i / 1e5, name: 'Höhe' })),
});

describe('JSON answers', () => {
  let front: FrontEnd;
  before(async () => {
    front = await startFrontEnd({
      lookup: (task) => Promise.resolve({ ...okAnswer, json: 'geometry' in task ? LONG : okAnswer.json }),
    });
  });
  after(() => front[Symbol.asyncDispose]());

  function lookup(query: string, accepted?: string): Promise<Sent> {
    return asSent(`${front.url}/api/lookup${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${front.key}`,
        'content-type': 'application/json',
        ...(accepted === undefined ? {} : { 'accept-encoding': accepted }),
      },
      body: JSON.stringify({ address: '12 Main St W, Sampleton, ON' }),
    });
  }

  given('maps').it('of lookups are compressed when they are long and the client takes gzip', async () => {
    const near = '?detail=full&geometry=near';
    const long = await lookup(near, 'gzip, br');
    expect([long.status, long.encoding, long.text]).to.deep.equal([200, 'gzip', LONG]);
    expect(long.headers['content-length']).to.equal(String(long.bytes.length));
    expect(long.headers['content-type']).to.equal('application/json');
    expect(long.headers['lookup-id']).to.match(/^lkp_/);
    expect(long.bytes.length).to.be.below(LONG.length / 4);
    for (const accepted of [undefined, 'identity', 'br', 'gzip;q=0']) {
      const plain = await lookup(near, accepted);
      expect([plain.encoding, plain.text], accepted).to.deep.equal([undefined, LONG]);
      expect(plain.headers['content-length'], accepted).to.equal(String(Buffer.byteLength(LONG)));
    }
  });

  it('of plain lookups never are', async () => {
    const plain = await lookup('', 'gzip, br');
    expect([plain.encoding, plain.text]).to.deep.equal([undefined, okAnswer.json]);
    expect(plain.headers['vary']).to.equal(undefined);
  });

  for (const path of ['/api/layers', '/openapi.json']) {
    it(`${path} is compressed, and sent again only when it has changed`, async () => {
      const [br, gzip, plain] = await Promise.all(
        ['br', 'gzip', 'identity'].map((accepted) =>
          asSent(front.url + path, { headers: { 'accept-encoding': accepted } }),
        ),
      );
      expect([br!.encoding, gzip!.encoding, plain!.encoding]).to.deep.equal(['br', 'gzip', undefined]);
      expect([br!.text, gzip!.text]).to.deep.equal([plain!.text, plain!.text]);
      expect(JSON.parse(plain!.text)).to.be.an('object');
      expect(plain!.headers['content-type']).to.equal('application/json');
      expect(br!.bytes.length).to.be.below(plain!.bytes.length / 4);
      const again = await asSent(front.url + path, { headers: { 'if-none-match': String(plain!.headers['etag']) } });
      expect([again.status, again.text]).to.deep.equal([304, '']);
    });
  }
});
