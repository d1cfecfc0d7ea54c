import type Stripe from 'stripe';
import type { Settlement } from '../../shared/contract/journal.ts';
import { AppError } from '../../shared/problems.ts';

export interface ErrorReport {
  /** Events that the processor accepted and then could not use, as far as its report names them. */
  readonly rejected: readonly Settlement[];
  /** Number of all events that the report is about. */
  readonly errorCount: number;
  readonly summary: string;
}

/**
 * Reads a notification of the processor: checks the signature, then fetches the report, which a notification only
 * points to.
 * @returns null for a notification about something else.
 * @throws AppError BAD_REQUEST when the signature is missing, wrong or old.
 */
export async function readErrorReport(
  stripe: Stripe,
  { body, signature, secret }: { readonly body: Buffer; readonly signature: string; readonly secret: string },
): Promise<ErrorReport | null> {
  const notification = parse(stripe, body, signature, secret);
  if (notification.type !== 'v1.billing.meter.error_report_triggered') return null;
  const { data } = await notification.fetchEvent();
  return {
    rejected: data.reason.error_types.flatMap(({ code, sample_errors }) =>
      sample_errors.map(({ error_message, request }): Settlement => {
        return { id: request.identifier, outcome: 'rejected', reason: `${code}: ${error_message}` };
      }),
    ),
    errorCount: data.reason.error_count,
    summary: data.developer_message_summary,
  };
}

function parse(stripe: Stripe, body: Buffer, signature: string, secret: string): Stripe.V2.Core.EventNotification {
  try {
    return stripe.parseEventNotification(body, signature, secret);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'the signature does not match', { cause });
  }
}
