import { checkStatus, readBody, send } from '../outbound/client.ts';
import { withRetries, type RetryPolicy } from '../outbound/retry.ts';
import { MalformedAnswer } from './provider.ts';

/** Longest answer. Ten results with all their details have some tens of kilobytes. */
const MOST_BYTES = 1024 * 1024;

/** A caller waits for the answer. */
const impatient: RetryPolicy = { attempts: 3, firstMs: 100, mostMs: 200 };

export interface AskOptions {
  readonly url: URL;
  /** For all attempts together. */
  readonly timeoutMs: number;
  /** Value of the header `traceparent`, for a caller that traces. */
  readonly traceParent?: string | undefined;
  /** Called before each attempt; waits until the rate limit allows a request. */
  readonly mayAsk: () => Promise<unknown>;
}

/**
 * Asks a provider for JSON, again after failures that may pass. Redirects are refused: the key and the address are for the provider alone.
 * @param read turns the body into what is wanted.
 * @throws Error that names neither the URL nor the address: both may end in a log.
 */
export function ask<T>(options: AskOptions, read: (body: unknown) => T): Promise<T> {
  const endMs = performance.now() + options.timeoutMs;
  return withRetries({ ...impatient, endMs }, async () => {
    await options.mayAsk();
    return read(await askOnce(options, endMs));
  });
}

async function askOnce({ url, traceParent, timeoutMs }: AskOptions, endMs: number): Promise<unknown> {
  const answer = await send({
    url,
    headers: { accept: 'application/json', ...(traceParent === undefined ? {} : { traceparent: traceParent }) },
    redirect: 'error',
    idleMs: timeoutMs,
    deadlineMs: Math.max(1, Math.ceil(endMs - performance.now())),
  });
  // Read in any case, so that the connection can be used again.
  const body = await readBody(answer, MOST_BYTES);
  checkStatus(answer);
  return parsed(body.toString());
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new MalformedAnswer('the answer is not JSON');
  }
}
