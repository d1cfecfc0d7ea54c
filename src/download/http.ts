/** HTTP for downloads from a busy public server: every wait and every size has a limit. */

export interface HttpRequest {
  readonly url: string;
  /** Sent as a form by POST; without it the method is GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A longer body is refused. */
  readonly maxBytes: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A temporary failure, which is worth another attempt. */
export class Transient extends Error {
  override readonly name = 'Transient';
  /** Wait that the server asked for; null when it did not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | null } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The server was silent for too long. */
export class Stalled extends Transient {}

/** The body is longer than the request allows. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Longest wait for the answer to begin, and between two pieces of it. */
export const IDLE_MS = 90_000;

const userAgent = 'land-lookup (Ontario land data importer)';

/**
 * Makes one request and reads its whole body.
 * @throws Transient when the server cannot be reached, stops in the middle or answers 408, 429 or 5xx; TooLarge; Error
 * for any other status from 400.
 */
export async function request(wanted: HttpRequest, idleMs = IDLE_MS): Promise<HttpReply> {
  const idle = new IdleTimer(idleMs);
  try {
    const response = await fetch(wanted.url, { ...initOf(wanted), signal: idle.signal });
    idle.restart();
    const body = await readBody(response, wanted.maxBytes, idle);
    checkStatus(response);
    return { status: response.status, headers: response.headers, body };
  } catch (cause) {
    throw asTransient(cause, idle);
  } finally {
    idle.stop();
  }
}

export function initOf({ form, headers }: Pick<HttpRequest, 'form' | 'headers'>): RequestInit {
  const all = { 'user-agent': userAgent, ...headers };
  return form ? { method: 'POST', body: new URLSearchParams(form), headers: all } : { headers: all };
}

/** @throws Transient for 408, 429 and 5xx; Error for any other status from 400. */
export function checkStatus({ status, headers }: Response): void {
  if (status < 400) return;
  if (status === 408 || status === 429 || status >= 500)
    throw new Transient(`the server answered ${status}`, { retryAfterMs: retryAfterMs(headers) });
  throw new Error(`the server answered ${status}`);
}

/** Turns an error of fetch into a clear one: no connection, a broken connection, or our own timer. */
export function asTransient(cause: unknown, idle: IdleTimer): unknown {
  if (cause instanceof Transient || cause instanceof TooLarge) return cause;
  if (idle.hasRun) return new Stalled(`the server was silent for ${idle.ms / 1000} s`, { cause });
  if (cause instanceof TypeError) {
    const detail = cause.cause instanceof Error ? cause.cause.message : cause.message;
    return new Transient(`the connection failed: ${detail}`, { cause });
  }
  return cause;
}

async function readBody(response: Response, maxBytes: number, idle: IdleTimer): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    idle.restart();
    bytes += piece.length;
    if (bytes > maxBytes) throw new TooLarge(`the answer is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** Aborts a request when nothing has arrived for a while. */
export class IdleTimer {
  readonly ms: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasRun(): boolean {
    return this.#controller.signal.aborted;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#controller.abort();
    }, this.ms);
  }
}
