/** Every failure a client can see (architecture, section 7). The key is the stable, documented `code`. */
export const problems = {
  BAD_REQUEST: { status: 400, title: 'The request is not valid' },
  UNAUTHORIZED: { status: 401, title: 'A valid API key is needed' },
  ADDRESS_NOT_FOUND: { status: 404, title: 'The address was not found' },
  NOT_FOUND: { status: 404, title: 'There is no such route' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The route does not take this method' },
  OUTSIDE_ONTARIO: { status: 422, title: 'The address is outside Ontario' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  INTERNAL: { status: 500, title: 'Internal error' },
  DB_ERROR: { status: 503, title: 'The data cannot be read at the moment' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

interface AppErrorOptions extends ErrorOptions {
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure with its place in the registry. `detail` reaches the client below 500 only. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ProblemCode;
  /** Extra members of the problem document. */
  readonly extras: Readonly<Record<string, unknown>>;
  /** Response headers that the failure demands, for example `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, options);
    this.code = code;
    this.extras = options.extras ?? {};
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** Any thrown thing as an `AppError`; what is not known is `INTERNAL`. */
  static from(cause: unknown): AppError {
    return cause instanceof AppError ? cause : new AppError('INTERNAL', 'unexpected failure', { cause });
  }
}
