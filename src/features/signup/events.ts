import type Stripe from 'stripe';
import { badRequest } from '../../messages/problems.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { Signups } from './signups.ts';

export interface EventTargets {
  readonly isLive: boolean;
  readonly signups: Pick<Signups, 'sessionChanged'>;
  readonly lifeCycle: Pick<LifeCycle, 'customerChanged'>;
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
export async function takeEvent(event: Stripe.Event, { isLive, signups, lifeCycle }: EventTargets): Promise<void> {
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
