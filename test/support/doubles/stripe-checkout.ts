/** The payment processor's side of prices, checkout sessions, customers, subscriptions and invoices. */
import { randomBytes } from 'node:crypto';
import {
  lookupPrice,
  type CustomerObject,
  type InvoiceObject,
  type PriceObject,
  type SessionObject,
  type SubscriptionObject,
} from './stripe-objects.ts';

/**
 * What goes wrong with a call. `500 after` and `lost answer`: it is done, and the answer is 500 or none; `silent`: done, and never answered;
 * `500` and `cut before`: it is not done.
 */
export type CallFault = 'none' | '500' | '500 after' | '429' | 'lost answer' | 'silent' | 'cut before';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: URLSearchParams;
  readonly idempotencyKey: string;
}

export type CallReply = 'cut' | 'silent' | readonly [status: number, body: unknown];

/** Sends an event about an object, as it is at that moment. */
export type Emit = (type: string, object: object, livemode: boolean) => void;

const MINUTE_S = 60;

export class StripeCheckout {
  readonly prices = new Map<string, PriceObject>([['price_lookup', lookupPrice()]]);
  /** Times that a price was asked for. */
  priceCalls = 0;
  readonly sessions = new Map<string, SessionObject>();
  readonly customers = new Map<string, CustomerObject>();
  readonly subscriptions = new Map<string, SubscriptionObject>();
  readonly invoices = new Map<string, InvoiceObject>();
  /** Asked for each call. */
  fault: (call: Call) => CallFault = () => 'none';
  livemode = false;
  /** A payment method that is confirmed later leaves a filled session unpaid. */
  isDelayed = false;
  readonly #answers = new Map<string, { readonly asked: string; readonly reply: CallReply }>();
  readonly #emit: Emit;
  readonly #url: () => string;

  constructor(url: () => string, emit: Emit) {
    this.#url = url;
    this.#emit = emit;
  }

