import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import { createLogger } from 'winston';
import { MeterReporter } from '../../src/accounts/billing/meter-reporter.ts';
import { reconcile } from '../../src/accounts/billing/reconcile.ts';
import { sendEvent } from '../../src/accounts/billing/send-event.ts';
import { createStripe } from '../../src/accounts/billing/stripe-client.ts';
import { Journal } from '../../src/accounts/usage/journal.ts';
import { createLookupId } from '../../src/accounts/usage/lookup-id.ts';
import type { UsageRecord } from '../../src/shared/contract/journal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { StripeServer, type Fault } from '../support/stripe-server.ts';
import { startFrontEnd } from '../support/front-end.ts';

const DAY_MS = 86_400_000;
const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
const logger = createLogger({ silent: true });

function clientOf(server: StripeServer): Stripe {
  return createStripe({ apiKey: 'sk_test_123', apiBase: server.url });
}

function startReporter(journal: Journal, server: StripeServer): MeterReporter {
  const stripe = clientOf(server);
  return new MeterReporter({ journal, logger, send: (event) => sendEvent(stripe, 'lookup', event), pollMs: 20 });
}

async function record(journal: Journal, count: number, values: Partial<UsageRecord> = {}): Promise<UsageRecord[]> {
  const records = Array.from({ length: count }, (): UsageRecord => {
    const atMs = values.atMs ?? Date.now();
    return { id: createLookupId(atMs), keyId: 'key_a', customer: 'cus_a', atMs, ...values };
  });
  await Promise.all(records.map((usage) => journal.do('record', { usage, answered: null })));
  return records;
}

/** Runs a reporter until nothing is pending. */
async function deliverAll(journal: Journal, server: StripeServer): Promise<void> {
  await using reporter = startReporter(journal, server);
  for (let i = 0; i < 4500; i++) {
    if ((await journal.do('backlog', null)).pending === 0) return;
    await sleep(20);
  }
  throw new Error(`events are still pending: ${JSON.stringify(reporter.status())}`);
}

