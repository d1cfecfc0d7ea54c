import type { Response } from 'express';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { AppError } from '../problems.ts';
import type { Trace } from './trace.ts';

/** Stages of a lookup that are timed; "queue" is the wait for a thread and the way there and back. */
export const stages = ['auth', 'quota', 'queue', 'geocode', 'layers', 'journal'] as const;

/** Milliseconds of the stages that a request went through. */
export type StageTimes = Partial<Record<`${(typeof stages)[number]}Ms`, number>>;

/** What the handlers of one request tell each other and the request's log line. */
export interface Exchange extends StageTimes {
  readonly requestId: string;
  /** So that the caller's tracing finds our log line; null when it does not trace. */
  readonly trace: Trace | null;
  /** Whose request it is, once that is known. */
  key?: KeyRecord;
  address?: string;
  lookupId?: string;
  /** The failure that was answered. */
  error?: AppError;
}

/** Starts the exchange of a response. */
export function openExchange(res: Response, requestId: string, trace: Trace | null): Exchange {
  const exchange: Exchange = { requestId, trace };
  res.locals['exchange'] = exchange;
  return exchange;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals['exchange'] as Exchange;
}
