/** Operations of the usage journal's thread, and what it reads and writes. Times are milliseconds since 1970, UTC. */
import { DAY_MS } from './time.ts';
import type {
  PendingEvent,
  ProcessorReport,
  Reconciliation,
  Settlement,
  TakenReport,
  RejectedCustomer,
} from './meter-events.ts';

/** One lookup that was answered with 200. */
export interface UsageRecord {
  /** `lkp_...`; the identifier of its meter event too. */
  readonly id: string;
  readonly keyId: string;
  /** The payment processor's customer at that time; null: not billed. */
  readonly customer: string | null;
  readonly atMs: number;
}

/** How long a retry with the same `Idempotency-Key` gets the same answer. */
export const ANSWER_KEPT_MS = DAY_MS;

/** The answer that a retry with the same `Idempotency-Key` gets again: any outcome except a failure of the service. */
export interface StoredAnswer {
  readonly json: string;
  /** Null: `json` is the body of a 200. Otherwise the failure's code, and `json` holds its detail and extras. */
  readonly code: 'ADDRESS_NOT_FOUND' | 'OUTSIDE_ONTARIO' | null;
  /** Id of the snapshot that answered; null or absent: a failure, or an earlier version stored it. */
  readonly vintage?: string | null;
}

/** One request under one `Idempotency-Key`. */
export interface IdempotentRequest {
  readonly keyId: string;
  readonly idempotencyKey: string;
  /** SHA-256 of the request's content. */
  readonly requestHash: string;
}

/** One attempt to answer a request: only the attempt that holds a claim may end it. */
export interface Attempted extends IdempotentRequest {
  readonly attemptId: string;
}

export type Claim =
  /** The id is that of an earlier attempt if one had taken the claim over and failed. */
  | { readonly kind: 'new'; readonly lookupId: string }
  /** An earlier attempt was lost, or refused and the refusal is not kept here: continue under its id; its unit of quota is already spent. */
  | { readonly kind: 'resumed'; readonly lookupId: string }
  /** Counted before, and billed if it was a 200. Null: it was one, which is not kept here any more, and the lookup has to be made again. */
  | { readonly kind: 'answered'; readonly answer: StoredAnswer | null }
  | { readonly kind: 'under way' }
  /** The request is new, and `mayBegin` was false. */
  | { readonly kind: 'not begun' }
  | { readonly kind: 'other request' };

/**
 * Times that are missing are the journal's own: it reads the clock in the transaction in which it judges the clock, so that a jump cannot
 * come in between.
 */
export interface ClaimOptions {
  /** Id of the lookup if the request is new. */
  readonly lookupId: string;
  /** False: look only whether the request is known, and write no new claim. */
  readonly mayBegin: boolean;
  readonly nowMs?: number;
  /** Time after which an attempt counts as lost. */
  readonly attemptMs: number;
}

/** Lookups of a key in a month, after one was recorded or refused. */
export interface MonthUse {
  /** `2026-11`, UTC. */
  readonly month: string;
  readonly lookups: number;
  /** False: the lookup is beyond `mostOfMonth`, and was not recorded. */
  readonly isRecorded: boolean;
}

/** Most rows of a batch in one operation, so that the commit of a single lookup does not wait long. */
export const ROWS_PER_RECORD = 250;

/** Rows of a batch that were answered with 200. */
export interface RecordedRows extends Pick<UsageRecord, 'keyId' | 'customer'> {
  /** Their lookup ids. */
  readonly ids: readonly string[];
  /** As in `RecordedLookup`. */
  readonly mostOfMonth: number | null;
}

/** Lookups of a key in a month, after rows were recorded. */
export interface RowsUse extends Omit<MonthUse, 'isRecorded'> {
  /** Ids of those that are beyond `mostOfMonth` and were not recorded. */
  readonly refused: readonly string[];
}

export interface RecordedLookup {
  readonly usage: Omit<UsageRecord, 'atMs'> & Partial<Pick<UsageRecord, 'atMs'>>;
  /** With an `Idempotency-Key`. */
  readonly answered: AnsweredRequest | null;
  /** Lookups of the key that this journal may record in the month; null or missing: any number. */
  readonly mostOfMonth?: number | null;
}