describe('Billing', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let journal: Journal;
  let server: StripeServer;
  beforeEach(async () => {
    folder = temporaryFolder();
    journal = await Journal.open({ dataDir: folder.path });
    server = await StripeServer.start();
  });
  afterEach(async () => {
    await journal[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('delivers each lookup as one event with its id and its time, and the unbilled not at all', async () => {
    const atMs = Date.now() - 3 * DAY_MS;
    const records = await record(journal, 30, { atMs });
    await record(journal, 5, { customer: null });
    await deliverAll(journal, server);
    expect(await journal.backlog()).to.deep.equal({ pending: 0, oldestMs: null });
    expect(server.accepted.map(({ identifier }) => identifier)).to.have.members(records.map(({ id }) => id));
    for (const event of server.accepted) {
      expect(event).to.include({
        customer: 'cus_a',
        value: '1',
        eventName: 'lookup',
        timestamp: Math.floor(atMs / 1000),
      });
    }
  });

  it('makes one call at a time for a customer, and several customers at once', async () => {
    for (let i = 0; i < 10; i++) await record(journal, 20, { customer: `cus_${i}` });
    await deliverAll(journal, server);
    expect(server.accepted).to.have.length(200);
    expect(server.collisions).to.equal(0);
  });

  for (const fault of [
    '500',
    '500 after',
    '429',
    '409',
    '401',
    'lost answer',
    'cut before',
  ] as const satisfies Fault[]) {
    it(`has every event taken exactly once over the fault: ${fault}`, async () => {
      const records = await record(journal, 20);
      server.fault = (call) => (call % 3 === 0 ? fault : 'none');
      await deliverAll(journal, server);
      expect(server.accepted.map(({ identifier }) => identifier)).to.have.members(records.map(({ id }) => id));
      const [row] = await journal.do('report', ALL);
      expect(row).to.include({ delivered: 20, rejected: 0 });
    });
  }

  it('gives up a call that is not answered, and finds the event taken', async () => {
    await record(journal, 1);
    server.fault = (call) => (call === 0 ? 'silent' : 'none');
    await deliverAll(journal, server);
    expect([server.accepted.length, server.duplicates]).to.deep.equal([1, 1]);
  });

  it('waits for a processor that is away, without forgetting or giving up an event', async () => {
    const away = await StripeServer.start();
    const { url } = away;
    await away[Symbol.asyncDispose]();
    const stripe = createStripe({ apiKey: 'sk_test_123', apiBase: url });
    await record(journal, 3);
    const reporter = new MeterReporter({
      journal,
      logger,
      send: (event) => sendEvent(stripe, 'lookup', event),
      pollMs: 20,
    });
    await sleep(300);
    expect(reporter.status().failed).to.be.greaterThan(1);
    expect((await journal.backlog()).pending).to.equal(3);
    expect(await reporter.lagMs()).to.be.within(300, 60_000);
    await reporter[Symbol.asyncDispose]();
    const pending = await journal.do('takePending', { nowMs: Date.now(), after: '', customers: 1, perCustomer: 9 });
    expect(
      pending.map(({ isFirstAttempt }) => isFirstAttempt),
      'nothing was sent',
    ).to.deep.equal([true, true, true]);
  });

  it('keeps a rejected event with its reason, and the others of that round go on', async () => {
    server.unknownCustomers.add('cus_gone');
    await record(journal, 2, { customer: 'cus_gone' });
    await record(journal, 2);
    await deliverAll(journal, server);
    const reasons = await journal.do('reasons', ALL);
    expect(reasons).to.have.length(1);
    expect(reasons[0]).to.include({ state: 'rejected', lookups: 2 });
    expect(reasons[0]!.reason).to.contain("No such customer: 'cus_gone'");
    server.unknownCustomers.clear();
    expect(await journal.do('resend', { states: ['rejected'] })).to.equal(2);
    await deliverAll(journal, server);
    expect(server.accepted).to.have.length(4);
  });

  it('agrees with the processor by customer and day, and shows where it does not', async () => {
    const midday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
    for (const [count, daysAgo] of [
      [3, 0],
      [2, 1],
      [4, 2],
    ] as const)
      await record(journal, count, { atMs: midday - daysAgo * DAY_MS });
    await deliverAll(journal, server);
    const filter = { fromMs: midday - 10.5 * DAY_MS, toMs: midday + 0.5 * DAY_MS };
    const delivered = await journal.do('deliveredByDay', filter);
    const days = await reconcile(clientOf(server), 'lookup', { delivered, filter });
    expect(days.map(({ journal: ours, processor }) => [ours, processor])).to.deep.equal([
      [4, 4],
      [2, 2],
      [3, 3],
    ]);
    server.accepted.splice(0, 1);
    const again = await reconcile(clientOf(server), 'lookup', { delivered, filter });
    expect(again.filter((day) => day.journal !== day.processor)).to.have.length(1);
    const noMeter = await reconcile(clientOf(server), 'other', { delivered, filter }).catch((cause: unknown) => cause);
    expect(noMeter).to.be.instanceOf(Error).with.property('message').contains('no meter');
  });

  it('survives random faults of every kind with each event taken once', async () => {
    const seed = Date.now() % 1e6;
    const random = seededRandom(seed);
    const faults: Fault[] = ['500', '500 after', '429', '409', 'lost answer', 'cut before'];
    server.fault = () => (random() < 0.6 ? 'none' : faults[Math.floor(random() * faults.length)]!);
    const records = (
      await Promise.all([0, 1, 2, 3, 4].map((i) => record(journal, 20, { customer: `cus_${i}` })))
    ).flat();
    await deliverAll(journal, server);
    const taken = server.accepted.map(({ identifier }) => identifier).sort();
    expect(taken, `seed ${seed}`).to.deep.equal(records.map(({ id }) => id).sort());
  });
});

describe('POST /webhooks/stripe', function () {
  this.timeout(240_000);
  const secret = 'whsec_test';

  it('marks events that the processor could not use, and takes only what it signed', async () => {
    using folder = temporaryFolder();
    await using journal = await Journal.open({ dataDir: folder.path });
    await using server = await StripeServer.start();
    const stripe = clientOf(server);
    const [good, bad] = await record(journal, 2);
    await journal.do(
      'settle',
      [good!, bad!].map(({ id }) => ({ id, outcome: 'delivered' as const })),
    );
    server.events.set('evt_1', {
      id: 'evt_1',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error_report_triggered',
      related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
      data: {
        developer_message_summary: 'There is 1 invalid event',
        reason: {
          error_count: 1,
          error_types: [
            {
              code: 'meter_event_customer_not_found',
              error_count: 1,
              sample_errors: [{ error_message: 'No such customer', request: { identifier: bad!.id } }],
            },
          ],
        },
      },
    });
    await using front = await startFrontEnd({ webhook: { stripe, secret, journal, logger } });
    const notification = (type: string): string =>
      JSON.stringify({
        id: 'evt_1',
        object: 'v2.core.event',
        type,
        created: '2026-11-21T00:00:00Z',
        livemode: false,
        related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
      });
    const post = (payload: string, signature?: string): Promise<Response> =>
      fetch(`${front.url}/webhooks/stripe`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(signature === undefined ? {} : { 'stripe-signature': signature }),
        },
        body: payload,
      });
    const payload = notification('v1.billing.meter.error_report_triggered');
    const signed = stripe.webhooks.generateTestHeaderString({ payload, secret });
    const old = stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: Math.floor(Date.now() / 1000) - 900,
    });
    const foreign = stripe.webhooks.generateTestHeaderString({ payload, secret: 'whsec_other' });
    for (const [text, signature] of [
      [payload, undefined],
      [payload, ''],
      [payload, old],
      [payload, foreign],
      [`${payload} `, signed],
    ] as const) {
      expect((await post(text, signature)).status, signature).to.equal(400);
    }
    expect(await journal.do('reasons', ALL)).to.deep.equal([]);
    expect((await post(payload, signed)).status).to.equal(204);
    expect((await post(payload, signed)).status, 'sent twice').to.equal(204);
    const [reason, ...others] = await journal.do('reasons', ALL);
    expect(others).to.deep.equal([]);
    expect(reason).to.include({
      state: 'rejected',
      reason: 'meter_event_customer_not_found: No such customer',
      lookups: 1,
    });
    const ping = notification('v2.core.event_destination.ping');
    expect((await post(ping, stripe.webhooks.generateTestHeaderString({ payload: ping, secret }))).status).to.equal(
      204,
    );
  });

  it('is not there without a secret', async () => {
    await using front = await startFrontEnd();
    expect((await fetch(`${front.url}/webhooks/stripe`, { method: 'POST' })).status).to.equal(404);
  });
});
