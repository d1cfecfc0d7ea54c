/** What a 429 says of a limit, and the limits of the core. Features have theirs beside the routes that count. */
import type { LimitReason } from '../../messages/reasons.ts';

export const HOUR_S = 3600;
export const DAY_S = 24 * HOUR_S;

/** Length of the window for requests that are not valid: a client with a fault waits no longer once it is mended. */
export const REFUSED_WINDOW_S = 600;

/** What a limit counts, and the words of its refusal. */
export interface Limited {
  /** Of its counters; no other limit has the same. */
  readonly name: string;
  /** What its holder may do: "send 20 messages". */
  readonly may: (limit: number) => string;
  /** A key unless set. */
  readonly holder?: 'key' | 'network' | 'service' | 'client';
  /** Name of the policy in the fields `RateLimit` of an answer; without it they are about another limit. */
  readonly policy?: string;
  /** `PER_HOUR` unless set. */
  readonly reason?: LimitReason;
  /** Length of its window; an hour unless set. */
  readonly windowS?: number;
}

/** Lengths of windows in words. */
const WINDOWS: Readonly<Record<number, string>> = {
  1: 'per second',
  [REFUSED_WINDOW_S]: 'in ten minutes',
  [HOUR_S]: 'per hour',
  [DAY_S]: 'per day',
};

const makeLookups = (limit: number): string => `make ${counted(limit, 'lookup')}`;

export const lookupLimit: Limited = { name: 'quota', may: makeLookups, policy: 'lookup' };

export const burstLimit: Limited = { name: 'burst', may: makeLookups, reason: 'PER_SECOND', windowS: 1 };

export const replayLimit: Limited = {
  name: 'replays',
  may: (limit) => `get ${counted(limit, 'repeated answer')}`,
  reason: 'REPEATED_ANSWERS',
};

export const messageLimit: Limited = {
  name: 'messages',
  may: (limit) => `send ${counted(limit, 'request')} that look nothing up`,
};

export const refusedLimit: Limited = {
  name: 'refused',
  may: (limit) => `have ${counted(limit, 'request')} refused as not valid`,
  reason: 'REFUSED_REQUESTS',
  windowS: REFUSED_WINDOW_S,
};

export const refusedLargeLimit: Limited = {
  name: 'refused-large',
  may: (limit) => `send ${limit} large bodies that come to no lookup`,
  reason: 'REFUSED_REQUESTS',
  windowS: 1,
};

/** Says what a limit allows: "this key may make 1000 lookups per hour". */
export function refusalOf({ holder = 'key', may }: Limited, limit: number, windowS: number): string {
  return `this ${holder} may ${may(limit)} ${WINDOWS[windowS] ?? `in ${windowS} s`}`;
}

/** "1 lookup", "20 lookups". */
export function counted(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}

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
