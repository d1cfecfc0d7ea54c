/** State of a limit of a key. */
export interface QuotaState {
  readonly limit: number;
  /** Length of the window in seconds. */
  readonly windowS: number;
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly resetS: number;
}

/** The two structured fields of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers). */
export function quotaHeaders(
  { limit, windowS, remaining, resetS }: QuotaState,
  policy = 'lookup',
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${windowS}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetS}`,
  };
}
