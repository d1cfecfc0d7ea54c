/** What the main thread asks of the usage journal's thread, and what it gets. Times are milliseconds since 1970, UTC. */
import { DAY_MS } from '../time.ts';

/** One lookup that was answered with 200. */
export interface UsageRecord {
  /** `lkp_...`; the identifier of its meter event too. */
  readonly id: string;
  readonly keyId: string;
  /** The payment processor's customer at that time; null: not billed. */
  readonly customer: string | null;
  readonly atMs: number;
}

/**
 * Where a lookup is on its way to the payment processor. `uncertain`: it was sent, no answer came, and the time in which the
 * processor knows a repetition is over.
 */
export type UsageState = 'unbilled' | 'pending' | 'delivered' | 'rejected' | 'too_old' | 'uncertain';

/** How long a retry with the same `Idempotency-Key` gets the same answer. */
export const ANSWER_KEPT_MS = DAY_MS;

/** The answer that a retry with the same `Idempotency-Key` gets again: any outcome but a failure of ours. */
export interface StoredAnswer {
  readonly json: string;
  /** Null: `json` is the body of a 200. Otherwise the failure's code, and `json` holds its detail and extras. */
  readonly code: 'ADDRESS_NOT_FOUND' | 'OUTSIDE_ONTARIO' | null;
}

/** One request under one `Idempotency-Key`. */
export interface IdempotentRequest {
  readonly keyId: string;
  readonly idempotencyKey: string;
  /** SHA-256 of what was asked. */
  readonly requestHash: string;
}

export type Claim =
  | { readonly kind: 'new'; readonly lookupId: string }
  /** An earlier attempt was lost on its way: go on under its id, its unit of quota is spent. */
  | { readonly kind: 'resumed'; readonly lookupId: string }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'under way' }
  | { readonly kind: 'other request' };

export interface ClaimOptions {
  readonly lookupId: string;
  readonly nowMs: number;
  /** How long an attempt may take before it counts as lost. */
  readonly attemptMs: number;
}

/** A lookup that waits for its meter event. */
export interface PendingEvent {
  readonly id: string;
  readonly customer: string;
  readonly atMs: number;
  /** False when an earlier attempt may have reached the processor. */
  readonly isFirstAttempt: boolean;
}

export interface Settlement {
  readonly id: string;
  /** `unsent`: it certainly did not reach the processor. */
  readonly outcome: 'delivered' | 'rejected' | 'unsent';
  readonly reason?: string;
}

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

/** Why lookups were not delivered. */
export interface ReasonRow {
  readonly state: UsageState;
  readonly reason: string;
  readonly lookups: number;
  readonly oldestMs: number;
}

export interface DeliveredRow {
  readonly customer: string;
  /** Start of the UTC day. */
  readonly dayMs: number;
  readonly delivered: number;
}

/** By name: what goes in, what comes out. */
export interface JournalOperations {
  /** Opens the file: proves that it can be written. */
  open: [input: null, output: null];
  /** Writes what a lookup writes, and takes it away again: fails when no lookup could be recorded. */
  probe: [input: null, output: null];
  /** Durable once it is answered. */
  record: [input: { readonly usage: UsageRecord; readonly answered: AnsweredRequest | null }, output: null];
  claim: [input: IdempotentRequest & ClaimOptions, output: Claim];
  /** For answers that are not billed. */
  storeAnswer: [input: AnsweredRequest, output: null];
  /** The attempt failed on our side: the next one is new. */
  abandon: [input: IdempotentRequest, output: null];
  /** Whether this process is the one of this machine that delivers; it stays so until it ends or its journal fails. */
  lead: [input: null, output: boolean];
  /** At most `perCustomer` of each of at most `customers` customers, in the order of their ids beginning after `after`. */
  takePending: [input: TakePending, output: readonly PendingEvent[]];
  settle: [input: readonly Settlement[], output: null];
  /** Back to `pending`. Gives how many. */
  resend: [input: { readonly states: readonly UsageState[] }, output: number];
  backlog: [input: null, output: Backlog];
  report: [input: UsageFilter, output: readonly UsageRow[]];
  reasons: [input: UsageFilter, output: readonly ReasonRow[]];
  deliveredByDay: [input: UsageFilter, output: readonly DeliveredRow[]];
  /** Deletes old answers and some settled lookups, gives space back. Gives how many lookups: call again until it is none. */
  prune: [input: { readonly usageBeforeMs: number; readonly answersBeforeMs: number }, output: number];
}

export interface AnsweredRequest extends IdempotentRequest {
  readonly lookupId: string;
  readonly atMs: number;
  readonly answer: StoredAnswer;
}

/** What waits for the payment processor. */
export interface Backlog {
  readonly pending: number;
  /** Null: nothing waits. */
  readonly oldestMs: number | null;
}

export interface TakePending {
  readonly nowMs: number;
  readonly after: string;
  readonly customers: number;
  readonly perCustomer: number;
}

export type JournalOperation = keyof JournalOperations;

export type JournalTask = {
  readonly [Name in JournalOperation]: { readonly name: Name; readonly input: JournalOperations[Name][0] };
}[JournalOperation];
