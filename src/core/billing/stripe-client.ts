import Stripe from 'stripe';
import type { BillingConfig } from '../settings/setting-groups.ts';
import { stripeHttpClient } from './stripe-http.ts';

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
