import { randomBytes } from 'node:crypto';

/** Place of a request in its caller's trace (W3C Trace Context). */
export interface Trace {
  readonly traceId: string;
  /** The caller's part of the trace. */
  readonly parentId: string;
  /** Our own part, the parent of our requests to others. */
  readonly spanId: string;
  /** Two hexadecimal digits, passed on unchanged; they say whether the caller records the trace. */
  readonly flags: string;
}

/** W3C Trace Context, section 3.2.2; all zeros are invalid. */
const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads the header `traceparent`; null without a valid one, because this service never begins a trace. */
export function traceOf(header: string | undefined): Trace | null {
  const [, traceId, parentId, flags] = TRACE_PARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return null;
  return { traceId, parentId, spanId: randomBytes(8).toString('hex'), flags };
}

/** Returns the header `traceparent` for a request that is made on behalf of this one. */
export function traceParent({ traceId, spanId, flags }: Trace): string {
  return `00-${traceId}-${spanId}-${flags}`;
}
