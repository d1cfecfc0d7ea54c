import {
  unavailableReasons,
  type LimitReason,
  type Reason,
  type RequestReason,
  type UnavailableReason,
} from './reasons.ts';

/** Every failure a client can see (docs/api.md); `reasons.ts` has their causes, and `limit-words.ts` what a limit allows. The key is the stable, documented `code`; the documentation shows `help`. */
export const problems = {
  BAD_REQUEST: {
    status: 400,
    title: 'The request is not valid',
    help: 'The body, its content type or a query parameter is not what the route accepts. `reason` says which; `param` names the place of the first error: a JSON pointer into the body, a query parameter, or a header; `detail` says it in words. Correct the request: the same request would get the same answer. It spends no quota.',
  },
  UNAUTHORIZED: {
    status: 401,
    title: 'A valid API key is needed',
    help: 'The Authorization header is missing or malformed, or the key is mistyped, unknown, revoked, expired or replaced. `reason` says which, and `since` when a key ended that was good once. Send `Authorization: Bearer <key>` with a valid key.',
  },
  PAYMENT_REQUIRED: {
    status: 402,
    title: 'The customer of this key is suspended',
    help: 'The customer does not pay, has cancelled, or earlier lookups could not be billed, so the service answers no more of them; `since` says from when on. The request spends no quota and is not billed. Pay or correct the payment method in the portal of the payment processor (where the service has accounts, `POST /api/account/portal` leads to it), or contact the operator of the service: the same key works again within 10 seconds after the suspension ends.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'The key may not be used here',
    help: 'The key is good, but not for requests from this network, not for batches, or not for further keys; or it was replaced and may not change its account any more. `detail` says which. The operator of the service can add networks to the key, or rows of batches per day. The request spends no quota.',
  },
  ADDRESS_NOT_FOUND: {
    status: 404,
    title: 'The address was not found',
    help: 'No civic address matches well enough, and a wrong point would be worse than no answer. `reason` says why, and `suggestions` holds up to five addresses that you may have meant. The request spends quota and is not billed.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this path',
    help: 'The service has nothing at this path, or the key has no such batch or other key. The document at /openapi.json lists every route.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The route does not take this method',
    help: 'The route exists, but does not take this method. The Allow header lists the methods that it takes.',
  },
  CONFLICT: {
    status: 409,
    title: 'The state does not allow it',
    help: 'What the request names is in a state that does not allow this: for example, a batch that has ended cannot be cancelled, some formats of its results need it to have ended, a delivery that is under way cannot be sent again, and a customer may have only so many keys. `detail` says which. Ask for its state, and repeat the request when it has changed.',
  },
  GONE: {
    status: 410,
    title: 'It was deleted',
    help: 'The time for which the results of the batch were kept has passed: send its rows again as a new batch. Or the snapshot that `vintage` names was deleted: the header Link leads to the one in service.',
  },
  TOO_LARGE: {
    status: 413,
    title: 'The upload is too large',
    help: 'The file has more rows or more bytes than a batch may have. `reason` says which, and `detail` names the limit. Split the file.',
  },
  OUTSIDE_ONTARIO: {
    status: 422,
    title: 'The address is outside Ontario',
    help: 'The place, or the province or postal code of the address, is outside Ontario. This service covers no other province. The request spends quota and is not billed.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    help: 'The key has used its lookups for this second, this hour or this month, has too many under way at once, or got too many repeated answers; it has used its rows of batches for this day, keeps as many batches as it may, or sends too many at once; or this network sent too many requests with bad keys. `reason` says which, and `detail` how much is allowed. Wait for the number of seconds in Retry-After. The RateLimit header of each answer to a good key says how many lookups are left.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    help: 'The service has a defect. Its log has the details under the id in `instance` and X-Request-Id. The quota is given back.',
  },
  UNANSWERABLE: {
    status: 500,
    title: 'The service cannot answer this row',
    help: 'The lookup of this row ended the thread that was to answer it, again and again, or held it up for too long. The other rows of the batch have their answers. This is a defect: tell the operator the batch and the number of the row. The row is not billed, and sent again it would most likely fail again.',
  },
  DB_ERROR: {
    status: 503,
    title: 'The service cannot answer at the moment',
    help: '`reason` says why: the service is overloaded, the lookup took too long, or something that it needs is missing, full or does not answer. Try again after the number of seconds in Retry-After: some outages end by themselves, others need the operator. The quota is given back.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ProblemCode = keyof typeof problems;

/** A failure with a code of the registry. Its message is the client's `detail`, except from status 500 on, where it is for the log alone. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ProblemCode;
  /** Extra members of the problem document. */
  readonly extras: Readonly<Record<string, unknown>>;
  /** Response headers that the failure requires, for example `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What only the log says of it. */
  readonly log: {
    /** Where the answer has none. */
    readonly reason?: string;
    /** A key that is known and may not be used. */
    readonly keyId?: string;
  } | null;

  constructor(
    code: ProblemCode,
    detail: string,
    options: ErrorOptions & {
      readonly extras?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly log?: NonNullable<AppError['log']>;
    } = {},
  ) {
    super(detail, options);
    this.code = code;
    this.extras = options.extras ?? {};
    this.headers = options.headers ?? {};
    this.log = options.log ?? null;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The member `reason`; null when the code says all. */
  get reason(): Reason | null {
    return (this.extras['reason'] as Reason | undefined) ?? null;
  }

  /** Converts any thrown value to an `AppError`; an unknown one is `INTERNAL`. */
  static from(cause: unknown): AppError {
    return cause instanceof AppError ? cause : new AppError('INTERNAL', 'unexpected failure', { cause });
  }
}

/** Longest name or value of a client that a message repeats, in UTF-16 units. */
const MOST_REPEATED = 100;

/** No detail needs so much: the longest lists the keys of all further answers. */
const MOST_DETAIL = 2000;

/** Cuts a name or a value that a client wrote, for a message. */
export function cutShort(text: string): string {
  return cutAt(text, MOST_REPEATED);
}

/** A character of two units is not cut in the middle. */
function cutAt(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * The request is not valid. Names and values of the client in `detail` are cut by `cutShort`; a word that is not, is cut here.
 * @param reason INVALID unless set.
 * @param param where the error is: a JSON pointer into the body, or the name of a query parameter or of a header.
 */
export function badRequest(
  detail: string,
  options: ErrorOptions & { readonly reason?: RequestReason; readonly param?: string } = {},
): AppError {
  const { reason = 'INVALID', param, ...cause } = options;
  return new AppError('BAD_REQUEST', cutDetail(detail), {
    ...cause,
    extras: { reason, ...(param === undefined ? {} : { param: cutShort(param) }) },
  });
}

/** Cuts the words of a detail, and the whole of it. */
export function cutDetail(detail: string): string {
  if (detail.length <= MOST_REPEATED) return detail;
  return cutAt(detail, MOST_DETAIL).replace(/\S{101,}/g, cutShort);
}

/** An `Idempotency-Key` that belongs to another request of its key. */
export function idempotencyKeyReused(): AppError {
  return badRequest('this Idempotency-Key was used for another request', {
    reason: 'IDEMPOTENCY_KEY_REUSED',
    param: 'Idempotency-Key',
  });
}

/** A limit is reached, which ends in `retryAfterS` seconds. */
export function rateLimited(
  reason: LimitReason,
  detail: string,
  { retryAfterS, headers }: { retryAfterS: number; headers?: Readonly<Record<string, string>> },
): AppError {
  return new AppError('RATE_LIMITED', detail, {
    extras: { reason },
    headers: { ...headers, 'Retry-After': String(retryAfterS) },
  });
}

/**
 * The service cannot answer at the moment. `detail` is for the log: a client reads the words of the reason.
 * @param retryAfterS instead of the seconds of the reason.
 * @param machine mark of the machine that can answer.
 */
export function unavailable(
  reason: UnavailableReason,
  detail: string,
  options: ErrorOptions & { readonly retryAfterS?: number; readonly machine?: string } = {},
): AppError {
  const { retryAfterS = unavailableReasons[reason].retryAfterS, machine, ...cause } = options;
  return new AppError('DB_ERROR', detail, {
    ...cause,
    extras: { reason, ...(machine === undefined ? {} : { machine }) },
    headers: { 'Retry-After': String(retryAfterS) },
  });
}

/** What a client may know of a failure besides its code. Details of a 5xx stay in the log; of a 503 the reason has words of its own. */
export function publicMembers({
  code,
  detail,
  extras = {},
}: {
  code: ProblemCode;
  detail: string;
  extras?: Readonly<Record<string, unknown>>;
}): { readonly detail?: string; readonly reason?: Reason; readonly [extra: string]: unknown } {
  const { status } = problems[code];
  if (status < 500) return { detail, ...extras };
  const { reason, machine } = extras as { readonly reason?: UnavailableReason; readonly machine?: string };
  if (reason === undefined) return {};
  return { detail: unavailableReasons[reason].detail, reason, ...(machine === undefined ? {} : { machine }) };
}
