import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import type Stripe from 'stripe';
import type { Journal } from '../../src/core/usage/journal.ts';
import { ALL, billingConfig, clientOf, deliverAll, record, silentBilling } from '../support/drivers/billing.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { openJournalHere } from '../support/drivers/journal-here.ts';
import { StripeServer } from '../support/doubles/stripe-server.ts';

const secret = 'whsec_test';

/** The first line of the answer to bytes that a client sends. */
async function firstLine(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString().split('\r\n', 1)[0]!;
}

describe('POST /webhooks/stripe', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let journal: Journal;
  let server: StripeServer;
  let stripe: Stripe;
  let front: FrontEnd;
  beforeEach(async () => {
    folder = temporaryFolder();
    journal = await openJournalHere(folder.path);
    server = await StripeServer.start();
    stripe = clientOf(server);
    front = await startFrontEnd({
      billing: billingConfig(server, secret),
      overrides: { billing: silentBilling(server), journal },
    });
  });
  afterEach(async () => {
    await front[Symbol.asyncDispose]();
    await journal[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  function post(payload: string, signature: string | undefined = signed(payload)): Promise<Response> {
    return fetch(`${front.url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(signature === '' ? {} : { 'stripe-signature': signature }) },
      body: payload,
    });
  }

  function signed(payload: string, options: { secret?: string; timestamp?: number } = {}): string {
    return stripe.webhooks.generateTestHeaderString({ payload, secret, ...options });
  }

  const unusable = { code: 'meter_event_customer_not_found', message: 'No such customer' };

  for (const keyAs of ['identifier', 'idempotency_key'] as const) {
    it(`marks events that the processor could not use, named by their idempotency key as ${keyAs}`, async () => {
      await record(journal, 2);
      await deliverAll(journal, server);
      const [bad, good] = server.accepted;
      const payload = server.reportError('evt_1', [bad!], { ...unusable, keyAs });
      expect((await post(payload)).status).to.equal(204);
      const [reason, ...others] = await journal.do('reasons', ALL);
      expect(others).to.deep.equal([]);
      expect(reason).to.include({
        state: 'rejected',
        reason: 'meter_event_customer_not_found: No such customer',
        lookups: 1,
      });
      expect((await journal.do('report', ALL))[0]).to.include({ delivered: 1, rejected: 1 });
      expect(server.accepted).to.deep.equal([good]);
      await journal.do('resend', { states: ['rejected'] });
      await deliverAll(journal, server);
      expect(server.accepted.map(({ identifier }) => identifier)).to.deep.equal([
        good!.identifier,
        `${bad!.identifier}-1`,
      ]);
    });
  }

  it('reads no body without a signature of now, and nothing more from who sends many bad ones', async () => {
    const old = Math.floor(Date.now() / 1000) - 400;
    const now = Math.floor(Date.now() / 1000);
    const full = '0'.repeat(64);
    for (const signature of ['', 't=1', 'v1=00', `t=${old},v1=${full}`, `t=${now}`, `t=${now},v1=00`]) {
      // The body never comes: only what is refused before it gets an answer.
      const headers = [`POST /webhooks/stripe HTTP/1.1`, 'Host: x', 'Content-Length: 10000'];
      if (signature !== '') headers.push(`Stripe-Signature: ${signature}`);
      expect(await firstLine(front.url, `${headers.join('\r\n')}\r\n\r\n`), signature).to.contain(' 400 ');
    }
    const good = server.reportError('evt_good', [], { ...unusable, keyAs: 'identifier' });
    expect((await post(good)).status).to.equal(204);
    for (let i = 6; i < 60; i++)
      expect((await post('{}', signed('{}', { secret: 'whsec_other' }))).status).to.equal(400);
    expect((await post(good)).status).to.equal(429);
  });

  it('holds only so many bodies of a network whose signature is not checked yet', async () => {
    const now = Math.floor(Date.now() / 1000);
    const head = [
      ...['POST /webhooks/stripe HTTP/1.1', 'Host: x', 'Content-Length: 200000'],
      ...[`Stripe-Signature: t=${now},v1=${'0'.repeat(64)}`, '', ''],
    ];
    const { hostname, port } = new URL(front.url);
    const slow = Array.from({ length: 16 }, () => connect(Number(port), hostname));
    for (const socket of slow) socket.write(`${head.join('\r\n')}${' '.repeat(1000)}`);
    const good = server.reportError('evt_good', [], { ...unusable, keyAs: 'identifier' });
    let status = 204;
    for (let i = 0; i < 100 && status === 204; i++) {
      const response = await post(good);
      ({ status } = response);
      if (status === 429) expect(response.headers.get('retry-after')).to.equal('5');
    }
    expect(status).to.equal(429);
    for (const socket of slow) socket.destroy();
    for (let i = 0; i < 100 && status === 429; i++) ({ status } = await post(good));
    expect(status).to.equal(204);
  });

  it('takes a report once, also when it comes again after the events were sent anew', async () => {
    await record(journal, 1);
    await deliverAll(journal, server);
    const payload = server.reportError('evt_1', server.accepted.slice(), { ...unusable, keyAs: 'identifier' });
    expect((await post(payload)).status).to.equal(204);
    await journal.do('resend', { states: ['rejected'] });
    await deliverAll(journal, server);
    expect((await post(payload)).status).to.equal(204);
    expect((await journal.do('report', ALL))[0]).to.include({ delivered: 1, rejected: 0 });
    expect(
      front.lines.filter(({ message }) => message === 'the payment processor could not use events'),
    ).to.have.length(1);
  });

  it('sends events again by itself when the meter or the time was the reason', async () => {
    await record(journal, 3);
    await deliverAll(journal, server);
    for (const [i, code] of ['no_meter', 'archived_meter', 'timestamp_in_future'].entries()) {
      const payload = server.reportError(`evt_${i}`, [server.accepted[0]!], {
        code,
        message: 'm',
        keyAs: 'identifier',
      });
      expect((await post(payload)).status).to.equal(204);
    }
    expect(await journal.do('backlog', null)).to.include({ pending: 3 });
    await deliverAll(journal, server);
    for (const { identifier } of server.accepted) expect(identifier).to.match(/-1$/);
    expect((await journal.do('report', ALL))[0]).to.include({ delivered: 3 });
  });

  it('warns of what a report names and the journal does not have', async () => {
    const lost = { idempotencyKey: `lkp_${'0'.repeat(32)}.01234567` };
    const foreign = { idempotencyKey: 'stripe-node-retry-1' };
    const payload = server.reportError('evt_1', [lost, foreign] as never, { ...unusable, keyAs: 'idempotency_key' });
    expect((await post(payload)).status).to.equal(204);
    const [warning] = front.lines.filter(({ level }) => level === 'warn');
    expect(warning).to.include({ message: "the report names events that are not in this machine's journal" });
    expect(warning!['unknown']).to.have.members([`lkp_${'0'.repeat(32)}`, 'stripe-node-retry-1']);
  });

  it('takes only what the processor signed, and leaves other notifications alone', async () => {
    await record(journal, 1);
    await deliverAll(journal, server);
    const payload = server.reportError('evt_1', server.accepted.slice(), { ...unusable, keyAs: 'identifier' });
    const old = signed(payload, { timestamp: Math.floor(Date.now() / 1000) - 900 });
    for (const [text, signature] of [
      [payload, ''],
      [payload, old],
      [payload, signed(payload, { secret: 'whsec_other' })],
      [`${payload} `, signed(payload)],
    ] as const) {
      expect((await post(text, signature)).status, signature).to.equal(400);
    }
    expect(await journal.do('reasons', ALL)).to.deep.equal([]);
    const ping = payload.replace('v1.billing.meter.error_report_triggered', 'v2.core.event_destination.ping');
    expect((await post(ping)).status).to.equal(204);
    expect(await journal.do('reasons', ALL)).to.deep.equal([]);
  });

  it('fails loudly when the report cannot be fetched, and takes it when it comes again', async () => {
    await record(journal, 1);
    await deliverAll(journal, server);
    const payload = server.reportError('evt_1', server.accepted.slice(), { ...unusable, keyAs: 'identifier' });
    const report = server.events.get('evt_1');
    server.events.delete('evt_1');
    expect((await post(payload)).status).to.equal(500);
    const logged = await front.loggedLine(({ level }) => level === 'error');
    expect(JSON.stringify(logged)).to.contain('may STRIPE_API_KEY read events?');
    server.events.set('evt_1', report);
    expect((await post(payload)).status).to.equal(204);
    expect((await journal.do('report', ALL))[0]).to.include({ rejected: 1 });
  });

  it('is not there without a secret', async () => {
    await using bare = await startFrontEnd();
    expect((await fetch(`${bare.url}/webhooks/stripe`, { method: 'POST' })).status).to.equal(404);
  });
});
