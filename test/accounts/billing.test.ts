import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from 'winston';
import { eventOf, sendEvent } from '../../src/core/billing/send-event.ts';
import { MeterReporter } from '../../src/core/billing/meter-reporter.ts';
import { reconcile } from '../../src/commands/usage.ts';
import { createStripe } from '../../src/core/billing/stripe-client.ts';
import type { Journal } from '../../src/core/usage/journal.ts';
import { createLookupId } from '../../src/core/lookup/metered-lookup.ts';
import { ALL, clientOf, deliverAll, noSuspension, record, startReporter } from '../support/drivers/billing.ts';
import { until } from '../support/drivers/patience.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { capturingLogger } from '../support/drivers/front-end.ts';
import { openJournalHere } from '../support/drivers/journal-here.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { type Fault, StripeServer } from '../support/doubles/stripe-server.ts';

const DAY_MS = 86_400_000;
const logger = createLogger({ silent: true });

describe('Billing', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let journal: Journal;
  let server: StripeServer;
  beforeEach(async () => {
    folder = temporaryFolder();
    journal = await openJournalHere(folder.path);
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
    expect(await journal.do('backlog', null)).to.include({ pending: 0, oldestMs: null });
    expect(server.accepted.map(({ identifier }) => identifier)).to.have.members(records.map(({ id }) => id));
    for (const event of server.accepted) {
      expect(event.idempotencyKey, 'leads back to the lookup').to.match(
        new RegExp(`^${event.identifier}[.][0-9a-f]{8}$`),
      );
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
      // The reporter pauses for a second when it is asked to.
      const records = await record(journal, 8);
      server.fault = (call) => (call % 3 === 0 ? fault : 'none');
      await deliverAll(journal, server);
      expect(server.accepted.map(({ identifier }) => identifier)).to.have.members(records.map(({ id }) => id));
      const [row] = await journal.do('report', ALL);
      expect(row).to.include({ delivered: 8, rejected: 0 });
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
      suspension: noSuspension,
      pollMs: 20,
    });
    await sleep(300);
    await until(() => reporter.status().failed > 1);
    const backlog = await journal.do('backlog', null);
    expect(backlog.pending).to.equal(3);
    expect(Date.now() - backlog.oldestMs!).to.be.within(290, 3_600_000);
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
    server.meters = [{ id: 'mtr_0', event_name: 'lookup', status: 'inactive' }, ...server.meters];
    expect(await reconcile(clientOf(server), 'lookup', { delivered, filter }), 'the active meter').to.deep.equal(again);
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

  it('makes one call for an attempt, also when the connection breaks', async () => {
    await record(journal, 1);
    for (const [fault, tooMany] of [
      ['cut before', 'unknown'],
      ['lost answer', 'unknown'],
    ] as const) {
      server.calls = 0;
      server.fault = () => fault;
      const [event] = await journal.do('takePending', { nowMs: Date.now(), after: '', customers: 1, perCustomer: 1 });
      expect((await sendEvent(clientOf(server), 'lookup', event!)).outcome).to.equal(tooMany);
      expect(server.calls, fault).to.equal(1);
    }
  });

  it('ends a call as a whole before the service must stop, also when the answer comes in pieces', async () => {
    using slow = await trickle();
    const stripe = createStripe({ apiKey: 'sk_test_123', apiBase: slow.url });
    const event = { id: createLookupId(0), resends: 0, customer: 'cus_a', atMs: Date.now(), isFirstAttempt: true };
    const startMs = performance.now();
    expect((await sendEvent(stripe, 'lookup', event)).outcome).to.equal('unknown');
    // The process ends by force after 10 s (serve.ts).
    expect(stripe.getApiField('timeout')).to.be.below(10_000);
    expect(performance.now() - startMs, 'not because it broke').to.be.above(7000);
  });

  for (const [what, meters] of [
    ['that is not there', []],
    ['that is inactive', [{ id: 'mtr_1', event_name: 'lookup', status: 'inactive' }]],
  ] as const) {
    it(`keeps events pending for a meter ${what}, says so, and delivers them when there is one`, async () => {
      const { lines, logger: log } = capturingLogger();
      await record(journal, 3);
      const active = server.meters;
      server.meters = meters;
      {
        await using reporter = startReporter(journal, server, log);
        await until(() => !reporter.hasMeter);
        server.meters = active;
        await until(() => reporter.hasMeter);
      }
      await deliverAll(journal, server);
      expect(server.accepted).to.have.length(3);
      expect((await journal.do('report', ALL))[0]).to.include({ delivered: 3, rejected: 0 });
      const [alarm, ...others] = lines.filter(({ level }) => level === 'error');
      expect(alarm!['message']).to.contain('no active meter of the name STRIPE_METER_EVENT');
      expect(others, 'once').to.deep.equal([]);
    });
  }

  it('waits with an event that is ahead of the processor, and sends the others', async () => {
    const [ahead] = await record(journal, 1, { atMs: Date.now() + 200_000 });
    const [present] = await record(journal, 1);
    server.now = () => Date.now() - 270_000;
    {
      await using reporter = startReporter(journal, server);
      await until(() => server.accepted.length > 0);
      expect(reporter.status()).to.include({ rejected: 0 });
    }
    expect(server.accepted.map(({ identifier }) => identifier)).to.deep.equal([present!.id]);
    server.now = () => Date.now();
    await deliverAll(journal, server);
    expect(server.accepted.map(({ identifier }) => identifier)).to.include(ahead!.id);
  });

  it('does not send an event of the future before its time, nor lets it hold others up', async () => {
    for (let i = 0; i < 25; i++)
      await record(journal, 1, { atMs: Date.now() + 35 * DAY_MS, customer: `cus_${i + 10}` });
    await record(journal, 30, { atMs: Date.now() + DAY_MS });
    const [own] = await record(journal, 1);
    const [last] = await record(journal, 1, { customer: 'cus_z' });
    {
      await using reporter = startReporter(journal, server);
      await until(() => reporter.status().delivered === 2);
      expect(reporter.status()).to.include({ delivered: 2, failed: 0 });
    }
    expect(server.accepted.map(({ identifier }) => identifier)).to.have.members([own!.id, last!.id]);
    expect((await journal.do('backlog', null)).pending).to.equal(55);
  });

  it('sends an event anew under a fresh identifier that leads back, so that it is billed once', async () => {
    const [usage] = await record(journal, 1);
    await deliverAll(journal, server);
    const [first] = server.accepted;
    server.reportError('evt_1', [first!], { code: 'c', message: 'm', keyAs: 'identifier' });
    await journal.do('settle', [{ ...eventOf(first!.idempotencyKey)!, outcome: 'rejected', reason: 'c: m' }]);
    expect(await journal.do('resend', { states: ['rejected'] })).to.equal(1);
    await deliverAll(journal, server);
    expect(server.accepted.map(({ identifier }) => identifier)).to.deep.equal([`${usage!.id}-1`]);
    expect(eventOf(server.accepted[0]!.idempotencyKey)).to.deep.equal({ id: usage!.id, resends: 1 });
    await journal.do('settle', [{ id: usage!.id, resends: 0, outcome: 'rejected', reason: 'a late report' }]);
    expect((await journal.do('report', ALL))[0], 'of the first event').to.include({ delivered: 1, rejected: 0 });
  });

  it('sends an event that is too old with the present time, once', async () => {
    const [old] = await record(journal, 1, { atMs: Date.now() - 40 * DAY_MS });
    await deliverAll(journal, server);
    expect((await journal.do('report', ALL))[0]).to.include({ too_old: 1 });
    const sinceS = Math.floor(Date.now() / 1000);
    expect(await journal.do('resend', { states: ['too_old'] })).to.equal(1);
    await deliverAll(journal, server);
    expect(server.accepted).to.have.length(1);
    expect(server.accepted[0]).to.include({ identifier: `${old!.id}-1`, customer: 'cus_a' });
    expect(server.accepted[0]!.timestamp).to.be.at.least(sinceS);
    const day = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const rows = await journal.do('deliveredByDay', { fromMs: day - DAY_MS, toMs: day + DAY_MS });
    expect(rows, 'on the day of its event').to.deep.equal([{ customer: 'cus_a', dayMs: day, delivered: 1 }]);
  });
});

/** A server that begins an answer and never ends it, a byte at a time. */
async function trickle(): Promise<Disposable & { readonly url: string }> {
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => res.write(' '), 200);
    res.on('close', () => {
      clearInterval(timer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
