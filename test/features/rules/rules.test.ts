/** Rules through the whole service on the bundled sample: the lookups, batches, the list and the tool. */
import { expect } from 'chai';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import type { RuleJudgement, RulesBody } from '../../../src/features/rules/messages/wire.ts';
import { asSent } from '../../support/drivers/as-sent.ts';
import { contractBreach } from '../../support/oracles/contract.ts';
import { given } from '../../support/drivers/given.ts';
import { Agent } from '../../support/drivers/mcp.ts';
import { until } from '../../support/drivers/patience.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';

const { address, area } = readExamples();
/** In a wetland of the sample. */
const WETLAND = { lat: 44.316425, lon: -79.271468 };
const IDS = ['site_plan_prescribed_area'];

type Judged = Readonly<Record<string, RuleJudgement>>;

describe('rules of the law', function () {
  this.timeout(240_000);
  let service: KeyedService;
  before(async () => {
    service = await shareSampleService();
  });

  const post = (
    path: string,
    body: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ask = async (
    path: string,
    body: object,
  ): Promise<Readonly<Record<string, unknown>> & { readonly rules?: Judged }> => {
    const response = await post(path, body);
    const text = await response.text();
    const { pathname } = new URL(path, service.url);
    const { status, headers } = response;
    expect(
      contractBreach({ method: 'POST', path: pathname, status, text, contentType: 'application/json', headers }),
    ).to.equal(null);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };

  const questions: readonly (readonly [path: string, body: object])[] = [
    ['/api/lookup', { address }],
    ['/api/lookup/point', WETLAND],
    ['/api/lookup/area', area],
  ];
  for (const [path, body] of questions) {
    given(...(path === '/api/lookup/area' ? ['areas'] : [])).it(
      `are judged at the end of the answer of ${path}, for those who ask`,
      async () => {
        const plain = await ask(path, body);
        expect(plain).to.not.have.property('rules');
        for (const query of path === '/api/lookup/area' ? [''] : ['', 'detail=full&']) {
          const { rules, ...rest } = await ask(`${path}?${query}rules=all`, body);
          expect(Object.keys(rules!)).to.deep.equal(IDS);
          if (query === '') expect(rest).to.deep.equal(plain);
          const one = await ask(`${path}?${query}rules=site_plan_prescribed_area`, body);
          expect(one.rules).to.deep.equal({ site_plan_prescribed_area: rules!['site_plan_prescribed_area'] });
        }
      },
    );
  }

  it('exclude a place in a wetland, and say why', async () => {
    const { rules } = await ask('/api/lookup/point?rules=all', WETLAND);
    for (const id of IDS) {
      const { outcome, because, missing, check } = rules![id]!;
      expect([outcome, missing]).to.deep.equal(['excluded', []]);
      // It holds for any wetland, and for no development that has an old permit.
      expect(check).to.have.lengthOf(1);
      expect(check[0]).to.match(/2023-08-09.*s\. 1 \(3\)/);
      expect(because.find(({ layer }) => layer === 'wetlandProximity')).to.deep.equal({
        ...{ layer: 'wetlandProximity', value: 'inside', distanceM: 0 },
        text: 'Within 120 m of a wetland: O. Reg. 254/23, s. 1 (1), paragraph 2, subparagraph i.',
      });
    }
  });

  it('are refused by ids that are none, and make another request for an Idempotency-Key', async () => {
    for (const [asked, wrong] of [
      ['nothing', 'nothing'],
      ['site_plan_prescribed_area,', ''],
      ['d4_waste_500m', 'd4_waste_500m'],
    ] as const) {
      const response = await post(`/api/lookup?rules=${asked}`, { address });
      const { detail, param } = (await response.json()) as { readonly detail: string; readonly param: string };
      expect([response.status, param]).to.deep.equal([400, 'rules']);
      expect(detail).to.equal(`"${wrong}" is no rule of this service; there are: ${IDS.join(', ')}`);
    }
    for (const asked of ['all,all', 'site_plan_prescribed_area, all']) {
      const { detail } = (await (await post(`/api/lookup?rules=${asked}`, { address })).json()) as { detail: string };
      expect(detail, asked).to.include('"all" stands alone');
    }
    expect((await ask('/api/lookup?rules=%20all', { address })).rules).to.have.keys(IDS);
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const [first, again, other] = [
      await post('/api/lookup?rules=site_plan_prescribed_area', { address }, key),
      await post('/api/lookup?rules=site_plan_prescribed_area', { address }, key),
      await post('/api/lookup', { address }, key),
    ];
    expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
    expect(await again.text()).to.equal(await first.text());
    expect(other.status).to.equal(400);
  });

  it('are listed for anybody, and asked for again cost nothing', async () => {
    const response = await fetch(`${service.url}/api/rules`);
    const text = await response.text();
    expect(
      contractBreach({
        method: 'GET',
        path: '/api/rules',
        status: 200,
        text,
        contentType: 'application/json',
        headers: response.headers,
      }),
    ).to.equal(null);
    const { rules } = JSON.parse(text) as RulesBody;
    expect(rules.map(({ id, status }) => [id, status])).to.deep.equal(IDS.map((id) => [id, 'verified']));
    expect(response.headers.get('Access-Control-Allow-Origin')).to.equal('*');
    const headers = { 'if-none-match': response.headers.get('etag')! };
    const known = await asSent(`${service.url}/api/rules`, { headers });
    expect(known.status).to.equal(304);
  });

  given('agents').it('are listed for agents', async () => {
    await using agent = await Agent.connect(service);
    const { body } = await agent.call('list_rules', {});
    expect((body['rules'] as RulesBody['rules']).map(({ id }) => id)).to.deep.equal(IDS);
  });

  given('batches').it('are judged for each row of a batch, with a column in tables', async () => {
    const csv = `address,lat,lon\n"${address}",,\n,${WETLAND.lat},${WETLAND.lon}\n,10,10\n`;
    const made = await post('/api/batches?rules=all', csv, { 'Content-Type': 'text/csv' });
    const { id } = (await made.json()) as { readonly id: string };
    const read = (format: string): Promise<Response> =>
      fetch(`${service.url}/api/batches/${id}/results?format=${format}`, {
        headers: { Authorization: `Bearer ${service.key}` },
      });
    await until(async () => (await read('ndjson')).headers.get('Batch-State') === 'completed');
    const rows = (await (await read('ndjson')).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly body: { readonly rules?: Judged } });
    expect(rows.map(({ body }) => body.rules?.['site_plan_prescribed_area']?.outcome)).to.deep.equal([
      (await ask('/api/lookup?rules=all', { address })).rules!['site_plan_prescribed_area']!.outcome,
      ...['excluded', undefined],
    ]);
    const [head, , wetland, failed] = (await (await read('csv')).text()).split('\n');
    const names = head!.split(',');
    expect(names.slice(-3)).to.deep.equal([...IDS.map((one) => `rules.${one}`), 'area', 'attribution']);
    expect(wetland!).to.match(/,excluded,,$/);
    expect(failed!).to.match(/,,$/);
  });

  given('batches').it('are refused for a batch by ids that are none', async () => {
    const response = await post('/api/batches?rules=nothing', 'address\nx\n', { 'Content-Type': 'text/csv' });
    expect([response.status, ((await response.json()) as { readonly param: string }).param]).to.deep.equal([
      400,
      'rules',
    ]);
  });
});
