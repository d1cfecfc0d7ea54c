import { expect } from 'chai';
import { answeredAddresses, exampleRequest } from '../../src/core/http/service-documents.ts';
import { Parts } from '../../src/core/parts/parts.ts';
import { startFrontEnd } from '../support/drivers/front-end.ts';

describe('The example of a lookup', function () {
  this.timeout(60_000);

  it('is what /llms.txt prints, and is answered', async () => {
    await using front = await startFrontEnd();
    const text = await (await fetch(`${front.url}/llms.txt`)).text();
    const body = /and the body `(\{.*?\})`/.exec(text)![1]!;
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${front.key}` };
    const response = await fetch(`${front.url}/api/lookup`, { method: 'POST', headers, body });
    expect(response.status, body).to.equal(200);
  });

  it('is of a stored example, and has words in place of an address where none is known', () => {
    const from = (parts: object, sample: boolean): string =>
      exampleRequest({
        parts: new Parts(parts as Record<string, unknown>),
        snapshots: { manifest: { gazetteer: { sample } } } as never,
      });
    const stored = { [answeredAddresses.name]: { all: [{ address: "1 O'Brien St, Guelph, ON" }] } };
    expect(from(stored, false)).to.not.contain("'");
    expect(JSON.parse(from(stored, false))).to.deep.equal({ address: "1 O'Brien St, Guelph, ON" });
    expect(JSON.parse(from({ [answeredAddresses.name]: { all: [] } }, true))).to.deep.equal({
      address: '12 Main St W, Sampleton, ON',
    });
    expect(from({}, false)).to.match(/NUMBER STREET/);
  });
});
