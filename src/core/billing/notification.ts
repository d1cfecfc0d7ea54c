import type Stripe from 'stripe';

export interface SignedBody {
  readonly body: Buffer;
  readonly signature: string;
  /** One secret, or several with commas between them: each destination of the processor has its own. */
  readonly secret: string;
}

/** What the processor sends: the notification of an event of version 2, which only points to it, or an event of version 1 as it was. */
export type Told = { readonly notification: Stripe.V2.Core.EventNotification } | { readonly event: Stripe.Event };

/** Reads what the processor sent; null when nothing of ours signed it, or its signature is old. */
export function readNotification(stripe: Stripe, { body, signature, secret }: SignedBody): Told | null {
  for (const one of secret.split(',')) {
    try {
      return read(stripe, body, signature, one.trim());
    } catch {
      // The next secret may have signed it.
    }
  }
  return null;
}

/** @throws Error when this secret did not sign it, or it is nothing of the processor. */
function read(stripe: Stripe, body: Buffer, signature: string, secret: string): Told {
  // The package has a function for each of the two, which refuses the other.
  const { object } = JSON.parse(body.toString()) as { readonly object?: string };
  if (object === 'event') return { event: stripe.webhooks.constructEvent(body, signature, secret) };
  return { notification: stripe.parseEventNotification(body, signature, secret) };
}
