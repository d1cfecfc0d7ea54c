/** The tools for agents: the official client against a real service, and the HTTP side alone. */
import { messageLimit } from '../../../src/core/limits/limit-words.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createKey } from '../../../src/core/keys/key-format.ts';
import { SAMPLE_NOTICE } from '../../../src/core/layers/describe-layers.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import type { LookupAnswer, LookupTask } from '../../../src/messages/lookup.ts';
import { unavailable } from '../../../src/messages/problems.ts';
import { layerStates, type FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import { FREE_PER_HOUR } from '../../../src/core/http/route.ts';
import { sampleAddresses } from '../../tools/draw-examples.ts';
import { startFrontEnd, type FrontEndOptions } from '../../support/drivers/front-end.ts';
import { Agent } from '../../support/drivers/mcp.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';
import { furtherKeys, layerKeys } from '../../support/material/layer-keys.ts';
import { wholeHour } from '../../support/oracles/whole-hour.ts';

const ADDRESS = '12 Main St W, Sampleton, ON';
const TOOLS = [
  ...['lookup_address', 'lookup_point', 'lookup_area', 'list_rules', 'compare', 'suggest_address', 'coverage'],
  'list_layers',
];
const MOST_BYTES = 10_000;

interface ToolLayer {
  readonly state: string;
  readonly value?: unknown;
  readonly distanceM?: number;
  readonly others?: number;
  readonly asOf?: string;
}
type Layers = Record<string, ToolLayer>;

describe('POST /mcp with the official client, on the sample', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });
  const connect = (era?: 'legacy' | 'modern') =>
    Agent.connect({ url: service.url, key: service.key, ...(era ? { era } : {}) });

  const keptAnswer = async (): Promise<unknown> => {
    const response = await fetch(`${service.url}/api/lookup?detail=full`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ address: ADDRESS }),
    });
    return response.json();
  };

  /** What the route says of all rules. */
  const rulesOf = async (point: object): Promise<Readonly<Record<string, { readonly outcome: string }>>> => {
    const response = await fetch(`${service.url}/api/lookup/point?rules=all`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(point),
    });
    return ((await response.json()) as { readonly rules: Awaited<ReturnType<typeof rulesOf>> }).rules;
  };

  for (const era of ['legacy', 'modern'] as const) {
    it(`lists the tools in 12 kB and calls each, by the ${era} protocol`, async () => {
      await using agent = await connect(era);
      expect(agent.client.getProtocolEra()).to.equal(era);
      expect(agent.client.getInstructions()).to.contain('absent: checked and not there');
      const { names, bytes } = await agent.list();
      expect(names).to.deep.equal(TOOLS);
      expect(bytes).to.be.within(1000, 12_000);
      console.log(`        list of tools: ${bytes} bytes`);
      const answers = [
        await agent.call('lookup_address', { address: ADDRESS }),
        await agent.call('lookup_point', { lat: 44.1, lon: -78.6, uncertaintyM: 25, rules: 'all' }),
        await agent.call('lookup_area', { ...readExamples().area, rules: 'all' }),
        await agent.call('suggest_address', { q: '12 mai', limit: 3 }),
        await agent.call('list_layers'),
        await agent.call('list_layers', { layer: 'soil' }),
        await agent.call('compare', { before: await keptAnswer() }),
        await agent.call('list_rules'),
      ];
      const [address, point, area, suggested, all, one, compared] = answers;
      const ruled = await rulesOf({ lat: 44.1, lon: -78.6, uncertaintyM: 25 });
      expect(address!.body).to.not.have.property('rules');
      for (const { body } of [point!, area!])
        expect(Object.keys(body['rules'] as object)).to.deep.equal(Object.keys(ruled));
      for (const [id, { outcome }] of Object.entries(point!.body['rules'] as typeof ruled))
        expect(outcome, id).to.equal(ruled[id]!.outcome);
      expect(compared!.body).to.deep.include({ changed: [], layers: {}, movedM: 0 });
      expect(address!.body['address']).to.match(/^12 Main St W, Sampleton/);
      expect(point!.body).to.deep.include({ lat: 44.1, lon: -78.6 });
      const { areaLookup } = readExamples();
      expect(area!.body).to.include({ areaM2: areaLookup.areaM2, insideOntarioShare: 1 });
      const { greenbelt, floodProximity, soil } = area!.body['layers'] as Record<string, unknown>;
      expect({ greenbelt, soil }).to.deep.equal({
        greenbelt: areaLookup.layers['greenbelt'],
        soil: areaLookup.layers['soil'],
      });
      expect(areaLookup.layers['floodProximity']).to.equal(null);
      expect(floodProximity, 'no bare null').to.deep.equal({ unknownShare: 1 });
      expect(suggested!.body['suggestions']).to.have.length.within(1, 3);
      expect(Object.keys(all!.body['layers'] as object)).to.deep.equal([...layerKeys, ...furtherKeys]);
      expect(one!.body).to.include({ key: 'soil', kind: 'object' }).and.to.have.property('dataSets');
      // The client holds each answer against the schema that the list has for it.
      for (const { isError, body, structured, bytes: size } of answers) {
        expect(isError).to.equal(false);
        expect(structured).to.deep.equal(body);
        expect(size).to.be.at.most(MOST_BYTES);
        expect(body['attribution']).to.deep.equal({ show: [SAMPLE_NOTICE], licences: `${service.url}/licences` });
      }
    });
  }

  it('says the state, value, distance and number of others of each layer as the evidence has them, at every door of the sample', async () => {
    await using agent = await connect();
    const states = new Set<string>();
    let largest = 0;
    let withOthers = 0;
    for (const address of sampleAddresses()) {
      const full = await fetch(`${service.url}/api/lookup?detail=full`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ address }),
      });
      const { body, bytes, isError } = await agent.call('lookup_address', { address, rules: 'all' });
      expect(isError).to.equal(full.status !== 200);
      if (isError) continue;
      largest = Math.max(largest, bytes);
      const { layers, evidence, dataAsOf } = (await full.json()) as FullLookupBody;
      for (const [name, { state, value, distanceM, others, asOf }] of Object.entries(body['layers'] as Layers)) {
        states.add(state);
        expect({ state, distanceM: distanceM ?? null, others }).to.deep.equal({
          state: evidence[name]!.state,
          distanceM: evidence[name]!.distanceM,
          others: evidence[name]!.others,
        });
        withOthers += Number(others !== undefined);
        expect(value, 'no bare yes or no').not.to.be.oneOf([true, false, null]);
        if (typeof layers[name] !== 'boolean') expect(value ?? null, name).to.deep.equal(layers[name]);
        expect(asOf, name).to.be.oneOf([undefined, ...Object.values(dataAsOf)]);
      }
      expect(Object.keys(body['layers'] as Layers)).to.deep.equal(Object.keys(layers));
    }
    expect([...states].sort()).to.deep.equal(Object.keys(layerStates).sort());
    expect(withOthers).to.be.greaterThan(0);
    expect(largest).to.be.within(1000, MOST_BYTES);
    console.log(`        largest answer: ${largest} bytes`);
  });

  it('tells all about each layer in 10 kB', async () => {
    await using agent = await connect();
    const { body, bytes: allBytes } = await agent.call('list_layers');
    let largest = 0;
    for (const layer of Object.keys(body['layers'] as object)) {
      const { body: one, bytes, isError } = await agent.call('list_layers', { layer });
      largest = Math.max(largest, bytes);
      expect([isError, one['key'], bytes <= MOST_BYTES], `${layer}: ${bytes} bytes`).to.deep.equal([
        false,
        layer,
        true,
      ]);
    }
    console.log(`        all layers: ${allBytes} bytes, one: up to ${largest} bytes`);
  });

  it('says what to do when an address is refused, a place is outside Ontario, or arguments are wrong', async () => {
    await using agent = await connect();
    const refused = await agent.call('lookup_address', { address: '13 Main St W, Sampleton, ON' });
    expect([refused.isError, refused.structured]).to.deep.equal([true, undefined]);
    expect(refused.body).to.include({ code: 'ADDRESS_NOT_FOUND', reason: 'CIVIC_NOT_ON_STREET' });
    expect(refused.body['suggestions']).to.be.an('array');
    expect(refused.body['next']).to.match(/report no layer as present or absent.*suggest_address.*lookup_point/);
    const outside = await agent.call('lookup_point', { lat: 45.5, lon: -73.57 });
    expect(outside.body).to.include({ code: 'OUTSIDE_ONTARIO', reason: 'OUT_OF_AREA' });
    expect(outside.body['next']).to.match(/Ontario only/);
    const wrong: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
      ['lookup_address', {}, /^the arguments must have the member "address"/],
      ['lookup_address', { address: 7 }, /^address must be a text/],
      ['lookup_address', { address: ADDRESS, detail: 'full' }, /^the arguments must not have the member "detail"/],
      ['lookup_point', { lat: 91, lon: 0 }, /^lat must be <= 90/],
      ['lookup_area', { geometry: { type: 'Point', coordinates: [-79, 44] } }, /^geometry.type must be Polygon/],
      ['suggest_address', {}, /^the argument "q" is missing/],
      ['suggest_address', { q: 'x', limit: 11 }, /^the argument "limit" takes one whole number from 1 to 10/],
      ['lookup_point', { lat: 44.1, lon: -78.6, rules: 'swamp' }, /^"swamp" is no rule of this service; there are: /],
      ['lookup_address', { address: ADDRESS, rules: 1 }, /^the argument "rules" must be a text/],
      ['list_layers', { layer: 'swamp' }, /^there is no layer "swamp"; there are: greenbelt, /],
      ['list_layers', { key: 'soil' }, /^the only argument is "layer"/],
    ];
    for (const [tool, args, detail] of wrong) {
      const { isError, body } = await agent.call(tool, args);
      expect([isError, body['code']], tool).to.deep.equal([true, 'BAD_REQUEST']);
      expect(body['detail']).to.match(detail);
      expect(body['next']).to.match(/^Correct the arguments/);
    }
    const noTool = await agent.client.callTool({ name: 'lookup', arguments: {} }).catch((cause: unknown) => cause);
    expect(String(noTool)).to.match(/no such tool; there are: lookup_address, /);
  });

  it('refuses a wrong key before anything else, with what is wrong with it', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const failure = await Agent.connect({ url: service.url, key: createKey(), era }).catch((cause: unknown) => cause);
      expect(failure).to.be.an('error');
      expect((failure as { data?: { text: string } }).data?.text).to.contain('there is no such key');
      const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers: { authorization: 'Bearer x' } });
      expect([response.status, response.headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Bearer error="invalid_token"',
      ]);
      expect(await response.json()).to.include({ code: 'UNAUTHORIZED' });
    }
  });
});

