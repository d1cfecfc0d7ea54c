import type Stripe from 'stripe';
import type { Settlement } from '../../messages/meter-events.ts';
import { AppError } from '../../messages/problems.ts';
import { eventOf } from './send-event.ts';

export interface ErrorReport {
  /** The report's own id. */
  readonly eventId: string;
  /** Events that the processor accepted and then could not use, as far as its report names them. */
  readonly settlements: readonly Settlement[];
  /** Names of events in the report that this service did not give. */
  readonly foreign: readonly string[];
  /** Number of all events that the report is about. */
  readonly errorCount: number;
  readonly summary: string;
}

type ErrorsEvent = Stripe.Events.V1BillingMeterErrorReportTriggeredEvent;
type NoMeterEvent = Stripe.Events.V1BillingMeterNoMeterFoundEvent;
type ReportEvent = ErrorsEvent | NoMeterEvent;
type ErrorType = ReportEvent['data']['reason']['error_types'][number];
type SampleError = ErrorType['sample_errors'][number];

/** Outcome by the code of the error; any other code rejects the event. */
const OUTCOMES: Readonly<Record<string, Settlement['outcome']>> = {
  no_meter: 'again',
  archived_meter: 'again',
  timestamp_in_future: 'again',
  timestamp_too_far_in_past: 'too_old',
};

/**
 * Fetches the report that a notification of the processor points to.
 * @returns null for a notification about something else.
 * @throws AppError INTERNAL when the report cannot be fetched.
 */
export async function readErrorReport(notification: Stripe.V2.Core.EventNotification): Promise<ErrorReport | null> {
  const isReport =
    notification.type === 'v1.billing.meter.error_report_triggered' ||
    notification.type === 'v1.billing.meter.no_meter_found';
  if (!isReport) return null;
  const { data } = await notification.fetchEvent().catch(unfetched);
  const errors = data.reason.error_types.flatMap((type) => type.sample_errors.map((sample) => read(type, sample)));
  return {
    eventId: notification.id,
    settlements: errors.filter((error) => typeof error !== 'string'),
    foreign: errors.filter((error) => typeof error === 'string'),
    errorCount: data.reason.error_count,
    summary: data.developer_message_summary,
  };
}

/**
 * Returns what to do with one event of a report, or the name of an event that is not ours. The types of the package have the idempotency
 * key as `identifier`; the example of the processor's guide has it as `idempotency_key`.
 */
function read({ code }: Pick<ErrorType, 'code'>, { error_message, request }: SampleError): Settlement | string {
  const { identifier, idempotency_key } = request as { identifier?: string; idempotency_key?: string };
  const name = identifier ?? idempotency_key ?? '';
  const event = eventOf(name);
  if (!event) return name;
  const isCustomerFault = code === 'meter_event_customer_not_found';
  return { ...event, outcome: OUTCOMES[code] ?? 'rejected', reason: `${code}: ${error_message}`, isCustomerFault };
}

function unfetched(cause: unknown): never {
  throw new AppError('INTERNAL', 'the report cannot be fetched: may STRIPE_API_KEY read events?', { cause });
}
