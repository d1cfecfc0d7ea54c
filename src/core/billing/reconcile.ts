import type Stripe from 'stripe';
import type { DeliveredRow, UsageFilter } from '../../messages/journal-reads.ts';

/** Counts of the journals and of the processor for one customer and UTC day. */
export interface ReconciledDay {
  readonly customer: string;
  readonly dayMs: number;
  readonly journal: number;
  readonly processor: number;
}

/**
 * Compares the delivered lookups of the journals with the processor's summaries.
 * @param delivered rows of all journals of all machines for the time of the filter, which covers whole UTC days.
 * @throws Error when the processor has no meter of that event name.
 */
export async function reconcile(
  stripe: Stripe,
  meterEvent: string,
  { delivered, filter }: { readonly delivered: readonly DeliveredRow[]; readonly filter: UsageFilter },
): Promise<ReconciledDay[]> {
  const meter = await findMeter(stripe, meterEvent);
  const days: ReconciledDay[] = [];
  for (const customer of new Set(delivered.map((row) => row.customer))) {
    const ours = sumByDay(delivered.filter((row) => row.customer === customer));
    const theirs = await summaries(stripe, meter, { customer, filter });
    for (const dayMs of [...new Set([...ours.keys(), ...theirs.keys()])].sort((a, b) => a - b)) {
      days.push({ customer, dayMs, journal: ours.get(dayMs) ?? 0, processor: theirs.get(dayMs) ?? 0 });
    }
  }
  return days;
}

/** The active meter of a name; of an inactive one, the sums of the past are still there. */
async function findMeter(stripe: Stripe, meterEvent: string): Promise<string> {
  for (const status of ['active', 'inactive'] as const) {
    for await (const { id, event_name } of stripe.billing.meters.list({ status, limit: 100 })) {
      if (event_name === meterEvent) return id;
    }
  }
  throw new Error(`the payment processor has no meter with the event name "${meterEvent}"`);
}

/** By UTC day; days without events may be missing. */
async function summaries(
  stripe: Stripe,
  meter: string,
  { customer, filter }: { readonly customer: string; readonly filter: UsageFilter },
): Promise<Map<number, number>> {
  const byDay = new Map<number, number>();
  const range = { start_time: filter.fromMs / 1000, end_time: filter.toMs / 1000 };
  const list = stripe.billing.meters.listEventSummaries(meter, {
    ...{ customer, ...range, limit: 100 },
    value_grouping_window: 'day',
  });
  for await (const { start_time, aggregated_value } of list) {
    if (aggregated_value !== 0) byDay.set(start_time * 1000, aggregated_value);
  }
  return byDay;
}

function sumByDay(rows: readonly DeliveredRow[]): Map<number, number> {
  const byDay = new Map<number, number>();
  for (const { dayMs, delivered } of rows) byDay.set(dayMs, (byDay.get(dayMs) ?? 0) + delivered);
  return byDay;
}