/** Answers of the sample for each kind of task. */
function answerOf({ kind }: LookupTask): Promise<LookupAnswer> {
  const { fullLookup, fullPointLookup, suggest } = readExamples();
  const body = { address: fullLookup, point: fullPointLookup, suggest };
  return Promise.resolve({ json: JSON.stringify(body[kind as keyof typeof body]), geocodeMs: 1, layersMs: 2 });
}

async function startTools(options: FrontEndOptions = {}) {
  const front = await startFrontEnd({ lookup: answerOf, ...options });
  const send = (body: unknown, headers: Readonly<Record<string, string>> = {}, method = 'POST'): Promise<Response> =>
    fetch(`${front.url}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${front.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
  return { ...front, send, connect: (headers = {}) => Agent.connect({ ...front, headers }) };
}

const call = (name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
});

interface RpcAnswer {
  readonly id: unknown;
  readonly result: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

describe('POST /mcp', () => {
  it('bills a lookup once, and suggestions and the list of layers not at all', async () => {
    await using front = await startTools();
    await using agent = await front.connect();
    const { headers } = await agent.call('lookup_address', { address: ADDRESS });
    expect(headers.get('lookup-id')).to.match(/^lkp_/);
    expect(wholeHour(headers.get('ratelimit'))).to.equal('"lookup";r=999;t=3600');
    expect(headers.get('link')).to.equal('</licences>; rel="license"');
    await agent.call('lookup_point', { lat: 44.1, lon: -78.6 });
    const suggested = await agent.call('suggest_address', { q: '12 main' });
    expect(wholeHour(suggested.headers.get('ratelimit'))).to.equal('"suggest";r=19999;t=3600');
    const listed = await agent.call('list_layers');
    expect([listed.headers.get('ratelimit'), listed.headers.get('lookup-id')]).to.deep.equal([null, null]);
    const { journal } = front.services as unknown as { journal: { do(name: 'report', input: object): Promise<Row[]> } };
    const rows = await journal.do('report', { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    expect(rows.filter(({ keyId }) => keyId === front.keyId).map(({ lookups }) => lookups)).to.deep.equal([2]);
  });

  it('gives a retry with the same Idempotency-Key the same answer, billed once', async () => {
    await using front = await startTools();
    const headers = { 'idempotency-key': 'an-agent' };
    const first = await front.send(call('lookup_address', { address: ADDRESS }), headers);
    const again = await front.send(call('lookup_address', { address: ADDRESS }), headers);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(await again.text()).to.equal(await first.text());
    expect(wholeHour(again.headers.get('ratelimit'))).to.equal('"lookup";r=999;t=3600');
    const other = (await (await front.send(call('lookup_point', { lat: 44, lon: -79 }), headers)).json()) as RpcAnswer;
    expect(other.result.content[0]!.text).to.contain('this Idempotency-Key was used for another request');
  });

  it('limits messages that look nothing up by themselves, of each kind, and lookups go on', async () => {
    await using front = await startTools();
    const free = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call('list_layers', {}),
      call('no_tool', {}),
    ];
    const quota = front.services.quotas.of(messageLimit);
    for (const [sent, message] of free.entries()) {
      await front.send(message);
      expect((await quota.peek(front.keyId, FREE_PER_HOUR)).remaining).to.equal(FREE_PER_HOUR - 1 - sent);
    }
    await quota.spend(front.keyId, FREE_PER_HOUR, FREE_PER_HOUR - free.length);
    for (const message of free) {
      const refused = await front.send(message);
      expect([refused.status, wholeHour(refused.headers.get('retry-after'))]).to.deep.equal([429, '3600']);
      expect(await refused.json()).to.include({
        ...{ code: 'RATE_LIMITED', reason: 'PER_HOUR' },
        detail: 'this key may send 10000 requests that look nothing up per hour',
      });
    }
    expect((await front.send(call('lookup_address', { address: ADDRESS }))).headers.has('lookup-id')).to.equal(true);
    expect((await front.send(call('suggest_address', { q: '12 main' }))).status).to.equal(200);
  });

  it('says how long to wait when the limit is reached or the data cannot be read, and that nothing is known', async () => {
    await using front = await startTools({ rateLimitPerHour: 1 });
    await using agent = await front.connect();
    await agent.call('lookup_address', { address: ADDRESS });
    const { isError, body, headers } = await agent.call('lookup_address', { address: ADDRESS });
    expect(isError).to.equal(true);
    expect({ ...body, next: wholeHour(String(body['next'])) }).to.deep.equal({
      code: 'RATE_LIMITED',
      reason: 'PER_HOUR',
      detail: 'this key may make 1 lookup per hour',
      next: 'Wait 3600 seconds, then make the same call again.',
    });
    expect(wholeHour(headers.get('retry-after'))).to.equal('3600');
    await using broken = await startTools({
      lookup: () => Promise.reject(unavailable('TOO_LATE', 'a secret')),
    });
    const { result } = (await (await broken.send(call('lookup_address', { address: ADDRESS }))).json()) as RpcAnswer;
    expect(result.isError).to.equal(true);
    expect(result.content[0]!.text)
      .to.match(/"code":"DB_ERROR".*"requestId":.*Wait 1 seconds/)
      .and.not.contain('secret');
    await sleep(20);
    expect(broken.lines.at(-1)).to.include({
      level: 'error',
      route: '/mcp',
      tool: 'lookup_address',
      detail: 'a secret',
    });
  });

  it('is logged and counted under its route, with the tool and the code', async () => {
    await using front = await startTools();
    await front.send(call('lookup_address', { address: ADDRESS }));
    await front.send(call('lookup_address', { address: ' ' }));
    await sleep(20);
    expect(front.lines.map(({ route, status, tool, code, level }) => [route, status, tool, code, level])).to.deep.equal(
      [
        ['/mcp', 200, 'lookup_address', undefined, 'info'],
        ['/mcp', 200, 'lookup_address', 'BAD_REQUEST', 'info'],
      ],
    );
    expect(front.lines[0]).to.include.keys('lookupId', 'keyId', 'queueMs', 'journalMs');
    expect(JSON.stringify(front.lines)).not.to.contain('Main St');
    const counted = await front.services.metrics.metrics();
    expect(counted).to.include('land_lookup_requests_total{route="/mcp",status="200",code="OK"} 1');
    expect(counted).to.include('land_lookup_requests_total{route="/mcp",status="200",code="BAD_REQUEST"} 1');
  });

  it('refuses pages of other sites, and lets programs and pages of this machine in', async () => {
    await using front = await startTools();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const origin of ['https://example.com', 'http://localhost.example.com', 'null']) {
      const response = await front.send(list, { origin });
      expect(response.status, origin).to.equal(403);
      expect(((await response.json()) as RpcAnswer).error, origin).to.have.property('message');
    }
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:80']) {
      expect((await front.send(list, { origin })).status, origin).to.equal(200);
    }
  });

  it('takes one message by POST, and has no streams and no sessions', async () => {
    await using front = await startTools();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await front.send('', {}, method);
      expect([response.status, response.headers.get('allow')], method).to.deep.equal([405, 'POST']);
    }
    const message = call('list_layers', {});
    expect((await front.send(message)).headers.has('mcp-session-id')).to.equal(false);
    const refusals: readonly (readonly [unknown, RegExp])[] = [
      ['{', /^the body is not JSON: send one JSON-RPC message/],
      [[message, message], /^send one JSON-RPC message/],
      ['"tools"', /^send one JSON-RPC message/],
      [{ ...message, more: 'x'.repeat(600_000) }, /^the body is larger than 576 KiB/],
    ];
    for (const [body, detail] of refusals) {
      const response = await front.send(body);
      expect(response.status).to.equal(400);
      expect(((await response.json()) as { detail: string }).detail).to.match(detail);
    }
    expect((await front.send(message, { 'content-type': 'text/plain' })).status).to.equal(400);
    expect((await front.send(message, { accept: 'text/html' })).status).to.equal(406);
    const notified = await front.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notified.status, await notified.text()]).to.deep.equal([202, '']);
  });

  it('may be large by the arguments of its tool alone', async () => {
    await using front = await startTools();
    const ask = (message: object) => front.send({ jsonrpc: '2.0', id: 1, ...message });
    const asked = call('lookup_address', { address: ADDRESS });
    const text = 'x'.repeat(20_000);
    const numbers = Array.from({ length: 10_000 }, (_, i) => i);
    const large: readonly object[] = [
      { ...asked, id: text },
      { ...asked, params: { ...asked.params, _meta: { numbers } } },
      { ...asked, params: { ...asked.params, arguments: numbers } },
      { method: 'tools/list', params: { text } },
      { method: text },
    ];
    for (const message of large) {
      const answer = await ask(message);
      expect([answer.status, ((await answer.json()) as { reason: string }).reason]).to.deep.equal([
        400,
        'BODY_TOO_LARGE',
      ]);
    }
    expect((await ask(asked)).status).to.equal(200);
    // The tool itself says what is wrong with them, and repeats only their beginning.
    for (const [name, args, words] of [
      ['lookup_address', { address: text }, 'larger than any that this tool takes'],
      ['list_layers', { layer: numbers }, 'larger than any that this tool takes'],
      [
        'lookup_area',
        { geometry: { type: 'Polygon', coordinates: [numbers.slice(0, 4500)] } },
        'coordinates[0][0] must be',
      ],
      ['compare', { before: { numbers } }, 'before/evidence is missing'],
    ] as const) {
      const refused = await ask(call(name, args));
      expect(refused.status, name).to.equal(200);
      const { result } = (await refused.json()) as RpcAnswer;
      expect(result.isError, name).to.equal(true);
      expect(result.content[0]!.text, name).to.contain('"code":"BAD_REQUEST"').and.to.contain(words);
      expect(result.content[0]!.text.length, name).to.be.below(3000);
    }
  });

  it('keeps no stream open for a client that wants to hear of changes: there are none', async () => {
    await using front = await startTools();
    await using agent = await front.connect();
    expect(agent.client.getServerCapabilities()).to.deep.equal({ tools: { listChanged: false } });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' };
    const response = await front.send(
      { ...listen, params: { notifications: { toolsListChanged: true }, _meta: meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );
    // The answer ends.
    expect(((await response.json()) as RpcAnswer).error).to.have.property('code');
  });

  it('is refused for load as early as any lookup', async () => {
    const pool = { pending: 0 };
    await using front = await startTools({ maxPending: 3, pending: () => pool.pending });
    expect((await front.send(call('list_layers', {}))).status).to.equal(200);
    pool.pending = 3;
    const refused = await front.send(call('lookup_address', { address: ADDRESS }));
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
    const counted = 'land_lookup_requests_total{route="/mcp",status="503",code="DB_ERROR"} 1';
    expect(await front.services.metrics.metrics()).to.include(counted);
  });
});

interface Row {
  readonly keyId: string;
  readonly lookups: number;
}
