import type { Response } from 'express';
import type { FoundKey } from '../keys/key-store.ts';
import type { AskedTask, StageTimes } from '../../messages/lookup.ts';
import type { AppError } from '../../messages/problems.ts';
import { randomBytes } from 'node:crypto';

/** Data that the handlers of one request share with each other and with the request's log line. */
export interface RequestContext extends StageTimes {
  readonly requestId: string;
  /** When it began, as `performance.now()`. */
  readonly startMs: number;
  /** Place in its caller's trace (W3C Trace Context), so that the caller's tracing finds our log line; null when the caller does not trace. */
  readonly trace: {
    readonly traceId: string;
    /** The caller's part of the trace. */
    readonly parentId: string;
    /** Our own part, the parent of our requests to others. */
    readonly spanId: string;
    /** Two hexadecimal digits, passed on unchanged; they say whether the caller records the trace. */
    readonly flags: string;
  } | null;
  /** Key of the request, once it is known. */
  key?: FoundKey;
  /** What a lookup asked for. */
  task?: AskedTask;
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

/** Returns the context of the request that a response answers, which its begin has made. */
export function requestContextOf(res: Response): RequestContext {
  return res.locals['requestContext'] as RequestContext;
}

/** A request that has ended. */
export interface EndedRequest {
  readonly context: RequestContext;
  readonly res: Response;
  /** The pattern of its route, never the path as sent, which may contain anything; null: it has none. */
  readonly route: string | null;
  /** Of the answer, or 499. */
  readonly status: number;
  readonly ms: number;
}

/** W3C Trace Context, section 3.2.2; all zeros are invalid. */
const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads the header `traceparent`; null when it is not valid, because this service never begins a trace. */
export function traceOf(header: string): RequestContext['trace'] {
  const [, traceId, parentId, flags] = TRACE_PARENT.exec(header) ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return null;
  return { traceId, parentId, spanId: randomBytes(8).toString('hex'), flags };
}

/** Returns the header `traceparent` for a request that is made on behalf of this one. */
export function traceParent({ traceId, spanId, flags }: NonNullable<RequestContext['trace']>): string {
  return `00-${traceId}-${spanId}-${flags}`;
}
