import { setTimeout as sleep } from 'node:timers/promises';
import { MalformedAnswer, ProviderRefused } from './provider.ts';

/** Longest answer. Ten results with all their details have some tens of kilobytes. */
const MOST_BYTES = 1024 * 1024;

const ATTEMPTS = 3;

/** Pause between attempts. It grows, and varies at random so that many clients do not try again at the same moment. */
const PAUSE_MS = 50;

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
 * Asks a provider for JSON, and tries again after temporary failures. Connections are reused (fetch's own pool).
 * @param read converts the body; its errors count as failures of the provider.
 * @throws Error that names neither the URL nor the address: both may end in a log.
 */
export async function ask<T>(options: AskOptions, read: (body: unknown) => T): Promise<T> {
  const endMs = performance.now() + options.timeoutMs;
  for (let attempt = 1; ; attempt++) {
    try {
      await options.mayAsk();
      return read(await attemptOnce(options, endMs));
    } catch (cause) {
      const pauseMs = PAUSE_MS * attempt * (0.5 + Math.random());
      const mayPass = !(cause instanceof ProviderRefused) || cause.isTemporary;
      if (!mayPass || attempt >= ATTEMPTS || performance.now() + pauseMs >= endMs) throw cause;
      await sleep(pauseMs);
    }
  }
}

async function attemptOnce({ url, traceParent }: AskOptions, endMs: number): Promise<unknown> {
  const leftMs = Math.max(1, Math.ceil(endMs - performance.now()));
  const response = await fetch(url, {
    headers: {
      accept: 'application/json',
      'user-agent': 'land-lookup',
      ...(traceParent === undefined ? {} : { traceparent: traceParent }),
    },
    redirect: 'error',
    signal: AbortSignal.timeout(leftMs),
  }).catch((cause: unknown) => {
    throw new ProviderRefused(`no answer: ${reasonOf(cause)}`, true);
  });
  const body = await bodyOf(response);
  if (response.ok) return parsed(body);
  throw new ProviderRefused(`status ${response.status}`, response.status === 429 || response.status >= 500);
}

async function bodyOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new MalformedAnswer('the answer is too large');
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof MalformedAnswer) throw cause;
    throw new ProviderRefused(`the answer broke off: ${reasonOf(cause)}`, true);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new MalformedAnswer('the answer is not JSON');
  }
}

/** Returns a reason such as "TimeoutError" or "ECONNREFUSED", never the message, which may contain the URL. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  const inner = cause.cause;
  if (inner instanceof Error && 'code' in inner) return String(inner.code);
  return cause.name;
}
