import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { StripeCheckout } from './stripe-checkout.ts';
import { StripeEvents } from './stripe-events.ts';
import { hostedPage } from './stripe-page.ts';
import { StripePortal } from './stripe-portal.ts';
import { errorReport, type ErrorReportOptions } from './stripe-report.ts';

/** A meter event as the processor took it. */
export interface AcceptedEvent {
  readonly identifier: string;
  /** Of the request that brought it; reports of errors name the event by this. */
  readonly idempotencyKey: string;
  readonly customer: string;
  readonly value: string;
  readonly eventName: string;
  readonly timestamp: number;
}

/**
 * What goes wrong with a call. `lost answer`: the event is taken, the connection ends without an answer; `silent`: taken, and never
 * answered.
 */
export type Fault = 'none' | '500' | '500 after' | '429' | '409' | '401' | 'lost answer' | 'silent' | 'cut before';

/** A meter, as the processor lists it. */
export interface Meter {
  readonly id: string;
  readonly event_name: string;
  readonly status: 'active' | 'inactive';
}

/** Time in which the processor recognises a repeated identifier or idempotency key. */
const RECOGNISED_MS = 24 * 3_600_000;

const DAY_S = 86_400;

/** The payment processor's side of its protocol, on a port of its own: meters here, the rest in the files beside this one. */
export class StripeServer implements AsyncDisposable {
  readonly accepted: AcceptedEvent[] = [];
  /** When each identifier was taken. */
  readonly #identifiers = new Map<string, number>();
  /** Answers that a repeated idempotency key gets again, failures too. */
  readonly #answers = new Map<string, Reply>();
  /** Customers with a call under way; the processor takes one at a time. */
  readonly #busy = new Set<string>();
  readonly #server: Server;
  calls = 0;
  duplicates = 0;
  collisions = 0;
  /** Asked for each call. */
  fault: (call: number) => Fault = () => 'none';
  /** Customers that it does not know. */
  unknownCustomers = new Set<string>();
  meters: readonly Meter[] = [{ id: 'mtr_1', event_name: 'lookup', status: 'active' }];
  /** The processor's clock, in milliseconds. */
  now: () => number = () => Date.now();
  readonly portal = new StripePortal();
  /** Served by `/v2/core/events/:id`. */
  readonly events = new Map<string, unknown>();
  readonly sent = new StripeEvents();
  readonly checkout = new StripeCheckout(
    () => this.url,
    (type, object, livemode) => {
      this.sent.emit(type, object, livemode);
    },
  );

  private constructor() {
    this.#server = createServer((req, res) => void this.#handle(req, res));
  }

