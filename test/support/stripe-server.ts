import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A meter event as the processor took it. */
export interface AcceptedEvent {
  readonly identifier: string;
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

/** The payment processor's side of its protocol, as far as meters go, on a port of its own. */
export class StripeServer implements AsyncDisposable {
  readonly accepted: AcceptedEvent[] = [];
  readonly #identifiers = new Set<string>();
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
  /** Served by `/v2/core/events/:id`. */
  readonly events = new Map<string, unknown>();

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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', this.url);
    const reply = this.#replyTo(url, new URLSearchParams(await text(req)), res);
    if (reply === 'cut') res.destroy();
    if (typeof reply === 'string') return;
    const [status, body, headers = {}] = reply;
    res.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
    res.end(JSON.stringify(body));
  }

  #replyTo({ pathname, searchParams }: URL, body: URLSearchParams, res: ServerResponse): Reply {
    if (pathname === '/v1/billing/meter_events') return this.#meterEvent(res, body);
    if (pathname === '/v1/billing/meters') return [200, list([{ id: 'mtr_1', event_name: 'lookup' }])];
    if (pathname === '/v1/billing/meters/mtr_1/event_summaries') return [200, this.#summaries(searchParams)];
    const event = this.events.get(pathname.replace('/v2/core/events/', ''));
    return event === undefined ? [404, failure(`Unrecognized request URL ${pathname}`)] : [200, event];
  }

  #meterEvent(res: ServerResponse, body: URLSearchParams): Reply {
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
    const refusal = this.#take(body, customer);
    if (fault === 'lost answer') return 'cut';
    if (fault === 'silent') return 'silent';
    if (fault === '500 after') return [500, failure('Internal')];
    if (refusal !== null) return [400, failure(refusal), { 'stripe-should-retry': 'false' }];
    return [200, { object: 'billing.meter_event', identifier: body.get('identifier') }];
  }

  /** Gives why not, or null. */
  #take(body: URLSearchParams, customer: string): string | null {
    const identifier = body.get('identifier') ?? '';
    const timestamp = Number(body.get('timestamp'));
    if (this.unknownCustomers.has(customer)) return `No such customer: '${customer}'`;
    if (Math.abs(Date.now() / 1000 - timestamp) > 35 * 86_400) return 'The timestamp is too far in the past';
    if (this.#identifiers.has(identifier)) {
      this.duplicates++;
      return `An event already exists with identifier ${identifier}.`;
    }
    this.#identifiers.add(identifier);
    const value = body.get('payload[value]') ?? '';
    this.accepted.push({ identifier, customer, value, eventName: body.get('event_name') ?? '', timestamp });
    return null;
  }

  #summaries(query: URLSearchParams): object {
    const [from, to] = [Number(query.get('start_time')), Number(query.get('end_time'))];
    const days = [];
    for (let day = from; day < to; day += 86_400) {
      const ofDay = this.accepted.filter(
        ({ customer, timestamp }) => customer === query.get('customer') && timestamp >= day && timestamp < day + 86_400,
      );
      days.push({
        id: `s${day}`,
        aggregated_value: ofDay.length,
        start_time: day,
        end_time: day + 86_400,
        meter: 'mtr_1',
      });
    }
    return list(days);
  }
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

function failure(message: string): object {
  return { error: { type: 'invalid_request_error', message } };
}

function list(data: readonly object[]): object {
  return { object: 'list', data, has_more: false };
}
