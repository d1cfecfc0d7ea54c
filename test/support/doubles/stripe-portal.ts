/**
 * The processor's billing portal, by the reference of its API: `POST /v1/billing_portal/sessions`.
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

  /** Null: the request is for something else. */
  replyTo(method: string, pathname: string, body: URLSearchParams): PortalReply | null {
    if (method === 'POST' && pathname === '/v1/billing_portal/sessions') return this.#makeSession(body);
    return null;
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
}

function refusal(message: string, more: Readonly<Record<string, string>>): PortalReply {
  return [400, { error: { type: 'invalid_request_error', message, ...more } }];
}
