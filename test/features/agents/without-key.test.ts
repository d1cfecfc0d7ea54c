/** What agents can do without a key: with the official client on the sample, and the HTTP side alone. */
import { expect } from 'chai';
import { OPEN_PER_HOUR, openLimit } from '../../../src/features/agents/route.ts';
import { startFrontEnd } from '../../support/drivers/front-end.ts';
import { chosenFeatures } from '../../support/drivers/chosen-features.ts';
import { given } from '../../support/drivers/given.ts';
import { Agent } from '../../support/drivers/mcp.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';
import { wholeHour } from '../../support/oracles/whole-hour.ts';

const ADDRESS = '12 Main St W, Sampleton, ON';

const call = (name: string, args: unknown) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
});
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('an agent without a key, with the official client', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  for (const era of ['legacy', 'modern'] as const) {
    it(`finds out what there is, and is told that lookups need a key, by the ${era} protocol`, async () => {
      await using agent = await Agent.connect({ url: service.url, key: null, era });
      const { names } = await agent.list();
      expect(names).to.include.members(['lookup_address', 'list_layers']);
      const { body } = await agent.call('list_layers', { layer: 'soil' });
      expect(body['key']).to.equal('soil');
      if (chosenFeatures.includes('rules')) expect((await agent.call('list_rules')).body['rules']).to.be.an('array');
      if (era === 'legacy') await agent.client.ping();
      for (const [tool, args] of [
        ['lookup_address', { address: ADDRESS }],
        ['lookup_point', { lat: 44.1, lon: -78.6 }],
      ] as const) {
        const failure: unknown = await agent.call(tool, args).catch((cause: unknown) => cause);
        expect(String((failure as { data?: { text?: string } }).data?.text), tool).to.match(
          /"reason":"MISSING".*"code":"UNAUTHORIZED"/,
        );
      }
    });
  }

  given('coverage').it(
    'asks what is known first, and then looks up with a key: in few messages and 10 kB each',
    async () => {
      const startMs = performance.now();
      const asked: [string, number][] = [];
      await using open = await Agent.connect({ url: service.url, key: null });
      asked.push(['tools/list', (await open.list()).bytes]);
      const covered = await open.call('coverage', { address: ADDRESS });
      asked.push(['coverage', covered.bytes]);
      expect(covered.body).to.have.nested.property('known.greenbelt', true);
      await using agent = await Agent.connect(service);
      const answer = await agent.call('lookup_address', { address: ADDRESS });
      asked.push(['lookup_address', answer.bytes]);
      for (const [message, bytes] of asked)
        expect(bytes, message).to.be.within(500, message === 'tools/list' ? 12_000 : 10_000);
      console.log(`        session: ${JSON.stringify(asked)} bytes, ${Math.round(performance.now() - startMs)} ms`);
    },
  );
});

describe('POST /mcp without a key', () => {
  const start = async () => {
    const front = await startFrontEnd();
    const send = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${front.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
      });
    return { ...front, send };
  };

  it('answers a call of a tool that needs one, and of none that there is, with 401 as other routes do', async () => {
    await using front = await start();
    const calls: readonly unknown[] = [
      ...['lookup_address', 'lookup_point', 'lookup_area', 'suggest_address'].map((name) => call(name, {})),
      ...[call('nothing', {}), call('lookup_address', []), call('lookup_address', 'x'), call('lookup_address', null)],
      ...[{ ...list, method: 'tools/call', params: { name: ['list_layers'] } }],
      ...[{ ...list, method: 'tools/call', params: { name: 'constructor', arguments: {} } }],
    ];
    for (const message of calls) {
      const response = await front.send(message);
      const { code, reason } = (await response.json()) as Record<string, unknown>;
      expect(
        [response.status, response.headers.get('www-authenticate'), code, reason],
        JSON.stringify(message),
      ).to.deep.equal([401, 'Bearer', 'UNAUTHORIZED', 'MISSING']);
    }
    // What names no tool at all is answered by the protocol.
    for (const params of [undefined, null, [], 'x', {}]) {
      const text = await (await front.send({ ...list, method: 'tools/call', params })).text();
      expect(text).to.contain('"error"').and.not.contain('structuredContent');
    }
  });

  it('does not take a wrong key for none', async () => {
    await using front = await start();
    const refused = await front.send(list, { authorization: 'Bearer nothing' });
    expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([
      401,
      'Bearer error="invalid_token"',
    ]);
  });

  it('takes a small message, and refuses a large one before it is there', async () => {
    await using front = await start();
    for (const [length, status] of [
      [15_000, 200],
      [17_000, 400],
    ] as const) {
      const response = await front.send({ ...list, params: { _meta: { text: 'x'.repeat(length) } } });
      expect(response.status).to.equal(status);
      if (status === 400) expect(await response.json()).to.include({ reason: 'BODY_TOO_LARGE' });
    }
  });

  it('has a limit for each network, and what has a key goes on when it is reached', async () => {
    await using front = await start();
    const quota = front.services.quotas.of(openLimit);
    const messages = [list, { ...list, method: 'ping' }, call('list_layers', {}), call('lookup_address', {}), [], 'x'];
    for (const [sent, message] of messages.entries()) {
      await front.send(message);
      const { remaining } = await quota.peek('127.0.0.1', OPEN_PER_HOUR);
      expect(remaining).to.equal(OPEN_PER_HOUR - 1 - sent);
    }
    await quota.spend('127.0.0.1', OPEN_PER_HOUR, OPEN_PER_HOUR - messages.length);
    for (let i = 0; i < 20; i++) {
      const refused = await front.send(list);
      expect([refused.status, wholeHour(refused.headers.get('retry-after'))]).to.deep.equal([429, '3600']);
      expect(await refused.json()).to.include({
        detail: 'this network may send 10000 messages without a key per hour',
      });
    }
    const authorization = `Bearer ${front.key}`;
    expect((await front.send(list, { authorization })).status).to.equal(200);
    expect(wholeHour((await front.post({ address: ADDRESS })).headers.get('ratelimit'))).to.equal(
      '"lookup";r=999;t=3600',
    );
  });

  it('is refused when the service has no room, as requests with a key are', async () => {
    await using front = await startFrontEnd({ maxPending: 3, pending: () => 3 });
    const response = await fetch(`${front.url}/mcp`, { method: 'POST' });
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '1']);
  });
});
