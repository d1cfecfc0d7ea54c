import type { Response } from 'express';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { StageTimes } from '../shared/contract/stages.ts';
import type { AppError } from '../shared/problems.ts';
import type { Trace } from './trace.ts';

/** Data that the handlers of one request share with each other and with the request's log line. */
export interface Exchange extends StageTimes {
  readonly requestId: string;
  /** Lets the caller's tracing find our log line; null when the caller does not trace. */
  readonly trace: Trace | null;
  /** Key of the request, once it is known. */
  key?: KeyRecord;
  address?: string;
  lookupId?: string;
  /** The failure in the answer. */
  error?: AppError;
}

/** Creates the shared data of a response. */
export function openExchange(res: Response, requestId: string, trace: Trace | null): Exchange {
  const exchange: Exchange = { requestId, trace };
  res.locals['exchange'] = exchange;
  return exchange;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals['exchange'] as Exchange;
}