  /** Null: the path is another's. */
  reply(call: Call): CallReply | null {
    const handler = routes.find(({ method, path }) => method === call.method && path.test(call.path));
    if (!handler) return null;
    const fault = this.fault(call);
    if (fault === '500') return [500, failure('Internal', 'api_error')];
    if (fault === '429') return [429, failure('Too many requests', 'rate_limit_error')];
    if (fault === 'cut before') return 'cut';
    const answer = this.#once(call, () => {
      const id = handler.path.exec(call.path)?.[1] ?? '';
      const reply = handler.answer(this, id, call);
      return fault === '500 after' ? ([500, failure('Internal', 'api_error')] as const) : reply;
    });
    if (fault === 'lost answer') return 'cut';
    return fault === 'silent' ? 'silent' : answer;
  }

  /** A repeated idempotency key gets the first answer again, failures too; with other parameters it is refused. */
  #once(call: Call, work: () => CallReply): CallReply {
    const { method, idempotencyKey, body, path } = call;
    if (method !== 'POST' || idempotencyKey === '') return work();
    const asked = `${path}?${body.toString()}`;
    const known = this.#answers.get(idempotencyKey);
    if (known && known.asked !== asked) {
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.';
      return [400, failure(message, 'idempotency_error')];
    }
    const reply = known?.reply ?? work();
    this.#answers.set(idempotencyKey, { asked, reply });
    return reply;
  }

  createSession(body: URLSearchParams): CallReply {
    const price = this.prices.get(body.get('line_items[0][price]') ?? '');
    if (!price) return [400, missing('price', body.get('line_items[0][price]') ?? '')];
    if (price.recurring?.usage_type === 'metered' && body.has('line_items[0][quantity]'))
      return [400, failure('Quantity should not be specified where usage_type is `metered`.')];
    return this.#newSession(body, price);
  }

  #newSession(body: URLSearchParams, price: PriceObject): CallReply {
    const nowS = Math.floor(Date.now() / 1000);
    const expires_at = Number(body.get('expires_at') ?? nowS + 24 * 60 * MINUTE_S);
    if (expires_at < nowS + 30 * MINUTE_S || expires_at > nowS + 24 * 60 * MINUTE_S)
      return [
        400,
        failure(
          'The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.',
        ),
      ];
    const id = `cs_${this.livemode ? 'live' : 'test'}_${randomBytes(24).toString('hex')}`;
    const session: SessionObject = {
      ...{ id, object: 'checkout.session', livemode: this.livemode, created: nowS, expires_at, price: price.id },
      cancel_url: body.get('cancel_url') ?? '',
      success_url: body.get('success_url') ?? '',
      custom_text: { submit: { message: body.get('custom_text[submit][message]') ?? '' } },
      client_reference_id: body.get('client_reference_id'),
      ...{ customer: null, subscription: null, metadata: metadataOf(body, 'metadata') },
      mode: body.get('mode') ?? 'payment',
      payment_method_collection: body.get('payment_method_collection') ?? 'always',
      ...{ payment_status: 'unpaid', status: 'open', url: `${this.#url()}/c/pay/${id}` },
    };
    this.sessions.set(id, session);
    return [200, shown(session)];
  }

  retrieveSession(id: string, query: URLSearchParams): CallReply {
    const session = this.sessions.get(id);
    if (!session) return [404, missing('checkout.session', id)];
    this.#expire(session);
    const expands = query.toString();
    const customer = this.customers.get(session.customer ?? '') ?? null;
    const subscription = this.subscriptions.get(session.subscription ?? '') ?? null;
    return [
      200,
      {
        ...shown(session),
        ...(expands.includes('=customer') ? { customer } : {}),
        ...(expands.includes('=subscription') ? { subscription } : {}),
      },
    ];
  }

  /** What happens when somebody fills the hosted page. @returns where the browser goes; null when the session takes nothing more. */
  complete(id: string, email: string): string | null {
    const session = this.sessions.get(id);
    if (!session || this.#expire(session).status !== 'open') return null;
    const customer: CustomerObject = {
      ...{ id: `cus_${randomBytes(7).toString('hex')}`, object: 'customer', email, livemode: session.livemode },
      ...{ default_source: null, invoice_settings: { default_payment_method: null } },
    };
    const subscription: SubscriptionObject = {
      ...{ id: `sub_${randomBytes(9).toString('hex')}`, object: 'subscription', customer: customer.id },
      ...{ created: Math.floor(Date.now() / 1000), livemode: session.livemode, metadata: session.metadata },
      ...{ default_payment_method: `pm_${randomBytes(6).toString('hex')}`, default_source: null, status: 'active' },
      items: { object: 'list', has_more: false, data: [{ id: 'si_1', price: this.prices.get(session.price)! }] },
      cancellation_details: null,
    };
    this.customers.set(customer.id, customer);
    this.subscriptions.set(subscription.id, subscription);
    Object.assign(session, { status: 'complete', url: null, customer: customer.id, subscription: subscription.id });
    session.payment_status = this.isDelayed ? 'unpaid' : 'paid';
    this.#emit('customer.created', customer, session.livemode);
    this.#emit('customer.subscription.created', subscription, session.livemode);
    this.#emit('checkout.session.completed', shown(session), session.livemode);
    return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', id);
  }

  /** The delayed payment method was confirmed. */
  confirm(id: string): void {
    const session = this.sessions.get(id)!;
    session.payment_status = 'paid';
    this.#emit('checkout.session.async_payment_succeeded', shown(session), session.livemode);
  }

  /** Puts a subscription into a state, as time, the dashboard or a card would. */
  setStatus(id: string, status: string): void {
    const subscription = this.subscriptions.get(id)!;
    subscription.status = status;
    const type = { canceled: 'deleted', paused: 'paused' }[status] ?? 'updated';
    this.#emit(`customer.subscription.${type}`, subscription, subscription.livemode);
  }

  /** A bill that could not be collected. */
  openInvoice(subscription: SubscriptionObject, createdS: number): void {
    const id = `in_${randomBytes(6).toString('hex')}`;
    const { customer } = subscription;
    const invoice: InvoiceObject = {
      ...{ id, object: 'invoice', customer, subscription: subscription.id },
      ...{ status: 'open', created: createdS },
    };
    this.invoices.set(id, invoice);
    this.#emit('invoice.payment_failed', invoice, subscription.livemode);
  }

  /** Also cancels what the customer subscribes to. */
  deleteCustomer(id: string): void {
    const customer = this.customers.get(id)!;
    for (const own of this.subscriptions.values()) if (own.customer === id) this.setStatus(own.id, 'canceled');
    customer.deleted = true;
    this.#emit('customer.deleted', customer, customer.livemode);
  }

  cancel(id: string, query: URLSearchParams): CallReply {
    const subscription = this.subscriptions.get(id);
    if (!subscription || subscription.status === 'canceled') return [404, missing('subscription', id)];
    subscription.cancellation_details = { comment: query.get('cancellation_details[comment]') };
    this.setStatus(id, 'canceled');
    return [200, subscription];
  }

  listSubscriptions(query: URLSearchParams): CallReply {
    const customer = query.get('customer');
    if (customer !== null && this.customers.get(customer)?.deleted !== undefined)
      return [404, missing('customer', customer)];
    const status = query.get('status');
    const all = [...this.subscriptions.values()]
      .reverse()
      .filter(
        (one) =>
          (customer === null || one.customer === customer) &&
          one.items.data.some(({ price }) => query.get('price') === null || price.id === query.get('price')) &&
          (status === 'all' || (status === null ? one.status !== 'canceled' : one.status === status)),
      );
    return [200, page(all, query)];
  }

  listInvoices(query: URLSearchParams): CallReply {
    const own = [...this.invoices.values()].filter(
      ({ subscription, status }) => subscription === query.get('subscription') && status === query.get('status'),
    );
    return [200, page(own, query)];
  }

  retrievePrice(id: string): CallReply {
    this.priceCalls++;
    const price = this.prices.get(id);
    return price ? [200, price] : [404, missing('price', id)];
  }

  retrieveCustomer(id: string): CallReply {
    const customer = this.customers.get(id);
    if (!customer) return [404, missing('customer', id)];
    return [200, customer.deleted ? { id, object: 'customer', deleted: true } : customer];
  }

  #expire(session: SessionObject): SessionObject {
    if (session.status === 'open' && Date.now() / 1000 > session.expires_at) {
      Object.assign(session, { status: 'expired', url: null });
      this.#emit('checkout.session.expired', shown(session), session.livemode);
    }
    return session;
  }
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (side: StripeCheckout, id: string, call: Call) => CallReply;
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/checkout\/sessions$/, answer: (side, _id, { body }) => side.createSession(body) },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/(\w+)$/,
    answer: (side, id, { query }) => side.retrieveSession(id, query),
  },
  {
    method: 'GET',
    path: /^\/v1\/prices\/(\w+)$/,
    answer: (side, id) => side.retrievePrice(id),
  },
  { method: 'GET', path: /^\/v1\/customers\/(\w+)$/, answer: (side, id) => side.retrieveCustomer(id) },
  { method: 'GET', path: /^\/v1\/subscriptions$/, answer: (side, _id, { query }) => side.listSubscriptions(query) },
  { method: 'DELETE', path: /^\/v1\/subscriptions\/(\w+)$/, answer: (side, id, { query }) => side.cancel(id, query) },
  { method: 'GET', path: /^\/v1\/invoices$/, answer: (side, _id, { query }) => side.listInvoices(query) },
];

/** Without what only the stand-in knows. */
function shown(session: SessionObject): object {
  return { ...session, price: undefined };
}

function page(all: readonly { readonly id: string }[], query: URLSearchParams): object {
  const after = query.get('starting_after');
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const limit = Number(query.get('limit') ?? 10);
  return { object: 'list', data: all.slice(start, start + limit), has_more: all.length > start + limit, url: '/v1/x' };
}

function metadataOf(body: URLSearchParams, name: string): Record<string, string> {
  const found = [...body].flatMap(([key, value]): [string, string][] => {
    const member = new RegExp(`^${name}\\[(\\w+)\\]$`).exec(key)?.[1];
    return member === undefined ? [] : [[member, value]];
  });
  return Object.fromEntries(found);
}

function missing(object: string, id: string): object {
  return { error: { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${object}: '${id}'` } };
}

function failure(message: string, type = 'invalid_request_error'): object {
  return { error: { type, message } };
}
