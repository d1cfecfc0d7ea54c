import Stripe from 'stripe';
import { AppError, unavailable } from '../../messages/problems.ts';

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
