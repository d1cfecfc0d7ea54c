import type { Response } from 'express';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { StageTimes } from '../shared/contract/stages.ts';
import type { AppError } from '../shared/problems.ts';
import type { Trace } from './trace.ts';

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
