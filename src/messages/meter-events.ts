/** What the usage journal and the payment processor's side tell each other. Times are milliseconds since 1970, UTC. */

/** A lookup's meter event. */
export interface SentEvent {
  /** The lookup's id. */
  readonly id: string;
  /** Number of times that the lookup was given back for delivery; each time its event gets a fresh identifier. */
  readonly resends: number;
}

/** A lookup that waits for its meter event. */
export interface PendingEvent extends SentEvent {
  readonly customer: string;
  readonly atMs: number;
  /** False when an earlier attempt may have reached the processor. */
  readonly isFirstAttempt: boolean;
}

/** What became of an event. */
export interface Settlement extends SentEvent {
  /**
   * `unsent`: it certainly did not reach the processor. `again`: the processor accepted it, then could not use it for a reason that passes:
   * it waits for delivery under a fresh identifier.
   */
  readonly outcome: 'delivered' | 'rejected' | 'too_old' | 'unsent' | 'again';
  readonly reason?: string;
  /** True: rejected because of the customer, who is suspended after several of these. */
  readonly isCustomerFault?: boolean;
}

/** A customer with rejected lookups. */
export interface RejectedCustomer {
  readonly customer: string;
  readonly rejected: number;
  /** Of one of them. */
  readonly reason: string;
}

/** A report of the processor about events that it accepted and could not use. */
export interface ProcessorReport {
  /** The report's own id: it is taken once. */
  readonly eventId: string;
  readonly settlements: readonly Settlement[];
}

/** What a report changed. */
export interface TakenReport {
  /** False: it was taken before, and nothing was changed. */
  readonly isNew: boolean;
  /** Lookup ids that this machine's journal does not have. */
  readonly unmatched: readonly string[];
}

/** A comparison of the journals with the processor's sums. */
export interface Reconciliation {
  readonly atMs: number;
  /** Customers' days that were compared. */
  readonly days: number;
  /** Of these, days with other figures at the processor. */
  readonly differing: number;
}
