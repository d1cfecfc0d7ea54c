import type { Response } from 'express';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { AppError } from '../problems.ts';

/** What the handlers of one request tell each other and the request's log line. */
export interface Exchange {
  readonly requestId: string;
  /** Whose request it is, once that is known. */
  key?: KeyRecord;
  address?: string;
  lookupId?: string;
  geocodeMs?: number;
  layersMs?: number;
  /** The failure that was answered. */
  error?: AppError;
}

/** Starts the exchange of a response. */
export function openExchange(res: Response, requestId: string): Exchange {
  const exchange: Exchange = { requestId };
  res.locals['exchange'] = exchange;
  return exchange;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals['exchange'] as Exchange;
}
