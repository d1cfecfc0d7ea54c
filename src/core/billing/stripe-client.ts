import Stripe from 'stripe';
import type { BillingConfig } from '../settings/setting-groups.ts';
import { readBody, send } from '../outbound/client.ts';
import { AppError, unavailable } from '../../messages/problems.ts';

/** Longest time of a call as a whole: less than the time that a service has to stop (STOP_TIMES). */
const TIMEOUT_MS = 8000;

/**
 * Makes a client of the payment processor that repeats nothing: the reporter knows what may be repeated, and until
 * when.
 */
export function createStripe({ apiKey, apiBase }: Pick<BillingConfig, 'apiKey' | 'apiBase'>): Stripe {
  return new Stripe(apiKey, {
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    httpClient: stripeHttpClient(),
    ...(apiBase === null ? {} : addressOf(new URL(apiBase))),
  });
}

function addressOf({ protocol, hostname, port }: URL): { protocol: 'http' | 'https'; host: string; port: string } {
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? '80' : '443') };
}

type StripeConfig = NonNullable<ConstructorParameters<typeof Stripe>[1]>;
type HttpClient = NonNullable<StripeConfig['httpClient']>;
type HttpResponse = Awaited<ReturnType<HttpClient['makeRequest']>>;

/** Longest answer of the processor: a page of 100 sums has some 30 kB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Sends the requests of the `stripe` package through the one HTTP client. The package's own client has a limit for each silence only, and
 * its requests are sent a second time when the connection breaks, whatever `maxNetworkRetries` says. It recognises such a failure by its
 * `code` (RequestSender._shouldRetry, 23.1.0), and failures of our client have none: docs/decisions/0023.
 */
function stripeHttpClient(): HttpClient {
  return {
    getClientName: () => 'land-lookup',
    makeRequest: async (...[host, port, path, method, headers, requestData, protocol, timeoutMs]) => {
      const answer = await send({
        url: `${protocol}://${host}:${port}${path}`,
        method,
        headers: namedOnce(headers),
        ...(requestData === '' ? {} : { body: requestData }),
        idleMs: timeoutMs,
        deadlineMs: timeoutMs,
        redirect: 'error',
      });
      const text = (await readBody(answer, MAX_ANSWER_BYTES)).toString();
      return response(answer.status, Object.fromEntries(answer.headers.entries()), text);
    },
  };
}

/** Names in small letters, so that ours do not stand beside the package's; the client counts the length itself. */
function namedOnce(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return Object.fromEntries(all.filter(([name]) => name !== 'content-length'));
}

function response(status: number, headers: Record<string, string>, text: string): HttpResponse {
  return {
    getStatusCode: () => status,
    getHeaders: () => headers,
    getRawResponse: () => ({ headers, statusCode: status }),
    toStream: () => {
      throw new Error('no request of this service asks for a stream');
    },
    // In an executor, so that an answer that is not JSON rejects.
    toJSON: () =>
      new Promise((resolve) => {
        resolve(JSON.parse(text));
      }),
  };
}

interface PortalOptions {
  readonly stripe: Pick<Stripe, 'billingPortal'>;
  readonly returnUrl?: string | null;
}

/** Links to the processor's billing portal: invoices, payment methods, cancelling. */
export class Portal {
  readonly #stripe: PortalOptions['stripe'];
  /** Where the portal's link back leads; null: as the processor's settings say. What has such a page sets it. */
  returnUrl: string | null;

  constructor({ stripe, returnUrl = null }: PortalOptions) {
    this.#stripe = stripe;
    this.returnUrl = returnUrl;
  }

  /**
   * Returns a link for a customer. Whoever has it is in the portal, so it belongs into no log.
   * @throws AppError CONFLICT when the processor does not know the customer; DB_ERROR when it does not answer; INTERNAL when it refuses, for
   * example because the portal is not set up there.
   */
  async linkFor(customer: string): Promise<string> {
    const { returnUrl } = this;
    try {
      const { url } = await this.#stripe.billingPortal.sessions.create({
        customer,
        ...(returnUrl === null ? {} : { return_url: returnUrl }),
      });
      return url;
    } catch (cause) {
      throw failureOf(cause);
    }
  }
}

function failureOf(cause: unknown): AppError {
  if (!(cause instanceof Stripe.errors.StripeError)) return AppError.from(cause);
  const { code, param, statusCode } = cause;
  if (code === 'resource_missing' && (param ?? 'customer') === 'customer') {
    return new AppError('CONFLICT', 'the payment processor does not know this customer: contact the operator', {
      cause,
    });
  }
  if (statusCode === undefined || statusCode === 429 || statusCode >= 500) {
    return unavailable('PROCESSOR_UNREACHABLE', 'the payment processor does not answer', { cause });
  }
  return new AppError('INTERNAL', 'the payment processor makes no link to its billing portal', { cause });
}
