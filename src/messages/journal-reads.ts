/** What is read of the usage journal, with inputs and outputs. Times are milliseconds since 1970, UTC. */
import type { Reconciliation, RejectedCustomer } from './meter-events.ts';

/**
 * State of a lookup's delivery to the payment processor. `uncertain`: it was sent without an answer, and the time in
 * which the processor recognises a repetition is over.
 */
export type UsageState = 'unbilled' | 'pending' | 'delivered' | 'rejected' | 'too_old' | 'uncertain';

export interface UsageFilter {
  readonly fromMs: number;
  readonly toMs: number;
  readonly keyId?: string;
}

/** Lookups of one key. */
export interface UsageRow extends Readonly<Record<UsageState, number>> {
  readonly keyId: string;
  readonly customer: string | null;
  readonly lookups: number;
}

/** A reason why lookups were not delivered. */
export interface ReasonRow {
  readonly state: UsageState;
  readonly reason: string;
  readonly lookups: number;
  readonly oldestMs: number;
}

/** Lookups that were answered with 200 for one key on one day, billed to one customer. */
export interface DayRow {
  readonly keyId: string;
  /** `2026-11-22`, UTC. */
  readonly day: string;
  /** Null: not billed. */
  readonly customer: string | null;
  readonly lookups: number;
  readonly batchRows: number;
}

/** A request with an `Idempotency-Key`, as it is kept. */
export interface KeptRequest {
  readonly place: number;
  readonly keyId: string;
  readonly idempotencyKey: string;
  readonly lookupId: string;
  readonly atMs: number;
  /** Of a failure; null: it was a 200, or there is no answer. */
  readonly code: string | null;
  /** The answer as JSON; null: none is kept. */
  readonly answer: string | null;
}

export interface DeliveredRow {
  readonly customer: string;
  /** Start of the UTC day. */
  readonly dayMs: number;
  readonly delivered: number;
}

/** States that stay until somebody acts. */
export const UNSETTLED = ['rejected', 'uncertain', 'too_old'] as const satisfies readonly UsageState[];

/** Lookups that wait for the payment processor, or for somebody to act. */
export interface Backlog extends Readonly<Record<(typeof UNSETTLED)[number], number>> {
  readonly pending: number;
  /** Null: nothing waits. */
  readonly oldestMs: number | null;
}

/** Input and output of each operation that only reads. It runs beside those that write. */
export interface JournalReads {
  backlog: [input: null, output: Backlog];
  /** The last one; null: none was made. */
  reconciliation: [input: null, output: Reconciliation | null];
  report: [input: UsageFilter, output: readonly UsageRow[]];
  reasons: [input: UsageFilter, output: readonly ReasonRow[]];
  /**
   * Returns customers with at least so many lookups that were rejected because of them and made since the time that
   * `sinceMs` has for the customer.
   */
  rejectedCustomers: [
    input: { readonly atLeast: number; readonly sinceMs: Readonly<Record<string, number>> },
    output: readonly RejectedCustomer[],
  ];
  /** Of these keys, from one day to another, both included; days without lookups are missing. Kept for 400 days. */
  usageByDay: [
    input: { readonly keyIds: readonly string[]; readonly fromDay: string; readonly toDay: string },
    output: readonly DayRow[],
  ];
  /** Days on which these keys, or keys of this customer, had lookups, as `usageByDay` gives them. */
  usageOfHolder: [
    input: { readonly customer: string | null; readonly keyIds: readonly string[] },
    output: readonly DayRow[],
  ];
  /** Some of the requests with an `Idempotency-Key` of these keys, in the order of `place`, those after a place. */
  keptRequests: [
    input: { readonly keyIds: readonly string[]; readonly afterPlace: number },
    output: readonly KeptRequest[],
  ];
  /** By the day of the event. Without a filter by key. */
  deliveredByDay: [input: UsageFilter, output: readonly DeliveredRow[]];
}
