import Stripe from 'stripe';
import type { BillingConfig } from '../../config.ts';

/** Below the time that a stopping service has. */
const TIMEOUT_MS = 8000;

/** A client of the payment processor. Repetition is the reporter's: it knows what may be repeated, and until when. */
export function createStripe({ apiKey, apiBase }: Pick<BillingConfig, 'apiKey' | 'apiBase'>): Stripe {
  return new Stripe(apiKey, {
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    ...(apiBase === null ? {} : addressOf(new URL(apiBase))),
  });
}

function addressOf({ protocol, hostname, port }: URL): { protocol: 'http' | 'https'; host: string; port: string } {
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? '80' : '443') };
}
