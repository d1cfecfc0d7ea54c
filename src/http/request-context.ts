import type { Response } from 'express';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { StageTimes } from '../shared/contract/stages.ts';
import type { AppError } from '../shared/problems.ts';
import type { Trace } from './trace.ts';

/** What the handlers of one request tell each other and the request's log line. */
export interface RequestContext extends StageTimes {
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
