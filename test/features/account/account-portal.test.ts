/** What the account asks of the payment processor, over the real client library. */
import { expect } from 'chai';
import { Portal } from '../../../src/core/billing/stripe-client.ts';
import { costOf, flatPrice, PriceReader, unitCostOf } from '../../../src/core/billing/shown-price.ts';
import { issueKey } from '../../../src/core/keys/keys.ts';
import type { AccountBody } from '../../../src/features/account/wire.ts';
import { clientOf, silentBilling } from '../../support/drivers/billing.ts';
import { capturingLogger, startFrontEnd, type FrontEnd } from '../../support/drivers/front-end.ts';
import { lookupPrice } from '../../support/doubles/stripe-objects.ts';
import { StripeServer } from '../../support/doubles/stripe-server.ts';

const RETURN_URL = 'https://land.example/account';

describe('An account at the payment processor', function () {
  this.timeout(240_000);
  let processor: StripeServer;
  beforeEach(async () => {
    processor = await StripeServer.start();
  });
  afterEach(() => processor[Symbol.asyncDispose]());

  function start(returnUrl: string | null = RETURN_URL): Promise<FrontEnd> {
    const stripe = clientOf(processor);
    const billing = silentBilling(processor, { price: reader(), portal: new Portal({ stripe, returnUrl }) });
    return startFrontEnd({ overrides: { billing } });
  }

  function reader(price = 'price_lookup'): PriceReader {
    return new PriceReader({ stripe: clientOf(processor), price, isLive: false, logger: capturingLogger().logger });
  }

  function ask(front: FrontEnd, key: string, method: string, path: string): Promise<Response> {
    return fetch(`${front.url}/api/account${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  }

  async function refusal(reply: Promise<Response>): Promise<readonly unknown[]> {
    const response = await reply;
    const { code, detail } = (await response.json()) as { code: string; detail?: string };
    return [response.status, code, ...(detail === undefined ? [] : [detail])];
  }

  it('has a portal for its customer, also while the customer is suspended, and no log has the link', async () => {
    await using front = await start();
    const { key } = await issueKey(front.store, { name: 'a', customer: 'cus_1' });
    await front.store.updateCustomer('cus_1', () => ({
      record: {
        customer: 'cus_1',
        suspendedAt: new Date().toISOString(),
        reason: 'unpaid',
        cause: 'payment',
        resumedAt: null,
      },
      audit: { at: '', actor: '', action: 'suspend', keyId: 'cus_1', detail: '' },
    }));
    const response = await ask(front, key, 'POST', '/portal');
    expect(response.status).to.equal(200);
    expect(response.headers.get('cache-control')).to.equal('no-store');
    const { url } = (await response.json()) as { url: string };
    expect(url).to.equal('https://billing.stripe.com/p/session/test_bps_1');
    expect(processor.portal.sessions).to.deep.equal([{ customer: 'cus_1', returnUrl: RETURN_URL }]);
    expect(JSON.stringify(front.lines)).to.not.contain('billing.stripe.com');
  });

  it('has none without a customer, and says what is wrong', async () => {
    await using front = await start(null);
    expect(await refusal(ask(front, front.key, 'POST', '/portal'))).to.deep.equal([
      ...[409, 'CONFLICT', 'this key has no customer at the payment processor, so there are no invoices'],
    ]);
    const { key } = await issueKey(front.store, { name: 'a', customer: 'cus_gone' });
    expect((await ask(front, key, 'POST', '/portal')).status).to.equal(200);
    expect(processor.portal.sessions.at(-1)!.returnUrl).to.equal(null);
    processor.portal.unknownCustomers.add('cus_gone');
    expect((await refusal(ask(front, key, 'POST', '/portal'))).slice(0, 2)).to.deep.equal([409, 'CONFLICT']);
    processor.portal.unknownCustomers.clear();
    processor.portal.isSetUp = false;
    expect(await refusal(ask(front, key, 'POST', '/portal'))).to.deep.equal([500, 'INTERNAL']);
    const line = await front.loggedLine(({ code }) => code === 'INTERNAL');
    expect(JSON.stringify(line)).to.contain('customer portal settings');
  });

  it('answers 503 while the processor is away, and shows no cost that it does not know', async () => {
    await using front = await start();
    const { key } = await issueKey(front.store, { name: 'a', customer: 'cus_1' });
    await processor[Symbol.asyncDispose]();
    const response = await ask(front, key, 'POST', '/portal');
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '10']);
    const { cost } = (await (await ask(front, key, 'GET', '')).json()) as AccountBody;
    expect(cost).to.deep.equal({ lookups: 0, amount: null, currency: null, perLookup: null, isComplete: true });
    processor = await StripeServer.start();
  });

  it('costs what the price says, for all keys of the customer, and asks for the price once', async () => {
    await using front = await start();
    processor.checkout.prices.set('price_lookup', { ...lookupPrice(), unit_amount: null, unit_amount_decimal: '12.5' });
    const { key } = await issueKey(front.store, { name: 'a', customer: 'cus_1' });
    const { key: second } = await issueKey(front.store, { name: 'b', customer: 'cus_1' });
    for (const one of [key, key, second])
      await front.post({ address: '1 Main St, Toronto, ON' }, { authorization: `Bearer ${one}` });
    for (const one of [key, second]) {
      const { cost } = (await (await ask(front, one, 'GET', '')).json()) as AccountBody;
      expect(cost).to.deep.equal({ lookups: 3, amount: 0.38, currency: 'CAD', perLookup: 0.125, isComplete: true });
    }
    expect(processor.checkout.priceCalls).to.equal(1);
  });

  it('knows no cost of a price with tiers, in packages, or that does not exist', async () => {
    const { prices } = processor.checkout;
    prices.set('tiers', { ...lookupPrice('tiers'), billing_scheme: 'tiered', unit_amount_decimal: null });
    prices.set('packs', { ...lookupPrice('packs'), transform_quantity: { divide_by: 100, round: 'up' } });
    for (const id of ['tiers', 'packs', 'none']) expect(flatPrice(await reader(id).read()), id).to.equal(null);
  });

  it('reckons exactly, by the decimals of the currency', () => {
    expect(costOf({ amount: '10', currency: 'CAD' }, 1_000_003)).to.equal(100_000.3);
    expect(costOf({ amount: '0.5', currency: 'USD' }, 1)).to.equal(0.01);
    expect(costOf({ amount: '0.4', currency: 'USD' }, 1)).to.equal(0);
    expect(costOf({ amount: '0.000000000001', currency: 'USD' }, 999_999_999)).to.equal(0);
    expect(costOf({ amount: '7', currency: 'JPY' }, 3)).to.equal(21);
    expect(costOf({ amount: '120', currency: 'KWD' }, 1)).to.equal(0.12);
    expect(unitCostOf({ amount: '12.5', currency: 'CAD' })).to.equal(0.125);
    expect(unitCostOf({ amount: '0.07', currency: 'CAD' })).to.equal(0.0007);
  });
});
