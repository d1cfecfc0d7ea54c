/** What has a limit: the names of its counters, and its words. */

export const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** Length of the window for requests that are not valid: a client with a fault waits no longer once it is mended. */
export const REFUSED_WINDOW_S = 600;

/** Lengths of windows in words. */
const WINDOWS: Readonly<Record<number, string>> = {
  1: 'per second',
  [REFUSED_WINDOW_S]: 'in ten minutes',
  [HOUR_S]: 'per hour',
  [DAY_S]: 'per day',
};

const lookups = (limit: number): string => `make ${counted(limit, 'lookup')}`;

/**
 * What is counted: names of the counters in Redis, words and reason of the refusal, and the policy that the fields of an answer
 * name (null: they are about another limit).
 */
export const COUNTED = {
  lookups: { prefix: 'land-lookup:quota', may: lookups, policy: 'lookup', reason: 'PER_HOUR' },
  burst: { prefix: 'land-lookup:burst', may: lookups, policy: null, reason: 'PER_SECOND', windowS: 1 },
  replays: {
    prefix: 'land-lookup:replays',
    may: (limit: number) => `get ${counted(limit, 'repeated answer')}`,
    policy: null,
    reason: 'REPEATED_ANSWERS',
  },
  suggestions: {
    prefix: 'land-lookup:suggestions',
    may: (limit: number) => `ask for suggestions ${counted(limit, 'time')}`,
    policy: 'suggest',
    reason: 'PER_HOUR',
  },
  messages: {
    prefix: 'land-lookup:messages',
    may: (limit: number) => `send ${counted(limit, 'request')} that look nothing up`,
    policy: null,
    reason: 'PER_HOUR',
  },
  openMessages: {
    prefix: 'land-lookup:open-messages',
    may: (limit: number) => `send ${counted(limit, 'message')} without a key`,
    policy: null,
    reason: 'PER_HOUR',
  },
  coverage: {
    prefix: 'land-lookup:coverage',
    may: (limit: number) => `ask about coverage ${counted(limit, 'time')}`,
    policy: null,
    reason: 'PER_HOUR',
  },
  webhooks: {
    prefix: 'land-lookup:webhooks',
    may: (limit: number) => `ask about webhooks ${counted(limit, 'time')}`,
    policy: 'webhooks',
    reason: 'PER_HOUR',
  },
  signups: {
    prefix: 'land-lookup:signups',
    may: (limit: number) => `begin ${counted(limit, 'sign-up')}`,
    policy: null,
    reason: 'PER_HOUR',
  },
  allSignups: {
    prefix: 'land-lookup:all-signups',
    may: (limit: number) => `begin ${counted(limit, 'sign-up')}`,
    policy: null,
    reason: 'PER_HOUR',
  },
  claims: {
    prefix: 'land-lookup:claims',
    may: (limit: number) => `ask for a new key ${counted(limit, 'time')}`,
    policy: null,
    reason: 'PER_HOUR',
  },
  refused: {
    prefix: 'land-lookup:refused',
    may: (limit: number) => `have ${counted(limit, 'request')} refused as not valid`,
    policy: null,
    reason: 'REFUSED_REQUESTS',
    windowS: REFUSED_WINDOW_S,
  },
  refusedLarge: {
    prefix: 'land-lookup:refused-large',
    may: (limit: number) => `send ${limit} large bodies that come to no lookup`,
    policy: null,
    reason: 'REFUSED_REQUESTS',
    windowS: 1,
  },
  refusedUploads: {
    prefix: 'land-lookup:refused-uploads',
    may: (limit: number) => `send ${limit} MiB that become no batch`,
    policy: null,
    reason: 'REFUSED_REQUESTS',
    windowS: DAY_S,
  },
  account: {
    prefix: 'land-lookup:account',
    may: (limit: number) => `ask about its account ${counted(limit, 'time')}`,
    policy: 'account',
    reason: 'PER_HOUR',
  },
  accountChanges: {
    prefix: 'land-lookup:account-changes',
    may: (limit: number) => `change its account ${counted(limit, 'time')}`,
    policy: null,
    reason: 'PER_DAY',
    windowS: DAY_S,
  },
} as const;

export type Counted = keyof typeof COUNTED;

/** What has a limit that is not a key. */
const HOLDERS: Readonly<Partial<Record<Counted, string>>> = {
  openMessages: 'network',
  coverage: 'network',
  signups: 'network',
  claims: 'network',
  allSignups: 'service',
  refusedUploads: 'client',
};

/** Says what a limit allows: "this key may make 1000 lookups per hour". */
export function refusalOf(counts: Counted, limit: number, windowS: number): string {
  const holder = HOLDERS[counts] ?? 'key';
  return `this ${holder} may ${COUNTED[counts].may(limit)} ${WINDOWS[windowS] ?? `in ${windowS} s`}`;
}

function counted(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}