export interface ClockProbe {
  readonly isClockTrusted: boolean;
  /** Milliseconds that the wall clock is ahead, below 0 behind; null while it is trusted, or when the machine was off meanwhile. */
  readonly aheadMs: number | null;
}

/** Input and output of each operation that writes, by name. */
export interface JournalWrites {
  /** Opens the file: proves that it can be written. Returns the name of this journal, which it keeps. */
  open: [input: null, output: { readonly journalId: string }];
  /** Writes what a lookup writes, and removes it again; fails when no lookup could be recorded. */
  probe: [input: null, output: ClockProbe];
  /** The record is on the disk when the operation resolves. */
  record: [input: RecordedLookup, output: MonthUse];
  /** Does as `record` for at most `ROWS_PER_RECORD` rows; those that are recorded already stay as they are. */
  recordRows: [input: RecordedRows, output: RowsUse];
  /** Returns the ids that `recordRows` would refuse, and records nothing. Any number of rows. */
  rowsBeyond: [input: RecordedRows, output: readonly string[]];
  claim: [input: Attempted & ClaimOptions, output: Claim];
  /** For answers that are not billed. */
  storeAnswer: [input: AnsweredRequest, output: null];
  /**
   * Ends the claim of an attempt that the service could not answer, so that the next attempt is new; under the same lookup id if this one had taken
   * the claim over.
   */
  abandon: [input: Attempted, output: null];
  /** Says whether this process delivers for this machine; it does so until it ends or its journal fails. */
  lead: [input: null, output: boolean];
  /**
   * Returns at most `perCustomer` events of each of at most `customers` customers, in the order of the customers' ids,
   * after the id `after`; none while the wall clock cannot be trusted.
   */
  takePending: [input: TakePending, output: readonly PendingEvent[]];
  settle: [input: readonly Settlement[], output: null];
  takeReport: [input: ProcessorReport, output: TakenReport];
  /**
   * Sets lookups back to `pending`. Those that were not `uncertain` get a fresh identifier: the processor may have
   * accepted the old one before it rejected the event. Returns their number; null: the wall clock cannot be trusted.
   */
  resend: [input: { readonly states: readonly UsageState[] }, output: number | null];
  /** Makes all that is pending `uncertain`. Returns the number of lookups. */
  doubtPending: [input: { readonly reason: string }, output: number];
  /** Keeps the result of a comparison with the processor, for the metrics. */
  noteReconciliation: [input: Reconciliation, output: null];
  /**
   * Removes the requests with an `Idempotency-Key` of these keys, with their answers, so that the file does not have them any more. Returns how many. For a
   * command: it writes all kept requests of others anew, and lookups wait meanwhile.
   */
  forgetRequests: [input: { readonly keyIds: readonly string[] }, output: number];
  /** Believes the wall clock as it is. */
  trustClock: [input: null, output: null];
  /**
   * Deletes some old answers and some settled lookups, and frees their space: call it again until it deleted none. Null: the
   * wall clock cannot be trusted, and nothing was deleted.
   */
  prune: [
    input: { readonly usageBeforeMs: number } | { readonly usageKeptMs: number },
    output: { readonly lookups: number; readonly answers: number } | null,
  ];
}

export interface JournalOperations extends JournalWrites, JournalReads {}

export interface AnsweredRequest extends IdempotentRequest {
  readonly lookupId: string;
  readonly atMs?: number;
  readonly answer: StoredAnswer;
}

export interface TakePending {
  readonly nowMs?: number;
  readonly after: string;
  readonly customers: number;
  readonly perCustomer: number;
}

export type JournalOperation = keyof JournalOperations;
export type JournalWrite = keyof JournalWrites;
export type JournalRead = keyof JournalReads;

type TaskOf<Operations extends { readonly [Name in keyof Operations]: readonly [unknown, unknown] }> = {
  readonly [Name in keyof Operations]: { readonly name: Name; readonly input: Operations[Name][0] };
}[keyof Operations];

export type JournalTask = TaskOf<JournalWrites>;
export type JournalReadTask = TaskOf<JournalReads>;

// What is read of the usage journal, with inputs and outputs.

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
