/** The one HTTP client for servers outside: every wait and every size has a limit, and every failure says whether it may pass. */
import type { Dispatcher, Headers } from 'undici';
import { asFailure, TooLarge, Transient } from './failures.ts';
import { guardedConnector, type Guard } from './guarded-connector.ts';

export interface OutboundRequest {
  readonly url: string | URL;
  readonly method?: string;
  /** Sent as a form by POST. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as it is; `headers` has its content type. Pieces are sent as they come. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for the answer to begin, and between two pieces of it. */
  readonly idleMs: number;
  /** For the request as a whole; no limit when absent. */
  readonly deadlineMs?: number;
  /** `error`: a redirect is a failure. `manual`: it is the answer. Followed when absent. */
  readonly redirect?: 'error' | 'manual';
  /** Decides where the request may go. It gets a connection of its own, which ends with `cancel`. */
  readonly guard?: Guard;
  /** Ends the request; what it ends is no failure of the server. */
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** From which the answer came, after redirections. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'entries'>;
  /** As it comes. Throws Transient when it breaks off (Stalled after silence). */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends an answer of which the body is not wanted. */
  cancel(): Promise<void>;
}

/** Reads which part an answer contains: first byte and length of the whole; null when it does not say. */
export function contentRange(
  headers: Answer['headers'],
): { readonly from: number; readonly total: string | null } | null {
  const parts = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (!parts) return null;
  return { from: Number(parts[1]), total: parts[2] === '*' ? null : parts[2]! };
}

const USER_AGENT = 'land-lookup (Ontario land data)';

const CONNECT_MS = 10_000;

let network: ReturnType<typeof loadNetwork> | undefined;

/**
 * Loads the library, which the first request does otherwise: most commands send none, and loading takes a tenth of a second. A service that will
 * send some calls this at its start.
 */
export function openNetwork() {
  return (network ??= loadNetwork());
}

async function loadNetwork() {
  const { Agent, buildConnector, fetch } = await import('undici');
  return {
    fetch,
    // Keeps connections for the next request.
    agent: new Agent({ connect: { timeout: CONNECT_MS } }),
    guarded: (guard: Guard) => new Agent({ connect: guardedConnector(buildConnector, guard, CONNECT_MS) }),
  };
}

/**
 * Sends a request. The answer may have any status.
 * @throws Transient when the server is not reached or does not answer in time (Stalled after silence).
 */
export async function send(request: OutboundRequest): Promise<Answer> {
  const { url, method = 'GET', form, headers, idleMs, redirect = 'follow', guard } = request;
  const { fetch, agent, guarded } = await openNetwork();
  const own = guard ? guarded(guard) : null;
  try {
    const {
      status,
      url: from,
      headers: fields,
      body,
    } = await fetch(url, {
      headers: { 'user-agent': USER_AGENT, ...headers },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : { method, body: request.body ?? null }),
      // The standard asks for it where the body is a stream.
      ...(typeof request.body === 'object' ? { duplex: 'half' } : {}),
      signal: endOf(request),
      redirect,
      dispatcher: (own ?? agent).compose(withLimits(idleMs)),
    });
    const pieces = (body ?? []) as AsyncIterable<Uint8Array>;
    const cancel = async (): Promise<void> => {
      await body?.cancel();
      await own?.destroy();
    };
    return { status, url: from || String(url), headers: fields, body: translated(pieces, idleMs), cancel };
  } catch (cause) {
    await own?.destroy();
    throw asFailure(cause, idleMs);
  }
}

/** What ends the request before its answer does; null: nothing. */
function endOf({ deadlineMs, signal }: OutboundRequest): AbortSignal | null {
  const ends = [...(signal ? [signal] : []), ...(deadlineMs === undefined ? [] : [AbortSignal.timeout(deadlineMs)])];
  return ends.length > 0 ? AbortSignal.any(ends) : null;
}

function withLimits(idleMs: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch({ ...options, headersTimeout: idleMs, bodyTimeout: idleMs }, withFewInterim(handler));
}

/** Interim answers (1xx) before the answer itself. A server may send them without end and without a pause, and the library reads each. */
const MOST_INTERIM = 16;

function withFewInterim(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  let interim = 0;
  return {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart(controller, status, ...rest) {
      if (status < 200 && ++interim > MOST_INTERIM) controller.abort(new Error('the server sends 1xx without end'));
      else handler.onResponseStart?.(controller, status, ...rest);
    },
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}

async function* translated(pieces: AsyncIterable<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (cause) {
    throw asFailure(cause, idleMs);
  }
}

/** The whole body. @throws TooLarge; Transient when it breaks off. */
export async function readBody({ body }: Pick<Answer, 'body'>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new TooLarge(`the answer is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** @throws Transient for 408, 429 and 5xx; Error for any other status from 400. */
export function checkStatus({ status, headers }: Pick<Answer, 'status' | 'headers'>): void {
  if (status < 400) return;
  if (isTemporary(status))
    throw new Transient(`the server answered ${status}`, { retryAfterMs: retryAfterMs(headers) });
  throw new Error(`the server answered ${status}`);
}

/** Says whether the same request may be answered otherwise later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The wait that a server asks for: seconds or a date (RFC 9110, section 10.2.3). Null when it asks for none. */
export function retryAfterMs(headers: Answer['headers']): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
