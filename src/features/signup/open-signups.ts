import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { PriceReader } from '../../core/billing/shown-price.ts';
import type { Accounts } from '../../core/open-accounts.ts';
import { Loop } from '../../core/loop/loop.ts';
import { type Config, settingsOf } from '../../core/settings/config.ts';
import { type Opened, partKey } from '../../core/parts/parts.ts';
import { HOUR_MS, MINUTE_MS } from '../../messages/time.ts';
import { LifeCycle } from './life-cycle.ts';
import { signupSettings } from './settings.ts';
import { Signups } from './signups.ts';
import { sweepSignups } from './sweep.ts';
import { badRequest } from '../../messages/problems.ts';

/** Sign-ups of a running service. */
export interface OpenSignups {
  /** Of the payment processor's mode; false: it is for tests. */
  readonly isLive: boolean;
  readonly signups: Signups;
  readonly lifeCycle: LifeCycle;
  readonly price: Pick<PriceReader, 'read'>;
  readonly termsUrl: string;
  /** Address of the service for browsers, without a slash at its end. */
  readonly origin: () => string;
  /** Takes an event of the processor whose signature was checked. */
  readonly take: (event: Stripe.Event) => Promise<void>;
  /** Takes the address that the service listens on, which is that for browsers unless `PUBLIC_URL` is set. */
  readonly listensOn: (url: string) => void;
}

/** Sign-ups of a service; null: they are not configured, and an operator makes keys. */
export const signupPart = partKey<OpenSignups | null>('signup');

/** All subscriptions are compared this often; after a failure, each minute. */
const RECONCILE_MS = HOUR_MS;

/** Sign-ups that are left in the middle are looked for this often. */
const SWEEP_MS = MINUTE_MS;

/** Longest wait for work under way when the service stops. */
const STOP_MS = 2000;

/** Opens sign-ups when they are configured, and begins their work in the background; otherwise null. */
export function openSignups(
  {
    config,
    billing,
    keys: store,
    journalWatch,
    logger,
  }: Pick<Accounts, 'billing' | 'keys' | 'journalWatch'> & {
    readonly config: Pick<Config, 'ofFeatures'>;
    readonly logger: Logger;
  },
  opened: Opened,
): OpenSignups | null {
  const settings = settingsOf(config, signupSettings);
  if (!settings || !billing) return null;
  const { stripe } = billing;
  const { price, isLive, termsUrl, publicUrl } = settings;
  const reader = (billing.price ??= new PriceReader({ stripe, price, isLive, logger }));
  if (publicUrl !== null) billing.portal.returnUrl = `${publicUrl}/account`;
  let listening = '';
  const origin = (): string => publicUrl ?? listening;
  const signups = new Signups({ stripe, store, price, isLive, origin, logger });
  const lifeCycle = new LifeCycle({ stripe, store, price, logger });
  /** While it is false, a sign-up would end, or a bill seem old, because the clock jumped. */
  const isClockTrusted = (): boolean => journalWatch.isClockTrusted;
  const report = (cause: unknown): void => {
    logger.warn('sign-ups and subscriptions could not be compared with the payment processor', {
      detail: String(cause),
    });
  };
  const running = [
    new Loop({
      everyMs: SWEEP_MS,
      turn: () => sweepSignups({ store: store.signups, signups, logger }),
      onFailure: report,
      isClockTrusted,
    }),
    new Loop({
      everyMs: RECONCILE_MS,
      turn: () => lifeCycle.reconcile(),
      onFailure: report,
      backoff: { firstMs: MINUTE_MS, mostMs: MINUTE_MS },
      isClockTrusted,
    }),
  ];
  // A price that cannot be used is in the log from the start.
  void reader.read();
  opened.defer(async () => {
    // What is left in the middle is done after the next start.
    const ended = running.map((loop) => loop[Symbol.asyncDispose]());
    await Promise.race([Promise.all(ended), sleep(STOP_MS)]);
  });
  return {
    ...{ signups, lifeCycle, isLive, termsUrl, origin, price: reader },
    take: (event) => takeEvent(event, { isLive, signups, lifeCycle }),
    listensOn: (url) => {
      listening = url;
    },
  };
}

/** Members that say whom an event is about; the rest of its object may be out of date, and is not read. */
interface Subject {
  readonly id?: string;
  readonly client_reference_id?: string | null;
  readonly customer?: string | { readonly id: string } | null;
}

/**
 * Does what follows from an event of the processor whose signature was checked. Events of other kinds are left alone.
 * @throws AppError BAD_REQUEST for an event of the other mode; whatever stopped the work, so that the processor sends the event again.
 */
async function takeEvent(
  event: Stripe.Event,
  { isLive, signups, lifeCycle }: Pick<OpenSignups, 'isLive' | 'signups' | 'lifeCycle'>,
): Promise<void> {
  const subject = event.data.object as Subject;
  const isSession = SESSIONS.has(event.type);
  const customer = customerOf(event.type, subject);
  if (!isSession && customer === null) return;
  if (event.livemode !== isLive) {
    const [its, ours] = event.livemode ? ['live', 'for tests'] : ['for tests', 'live'];
    throw badRequest(`the event is ${its}, but STRIPE_API_KEY is ${ours}`);
  }
  if (isSession) await signups.sessionChanged(subject.id ?? '', subject.client_reference_id ?? null);
  else await lifeCycle.customerChanged(customer!);
}

/** Of a session that has expired there is nothing to do at once. */
const SESSIONS: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
]);

const INVOICES: ReadonlySet<string> = new Set(['invoice.paid', 'invoice.payment_succeeded', 'invoice.payment_failed']);

/** The customer whom an event is about; null for events of other kinds. */
function customerOf(type: string, { id, customer }: Subject): string | null {
  if (type === 'customer.deleted') return id ?? null;
  if (!type.startsWith('customer.subscription.') && !INVOICES.has(type)) return null;
  return typeof customer === 'string' ? customer : (customer?.id ?? null);
}
