/** The stand-in for the payment processor refuses what the real one refuses. */
import { expect } from 'chai';
import { StripeServer } from '../support/doubles/stripe-server.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

describe('The stand-in for the payment processor', () => {
  let server: StripeServer;
  beforeEach(async () => {
    server = await StripeServer.start();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  /** Sends an event, and gives the status and the message of a failure. */
  async function post(values: Readonly<Record<string, string>> = {}, idempotencyKey = ''): Promise<[number, string]> {
    const event = { event_name: 'lookup', identifier: 'lkp_1', timestamp: String(Math.floor(Date.now() / 1000)) };
    const response = await fetch(`${server.url}/v1/billing/meter_events`, {
      method: 'POST',
      headers: idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey },
      body: new URLSearchParams({ ...event, 'payload[stripe_customer_id]': 'cus_a', 'payload[value]': '1', ...values }),
    });
    const body = (await response.json()) as { error?: { message: string } };
    return [response.status, body.error?.message ?? ''];
  }

  it('refuses an event name without an active meter', async () => {
    server.meters = [{ id: 'mtr_1', event_name: 'lookup', status: 'inactive' }];
    expect(await post()).to.deep.equal([400, 'No active meter found for event name lookup.']);
    expect(await post({ event_name: 'lokup' })).to.deep.equal([400, 'No active meter found for event name lokup.']);
    expect(server.accepted).to.deep.equal([]);
  });

  it('refuses a repeated identifier for 24 hours', async () => {
    expect((await post({}, 'a'))[0]).to.equal(200);
    expect(await post({}, 'b')).to.deep.equal([400, 'An event already exists with identifier lkp_1.']);
    server.now = () => Date.now() + (DAY_S + HOUR_S) * 1000;
    expect((await post({}, 'c'))[0]).to.equal(200);
  });

  it('gives the answer of the first request again under the same idempotency key, also a failure', async () => {
    server.fault = (call) => (call === 0 ? '500 after' : 'none');
    expect((await post({}, 'a'))[0]).to.equal(500);
    expect((await post({}, 'a'))[0]).to.equal(500);
    expect(await post({}, 'b')).to.deep.equal([400, 'An event already exists with identifier lkp_1.']);
  });

  it('takes timestamps from 35 days ago to 5 minutes ahead', async () => {
    const nowS = Math.floor(Date.now() / 1000);
    for (const [offsetS, status] of [
      [290, 200],
      [310, 400],
      [-35 * DAY_S + 60, 200],
      [-35 * DAY_S - 60, 400],
    ] as const) {
      const [got] = await post({ identifier: `lkp_${offsetS}`, timestamp: String(nowS + offsetS) }, `key${offsetS}`);
      expect(got, `${offsetS} s`).to.equal(status);
    }
  });

  it('lists meters by status', async () => {
    server.meters = [
      { id: 'mtr_0', event_name: 'lookup', status: 'inactive' },
      { id: 'mtr_1', event_name: 'lookup', status: 'active' },
    ];
    for (const [query, ids] of [
      ['', ['mtr_0', 'mtr_1']],
      ['?status=active', ['mtr_1']],
      ['?status=inactive', ['mtr_0']],
    ] as const) {
      const { data } = (await (await fetch(`${server.url}/v1/billing/meters${query}`)).json()) as {
        data: { id: string }[];
      };
      expect(
        data.map(({ id }) => id),
        query,
      ).to.deep.equal(ids);
    }
  });

  for (const keyAs of ['identifier', 'idempotency_key'] as const) {
    it(`reports an error by the request's idempotency key, as ${keyAs}`, async () => {
      await post({}, 'the key');
      server.reportError('evt_1', [...server.accepted], { code: 'c', message: 'm', keyAs });
      expect(server.accepted, 'not in its sums').to.deep.equal([]);
      const report = await (await fetch(`${server.url}/v2/core/events/evt_1`)).text();
      expect(report).to.contain(`"${keyAs}":"the key"`);
    });
  }
});
