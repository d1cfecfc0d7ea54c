/** What a sign-up asks of the payment processor. */
import Stripe from 'stripe';
import type { SignupRecord } from '../../core/keys/key-store.ts';

/** Time that a browser has to fill the processor's page. The processor takes 30 minutes to 24 hours. */
export const SESSION_MS = 3_600_000;

/** Names a sign-up in the processor's objects. */
const METADATA = 'land_lookup_signup';

/** Stands at the button of the processor's page, which anybody could have sent to anybody. */
const WARNING =
  'The key goes to the browser in which you began to sign up. If somebody sent you a link to this page, close it. ' +
  'La clé va au navigateur où vous avez commencé. Si quelqu’un vous a envoyé un lien vers cette page, fermez-la.';

/** What a session says about a sign-up. */
export type Verdict =
  | { readonly state: 'open'; readonly url: string }
  /** Filled, but the payment method is not confirmed yet. */
  | { readonly state: 'processing' }
  | { readonly state: 'expired' }
  | { readonly state: 'paid'; readonly customer: string; readonly subscription: string }
  /** Filled, and not what was asked for. */
  | {
      readonly state: 'unusable';
      readonly reason: string;
      readonly customer: string | null;
      readonly subscription: string | null;
    };

export interface CheckoutOptions {
  readonly stripe: Pick<Stripe, 'checkout' | 'subscriptions'>;
  readonly isLive: boolean;
  /** Address of the service for browsers, without a slash at its end. */
  readonly origin: () => string;
}

/**
 * Asks for a session: a subscription to the price, with a payment method, and nothing due now. The same attempt of a sign-up gets the same session.
 * The session's id is not in the address of the return: the browser's cookie leads to the sign-up, and the sign-up to the session. The sign-up's id
 * is, so that a browser without the cookie is noticed (docs/decisions/0140).
 */
export async function createSession(
  { stripe, isLive, origin }: CheckoutOptions,
  { id, attempt, price, changedAt }: SignupRecord,
): Promise<{ readonly id: string; readonly url: string }> {
  const metadata = { [METADATA]: id };
  const session = await stripe.checkout.sessions.create(
    {
      ...{ mode: 'subscription', client_reference_id: id, metadata, subscription_data: { metadata } },
      // Without a quantity, which a price by usage does not take.
      line_items: [{ price }],
      payment_method_collection: 'always',
      success_url: `${origin()}/signup/done?of=${id}`,
      cancel_url: `${origin()}/signup`,
      custom_text: { submit: { message: WARNING } },
      // From the record, because a repetition must ask for exactly the same.
      expires_at: Math.floor((Date.parse(changedAt) + SESSION_MS) / 1000),
    },
    { idempotencyKey: `${id}-${attempt}` },
  );
  if (session.livemode !== isLive) throw new Error(modeFault(session.livemode));
  return { id: session.id, url: checkedUrl(session.url) };
}

/** Reads what the processor says of a sign-up's session now. */
export async function readSession(options: CheckoutOptions, record: SignupRecord): Promise<Verdict> {
  const session = await options.stripe.checkout.sessions.retrieve(record.sessionId!, {
    expand: ['subscription', 'customer'],
  });
  return verdictOf(session, record, options.isLive);
}

function verdictOf(session: Stripe.Checkout.Session, record: SignupRecord, isLive: boolean): Verdict {
  if (session.status === 'expired') return { state: 'expired' };
  if (session.status === 'open') return { state: 'open', url: checkedUrl(session.url) };
  const customer = idOf(session.customer);
  const subscription = idOf(session.subscription);
  const fault = faultOf(session, record, isLive);
  if (fault !== null) return { state: 'unusable', reason: fault, customer, subscription };
  if (session.payment_status === 'unpaid') return { state: 'processing' };
  if (customer === null || subscription === null) return { state: 'processing' };
  return { state: 'paid', customer, subscription };
}

/** Why a session that was filled leads to no key; null: it does. */
function faultOf(session: Stripe.Checkout.Session, record: SignupRecord, isLive: boolean): string | null {
  if (session.livemode !== isLive) return modeFault(session.livemode);
  if (session.client_reference_id !== record.id) return 'the session is of another sign-up';
  if (session.mode !== 'subscription') return `the session is a ${session.mode}`;
  const { subscription } = session;
  if (subscription === null || typeof subscription === 'string') return null;
  if (!subscription.items.data.some(({ price }) => price.id === record.price))
    return 'the subscription has another price';
  if (ENDED.has(subscription.status)) return `the subscription is ${subscription.status}`;
  return hasPaymentMethod(session, subscription) ? null : 'there is no payment method';
}

const ENDED: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired', 'unpaid', 'paused']);

function hasPaymentMethod({ customer }: Stripe.Checkout.Session, subscription: Stripe.Subscription): boolean {
  if (subscription.default_payment_method ?? subscription.default_source) return true;
  if (customer === null || typeof customer === 'string' || customer.deleted) return false;
  return Boolean(customer.invoice_settings.default_payment_method ?? customer.default_source);
}

/** Cancels a subscription with nothing used, so that nothing is ever billed. One that is gone already is no failure. */
export async function cancelSubscription(
  { stripe }: Pick<CheckoutOptions, 'stripe'>,
  subscription: string,
  comment: string,
): Promise<void> {
  await stripe.subscriptions.cancel(subscription, { cancellation_details: { comment } }).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause;
  });
}

/** Says whether the processor does not have what was asked for. It says so of a subscription that was cancelled before, too. */
export function isMissing(cause: unknown): boolean {
  return cause instanceof Stripe.errors.StripeError && (cause.code === 'resource_missing' || cause.statusCode === 404);
}

/** Says whether the processor refused the request itself, so that a repetition would get the same answer. */
export function isRefusal(cause: unknown): boolean {
  return (
    cause instanceof Stripe.errors.StripeError &&
    cause.statusCode !== undefined &&
    ![409, 429].includes(cause.statusCode)
  );
}

function idOf(object: string | { readonly id: string } | null): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}

function modeFault(isLive: boolean): string {
  return isLive
    ? 'the session is live, but STRIPE_API_KEY is for tests'
    : 'the session is for tests, but STRIPE_API_KEY is live';
}

/** @throws Error for what a browser must not be sent to. */
function checkedUrl(url: string | null): string {
  if (url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new Error('the payment processor gave a session without the address of its page');
}
