/** A temporary failure, which is worth another attempt. */
export class Transient extends Error {
  override readonly name: string = 'Transient';
  /** Wait that the server asked for; null when it did not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | null } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The server was silent for too long. */
export class Stalled extends Transient {}

/** A refusal that another attempt does not change. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** HTTP status, or the code that a server of its kind reports inside a 200. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** The body is longer than the request allows. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Does work on a thing of many, such as a file at a URL: the messages of its failures then begin with the name of the thing. */
export async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${name}: ${cause.message}`;
    throw cause;
  }
}

/** Codes of undici for a server that is silent before its answer, and in the middle of it. */
const silences: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/**
 * Translates what undici throws: a `TypeError` with the reason as its cause, or a `TimeoutError` at the deadline. The message names
 * neither the path nor the parameters of the request: they may hold an address.
 */
export function asFailure(cause: unknown, idleMs: number): unknown {
  if (!(cause instanceof Error)) return cause;
  if (cause.name === 'TimeoutError') return new Transient('no answer in time', { cause });
  if (!(cause instanceof TypeError)) return cause;
  const reason = cause.cause instanceof Error ? cause.cause : cause;
  if ('code' in reason && silences.includes(reason.code))
    return new Stalled(`the server was silent for ${idleMs / 1000} s`, { cause });
  // Attempts at several addresses that all fail have a code and no message.
  const words = reason.message || String((reason as NodeJS.ErrnoException).code);
  return new Transient(`the connection failed: ${words}`, { cause });
}