  static async start(): Promise<StripeServer> {
    const server = new StripeServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env(): Record<string, string> {
    return { STRIPE_API_KEY: 'sk_test_123', STRIPE_METER_EVENT: 'lookup', STRIPE_API_BASE: this.url };
  }

  /** Settings of sign-ups with this processor. */
  get signupEnv(): Record<string, string> {
    const prices = { SIGNUP: 'stripe', STRIPE_PRICE: 'price_lookup', TERMS_URL: 'https://terms.example/' };
    return { ...this.env, ...prices, STRIPE_WEBHOOK_SECRET: this.sent.secret };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sent.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', this.url);
    const body = new URLSearchParams(await text(req));
    const method = req.method ?? 'GET';
    const page = hostedPage(this.checkout, { method, path: url.pathname, body });
    if (page) {
      const location = page.location === undefined ? {} : { location: page.location };
      res.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8', ...location }).end(page.html);
      return;
    }
    const reply = this.#replyTo(url, body, { req, res });
    if (reply === 'cut') res.destroy();
    if (typeof reply === 'string') return;
    const [status, answer, headers = {}] = reply;
    res.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
    res.end(JSON.stringify(answer));
  }

  #replyTo({ pathname, searchParams }: URL, body: URLSearchParams, { req, res }: Exchange): Reply {
    if (pathname === '/v1/billing/meter_events') {
      return this.#meterEvent(res, body, String(req.headers['idempotency-key'] ?? ''));
    }
    if (pathname === '/v1/billing/meters') return [200, this.#listMeters(searchParams.get('status'))];
    const meter = /^\/v1\/billing\/meters\/(\w+)\/event_summaries$/.exec(pathname)?.[1];
    if (meter !== undefined) return [200, list(this.#summaries(meter, searchParams))];
    const ofCheckout = this.checkout.reply({
      ...{ method: req.method ?? 'GET', path: pathname, query: searchParams, body },
      idempotencyKey: String(req.headers['idempotency-key'] ?? ''),
    });
    if (ofCheckout) return ofCheckout;
    const portal = this.portal.replyTo(req.method ?? '', pathname, body);
    if (portal) return portal;
    const event = this.events.get(pathname.replace('/v2/core/events/', ''));
    return event === undefined ? [404, failure(`Unrecognized request URL ${pathname}`)] : [200, event];
  }

  /** Events of one customer and meter by UTC day. */
  #summaries(meter: string, query: URLSearchParams): object[] {
    const eventName = this.meters.find(({ id }) => id === meter)?.event_name;
    const [from, to] = [Number(query.get('start_time')), Number(query.get('end_time'))];
    const own = this.accepted.filter(
      (event) => event.customer === query.get('customer') && event.eventName === eventName,
    );
    return Array.from({ length: Math.ceil((to - from) / DAY_S) }, (_, i) => {
      const [start_time, end_time] = [from + i * DAY_S, from + (i + 1) * DAY_S];
      const ofDay = own.filter(({ timestamp }) => timestamp >= start_time && timestamp < end_time);
      return { id: `s${start_time}`, aggregated_value: ofDay.length, start_time, end_time, meter };
    });
  }

  #listMeters(status: string | null): object {
    return list(this.meters.filter((meter) => status === null || meter.status === status));
  }

  #meterEvent(res: ServerResponse, body: URLSearchParams, idempotencyKey: string): Reply {
    const fault = this.fault(this.calls++);
    const customer = body.get('payload[stripe_customer_id]') ?? '';
    if (this.#busy.has(customer)) {
      this.collisions++;
      return [429, failure('Too many concurrent requests for this customer')];
    }
    this.#busy.add(customer);
    res.on('close', () => this.#busy.delete(customer));
    const before = REFUSALS[fault];
    if (before) return before;
    const known = this.#answers.get(idempotencyKey);
    if (known) return known;
    const refusal = this.#refusalOf(body) ?? this.#take(body, idempotencyKey);
    // A refusal is not kept under the key, because nothing was begun.
    const answer: Reply =
      refusal !== null ? [400, failure(refusal), { 'stripe-should-retry': 'false' }] : (AFTER[fault] ?? accepted(body));
    if (refusal === null && idempotencyKey !== '') this.#answers.set(idempotencyKey, answer);
    return UNANSWERED[fault] ?? AFTER[fault] ?? answer;
  }

  /** What is wrong with an event by itself, or null. */
  #refusalOf(body: URLSearchParams): string | null {
    const eventName = body.get('event_name') ?? '';
    const timestamp = Number(body.get('timestamp'));
    const customer = body.get('payload[stripe_customer_id]') ?? '';
    const nowS = Math.floor(this.now() / 1000);
    if (!this.meters.some(({ event_name, status }) => event_name === eventName && status === 'active')) {
      return `No active meter found for event name ${eventName}.`;
    }
    if (this.unknownCustomers.has(customer)) return `No such customer: '${customer}'`;
    if (timestamp > nowS + 300) return 'The event timestamp cannot be more than 5 minutes in the future.';
    if (timestamp < nowS - 35 * DAY_S) return 'The event timestamp cannot be more than 35 days in past.';
    return null;
  }

  /** Takes an event, or gives why not. */
  #take(body: URLSearchParams, idempotencyKey: string): string | null {
    const identifier = body.get('identifier') ?? '';
    const takenMs = this.#identifiers.get(identifier);
    if (takenMs !== undefined && this.now() - takenMs < RECOGNISED_MS) {
      this.duplicates++;
      return `An event already exists with identifier ${identifier}.`;
    }
    this.#identifiers.set(identifier, this.now());
    this.accepted.push({
      ...{ identifier, idempotencyKey },
      customer: body.get('payload[stripe_customer_id]') ?? '',
      value: body.get('payload[value]') ?? '',
      eventName: body.get('event_name') ?? '',
      timestamp: Number(body.get('timestamp')),
    });
    return null;
  }

  /**
   * Finds later that it cannot use accepted events: takes them out of its sums, and serves the report. Gives the notification that it
   * sends to the event destination.
   */
  reportError(id: string, events: readonly AcceptedEvent[], options: ErrorReportOptions): string {
    for (const event of events) this.accepted.splice(this.accepted.indexOf(event), 1);
    const { notification, event } = errorReport(id, events, options);
    this.events.set(id, event);
    return JSON.stringify(notification);
  }
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

type Reply = 'cut' | 'silent' | readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

/** Before the event is taken. */
const REFUSALS: Readonly<Partial<Record<Fault, Reply>>> = {
  '500': [500, failure('Internal')],
  '401': [401, failure('Invalid API Key provided')],
  '409': [409, failure('Conflict')],
  '429': [429, failure('Too many requests'), { 'retry-after': '1' }],
  'cut before': 'cut',
};

/** The answer after an event was taken. */
const AFTER: Readonly<Partial<Record<Fault, Reply>>> = { '500 after': [500, failure('Internal')] };

const UNANSWERED: Readonly<Partial<Record<Fault, Reply>>> = { 'lost answer': 'cut', silent: 'silent' };

function accepted(body: URLSearchParams): Reply {
  return [200, { object: 'billing.meter_event', identifier: body.get('identifier') }];
}

function failure(message: string): object {
  return { error: { type: 'invalid_request_error', message } };
}

function list(data: readonly object[]): object {
  return { object: 'list', data, has_more: false };
}
