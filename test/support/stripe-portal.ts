/**
 * The processor's billing portal and its prices, by the reference of its API: `POST /v1/billing_portal/sessions` and `GET /v1/prices/:id`.
 * Behaviour that is known: a customer that does not exist gets 400 `resource_missing` with the parameter's name, and a portal that nobody set up
 * in the dashboard gets 400 without a code.
 */

type PortalReply = readonly [status: number, body: unknown];

export interface PortalSession {
  readonly customer: string;
  readonly returnUrl: string | null;
}

export class StripePortal {
  /** Links that were made. */
  readonly sessions: PortalSession[] = [];
  readonly unknownCustomers = new Set<string>();
  /** False: nobody has saved the portal's settings in the dashboard. */
  isSetUp = true;
  /** By their ids. */
  readonly prices = new Map<string, object>([['price_1', price('price_1', { unit_amount_decimal: '10' })]]);
  /** Times that a price was asked for. */
  priceCalls = 0;

  /** Null: the request is for something else. */
  replyTo(method: string, pathname: string, body: URLSearchParams): PortalReply | null {
    if (method === 'POST' && pathname === '/v1/billing_portal/sessions') return this.#makeSession(body);
    const id = /^\/v1\/prices\/(\w+)$/.exec(pathname)?.[1];
    return method === 'GET' && id !== undefined ? this.#price(id) : null;
  }

  #makeSession(body: URLSearchParams): PortalReply {
    const customer = body.get('customer');
    const returnUrl = body.get('return_url');
    if (customer === null) return refusal('Missing required param: customer.', { param: 'customer' });
    if (this.unknownCustomers.has(customer)) {
      return refusal(`No such customer: '${customer}'`, { code: 'resource_missing', param: 'customer' });
    }
    if (!this.isSetUp) {
      return refusal(
        'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.',
        {},
      );
    }
    this.sessions.push({ customer, returnUrl });
    const id = `bps_${this.sessions.length}`;
    return [
      200,
      {
        ...{ id, object: 'billing_portal.session', configuration: 'bpc_1', created: Math.floor(Date.now() / 1000) },
        ...{ customer, customer_account: null, flow: null, livemode: false, locale: null, on_behalf_of: null },
        ...{ return_url: returnUrl, url: `https://billing.stripe.com/p/session/test_${id}` },
      },
    ];
  }

  #price(id: string): PortalReply {
    this.priceCalls++;
    const found = this.prices.get(id);
    if (found) return [200, found];
    const error = {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such price: '${id}'`,
      param: 'price',
    };
    return [404, { error }];
  }
}

/** A metered price, as the processor sends it. */
export function price(id: string, values: Readonly<Record<string, unknown>> = {}): object {
  return {
    ...{ id, object: 'price', active: true, billing_scheme: 'per_unit', created: 1_790_000_000, currency: 'cad' },
    ...{ custom_unit_amount: null, livemode: false, lookup_key: null, metadata: {}, nickname: null },
    ...{ product: 'prod_1', tax_behavior: 'unspecified', tiers_mode: null, transform_quantity: null },
    recurring: { interval: 'month', interval_count: 1, meter: 'mtr_1', trial_period_days: null, usage_type: 'metered' },
    ...{ type: 'recurring', unit_amount: 10, unit_amount_decimal: '10', ...values },
  };
}

function refusal(message: string, more: Readonly<Record<string, string>>): PortalReply {
  return [400, { error: { type: 'invalid_request_error', message, ...more } }];
}
