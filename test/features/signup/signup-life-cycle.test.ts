/** Keys stop when their customer does not pay, and work again when it does, whatever becomes of webhooks. */
import { expect } from 'chai';
import { resumeCustomer, suspendCustomer } from '../../../src/core/keys/customers.ts';
import { LifeCycle } from '../../../src/features/signup/life-cycle.ts';
import { clientOf } from '../../support/drivers/billing.ts';
import { capturingLogger } from '../../support/drivers/front-end.ts';
import { until } from '../../support/drivers/patience.ts';
import { startSignupSide, type SignupSide } from '../../support/drivers/signup.ts';
import { signatureOf } from '../../support/doubles/stripe-events.ts';
import type { SubscriptionObject } from '../../support/doubles/stripe-objects.ts';
import { suspendByWebhook } from '../../accounts/suspensions.ts';

const DAY_S = 86_400;

describe('The customer of a sign-up', function () {
  this.timeout(240_000);
  let side: SignupSide;
  let subscription: SubscriptionObject;
  let customer: string;
  beforeEach(async () => {
    side = await startSignupSide();
    const browser = side.browser();
    await browser.pay((await browser.begin())!);
    await browser.claim();
    [subscription] = side.processor.checkout.subscriptions.values() as unknown as [SubscriptionObject];
    ({ customer } = subscription);
    await side.processor.sent.settled();
  });
  afterEach(() => side[Symbol.asyncDispose]());

  /** Why its keys are refused; null: they are not. */
  async function refusal(): Promise<string | null> {
    await side.processor.sent.settled();
    const [key] = await side.madeKeys();
    const isSuspended = (await side.store.findById(key!.id))!.isSuspended;
    const record = (await side.store.customers()).find((known) => known.customer === customer);
    expect(record ? record.suspendedAt !== null : false).to.equal(isSuspended);
    return isSuspended ? record!.reason : null;
  }

  async function setStatus(status: string): Promise<void> {
    side.processor.checkout.setStatus(subscription.id, status);
    await side.processor.sent.settled();
  }

  for (const status of ['canceled', 'unpaid', 'paused', 'incomplete_expired']) {
    it(`is refused when the subscription is ${status}, and served again when it is paid`, async () => {
      await setStatus(status);
      expect(await refusal()).to.equal(`the subscription is ${status}`);
      await setStatus('active');
      expect(await refusal()).to.equal(null);
      const noted = (await side.store.audit()).filter(({ keyId }) => keyId === customer);
      expect(noted.map(({ action, detail }) => `${action} ${detail}`)).to.deep.equal([
        `suspend the subscription is ${status}`,
        `resume the subscription is ${status}`,
      ]);
    });
  }

  it('has 14 days for a bill that could not be collected', async () => {
    const nowS = Math.floor(Date.now() / 1000);
    side.processor.checkout.openInvoice(subscription, nowS - 13 * DAY_S);
    await setStatus('past_due');
    expect(await refusal()).to.equal(null);
    side.processor.checkout.openInvoice(subscription, nowS - 15 * DAY_S);
    expect(await refusal()).to.equal('a bill of the subscription is open for more than 14 days');
    for (const invoice of side.processor.checkout.invoices.values()) invoice.status = 'paid';
    await setStatus('active');
    expect(await refusal()).to.equal(null);
  });

  it('is refused when it was deleted at the processor', async () => {
    side.processor.checkout.deleteCustomer(customer);
    expect(await refusal()).to.match(/canceled|deleted/);
  });

  it('is judged by what is so now: events twice, late, out of order and never', async () => {
    const { sent, checkout } = side.processor;
    sent.delaysMs = () => [];
    checkout.setStatus(subscription.id, 'unpaid');
    checkout.setStatus(subscription.id, 'active');
    checkout.setStatus(subscription.id, 'unpaid');
    checkout.setStatus(subscription.id, 'active');
    const made = sent.made.slice(-4);
    for (const event of [made[3]!, made[0]!, made[2]!, made[2]!, made[1]!]) {
      expect(await sent.resend(event)).to.equal(204);
      expect(await refusal()).to.equal(null);
    }
    checkout.setStatus(subscription.id, 'unpaid');
    expect(await sent.resend(made[3]!)).to.equal(204);
    expect(await refusal()).to.equal('the subscription is unpaid');
    checkout.setStatus(subscription.id, 'active');
    await side.lifeCycle.reconcile();
    expect(await refusal()).to.equal(null);
    const before = (await side.store.audit()).length;
    await side.lifeCycle.reconcile();
    expect(await side.store.audit()).to.have.length(before);
  });

  /** The same as in another process, in which the processor's customer changes after each reading, before what was read is written. */
  function slow(change: () => Promise<void>): LifeCycle {
    const { store, processor } = side;
    const { logger } = capturingLogger();
    return new LifeCycle({
      ...{ stripe: clientOf(processor), price: 'price_lookup', logger },
      store: {
        customers: () => store.customers(),
        list: () => store.list(),
        updateCustomer: async (...given) => {
          await change();
          return await store.updateCustomer(...given);
        },
      },
    });
  }

  for (const how of ['customerChanged', 'reconcile'] as const) {
    for (const [was, is, refused] of [
      ['unpaid', 'active', null],
      ['active', 'canceled', 'the subscription is canceled'],
    ] as const) {
      it(`is judged by the newest reading, whoever writes last: ${is} in ${how}`, async () => {
        const { sent, checkout } = side.processor;
        if (was === 'active') await setStatus('unpaid');
        const { delaysMs } = sent;
        sent.delaysMs = () => [];
        checkout.setStatus(subscription.id, was);
        sent.delaysMs = delaysMs;
        let changes = 0;
        const late = slow(async () => {
          if (changes++ === 0) await setStatus(is);
        });
        await late[how](customer);
        expect(changes).to.be.above(0);
        expect(await refusal()).to.equal(refused);
      });
    }
  }

  it('is not given up on in silence while it changes on and on', async () => {
    side.processor.sent.delaysMs = () => [];
    let changes = 0;
    const restless = slow(async () => setStatus(changes++ % 2 === 0 ? 'active' : 'unpaid'));
    side.processor.checkout.setStatus(subscription.id, 'unpaid');
    const failure = await restless.customerChanged(customer).then(String, String);
    expect([changes, failure]).to.satisfy(([n, text]: [number, string]) => n === 5 && text.includes('something else'));
    await side.lifeCycle.reconcile();
    expect(await refusal()).to.equal(null);
  });

  it('is asked for again when the processor did not answer', async () => {
    side.processor.checkout.fault = ({ path }) => (path.startsWith('/v1/customers') ? '500' : 'none');
    side.processor.checkout.setStatus(subscription.id, 'unpaid');
    await until(() => side.processor.sent.statuses.includes(500));
    side.processor.checkout.fault = () => 'none';
    expect(await refusal()).to.equal('the subscription is unpaid');
  });

  it('stays refused by the operator when it pays, and served by the operator until something else is wrong', async () => {
    await suspendCustomer(side.store, customer, 'misuse');
    await setStatus('unpaid');
    await setStatus('active');
    expect(await refusal()).to.equal('misuse');
    await resumeCustomer(side.store, customer);
    await setStatus('unpaid');
    expect(await refusal()).to.equal('the subscription is unpaid');
    await resumeCustomer(side.store, customer);
    await side.lifeCycle.reconcile();
    expect(await refusal(), 'the operator forgave this').to.equal(null);
    await setStatus('canceled');
    expect(await refusal()).to.equal('the subscription is canceled');
    await suspendCustomer(side.store, customer, 'misuse');
    await setStatus('active');
    expect(await refusal(), 'the operator took it over').to.equal('misuse');
  });

  it('is left alone by events of other kinds and customers, and events of the other mode are refused', async () => {
    const { sent } = side.processor;
    const event = (type: string, object: object, livemode = false): string =>
      JSON.stringify({ id: 'evt_x', object: 'event', type, livemode, data: { object } });
    const post = async (body: string): Promise<number> => await sent.resend({ id: 'evt_x', type: '', body });
    expect(await post(event('charge.succeeded', { customer }))).to.equal(204);
    expect(await post(event('invoice.paid', { customer: null }))).to.equal(204);
    expect(await post(event('checkout.session.completed', { id: 'cs_x', client_reference_id: null }))).to.equal(204);
    const foreign = `sgn_${'0'.repeat(64)}`;
    expect(await post(event('checkout.session.completed', { id: 'cs_x', client_reference_id: foreign }))).to.equal(204);
    expect(await post(event('customer.subscription.updated', { customer }, true))).to.equal(400);
    const response = await fetch(sent.target!, {
      method: 'POST',
      headers: { 'stripe-signature': signatureOf(event('customer.deleted', { id: customer }), 'whsec_wrong') },
      body: event('customer.deleted', { id: customer }),
    });
    expect(response.status).to.equal(400);
    expect(await refusal()).to.equal(null);
    expect(await side.store.customers()).to.deep.equal([]);
  });
});

describe('Keys of customers who do not pay', function () {
  for (const withRedis of [false, true]) {
    it(`get 402 from ${withRedis ? 'every machine' : 'a process alone'} after the webhook, and are back when the customer pays`, async () => {
      await suspendByWebhook(withRedis);
    });
  }
});
