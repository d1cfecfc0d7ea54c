import type { Response } from 'express';
import type { FoundKey } from '../keys/key-store.ts';
import type { Coordinate } from '../../messages/lookup.ts';
import type { StageTimes } from '../../messages/stages.ts';
import type { AppError } from '../../messages/problems.ts';
import type { Trace } from './trace.ts';

/** Data that the handlers of one request share with each other and with the request's log line. */
export interface RequestContext extends StageTimes {
  readonly requestId: string;
  /** Lets the caller's tracing find our log line; null when the caller does not trace. */
  readonly trace: Trace | null;
  /** Key of the request, once it is known. */
  key?: FoundKey;
  /** The place that a lookup asked for. */
  place?: { readonly address: string } | Coordinate;
  lookupId?: string;
  /** The batch that was made or asked for. */
  batchId?: string;
  /** Bytes of a body of over 16 KiB, or of a compressed one that may have as much: as it came, and what it was decompressed to. */
  largeBodyBytes?: number;
  /** The tool that an agent called. */
  tool?: string;
  /** The failure in the answer. */
  error?: AppError;
}

/** Makes the context of the request that a response answers. */
export function openRequestContext(res: Response, requestId: string, trace: Trace | null): RequestContext {
  const requestContext: RequestContext = { requestId, trace };
  res.locals['requestContext'] = requestContext;
  return requestContext;
}

/** Returns the context that `openRequestContext` made. */
export function requestContextOf(res: Response): RequestContext {
  return res.locals['requestContext'] as RequestContext;
}
