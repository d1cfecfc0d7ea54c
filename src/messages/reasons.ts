/** Reasons of ADDRESS_NOT_FOUND. */
const refusalReasons = {
  CIVIC_NUMBER_REQUIRED: 'the address has no civic (house) number',
  NON_CIVIC_ADDRESS: 'a post office box, general delivery or a rural route is no place',
  INTERSECTION: 'an intersection is no civic address',
  MUNICIPALITY_REQUIRED: 'the address names no municipality, and more than one could be meant',
  MUNICIPALITY_NOT_FOUND: 'no such municipality is known',
  STREET_NOT_FOUND: 'no such street is known there',
  CIVIC_NOT_ON_STREET: 'the street has no such civic number',
  AMBIGUOUS: 'more than one address fits',
  LOW_CONFIDENCE: 'the nearest match differs too much from what was asked',
} as const;

/** Reasons of OUTSIDE_ONTARIO. */
const outsideReasons = { OUT_OF_AREA: 'the place is outside Ontario' } as const;

/** What a client may have meant by coordinates outside of Ontario. */
export const hints = {
  EXCHANGED: 'latitude and longitude are exchanged',
  POSITIVE_LONGITUDE: 'the longitude lacks its minus sign',
  EXCHANGED_POSITIVE: 'latitude and longitude are exchanged, and the longitude lacks its minus sign',
} as const;
export type Hint = keyof typeof hints;

/** Reasons for which an address has no answer. */
export type RefusalReason = keyof typeof refusalReasons | keyof typeof outsideReasons;

const BODY_TOO_LARGE = 'the body has more bytes than the route takes';

/** Reasons of BAD_REQUEST. */
const requestReasons = {
  INVALID: 'a member, a parameter or a header is missing, unknown or not as described: `param` names it',
  NOT_JSON: 'the body is not JSON',
  BODY_TOO_LARGE,
  BODY_INCOMPLETE: 'the body ended early, is not as long as its header says, or cannot be decompressed',
  MEDIA_TYPE: 'the Content-Type is missing, or is none that the route takes',
  ENCODING: 'the body is not in a Content-Encoding or a character set that the route takes',
  HEADER_TOO_LARGE: 'the URL and the header together have more than 16 KiB',
  IDEMPOTENCY_KEY_REUSED: 'the Idempotency-Key was used for another request',
  TOO_SLOW: 'the request did not arrive in time',
  NOT_HTTP: 'what arrived is no HTTP/1.1 request',
} as const;
export type RequestReason = keyof typeof requestReasons;

/** Reasons of UNAUTHORIZED. The last three are told to whoever sends a key that was good once: nobody else can send it. */
const keyReasons = {
  MISSING: 'the header Authorization is missing',
  MALFORMED: 'the header Authorization is not `Bearer <key>`',
  MISTYPED: 'this is no key: letters are missing, or are others',
  UNKNOWN: 'there is no such key',
  REVOKED: 'the key was revoked: `since` says when',
  EXPIRED: 'the key has ended: `since` says when',
  REPLACED: 'a newer key has taken the place of this one: `since` says when it ended',
} as const;
export type KeyReason = keyof typeof keyReasons;

/** Reasons of TOO_LARGE. */
const sizeReasons = { BODY_TOO_LARGE, TOO_MANY_ROWS: 'the file has more rows than a batch may have' } as const;
export type SizeReason = keyof typeof sizeReasons;

/** Reasons of RATE_LIMITED: which limit. */
const limitReasons = {
  PER_SECOND: 'the lookups of the key per second',
  PER_HOUR: 'what the key, or a network without one, may ask for per hour',
  PER_DAY: 'the rows of batches per day (UTC), or the changes of an account per day',
  PER_MONTH: 'the monthly budget of the key',
  AT_ONCE: 'the lookups of the key, or the uploads, downloads or lists of its customer, that are under way at once',
  REPEATED_ANSWERS: 'the answers that the key gets again with an Idempotency-Key, per hour',
  REFUSED_REQUESTS: 'the requests of the key that are not valid, or its uploads that become no batch',
  BATCHES_KEPT: 'the batches of the key, or their bytes, that are kept: delete some',
  BAD_KEYS: 'the requests of this network with bad keys or signatures',
} as const;
export type LimitReason = keyof typeof limitReasons;

/**
 * Reasons of DB_ERROR: what a client reads of each in place of the details, which stay in the log, and after how many seconds the same request may succeed
 * unless a caller knows better.
 */
export const unavailableReasons = {
  OVERLOADED: { retryAfterS: 1, detail: 'More requests came than the service can answer at once.' },
  TOO_LATE: { retryAfterS: 1, detail: 'The lookup took longer than the service allows.' },
  INTERRUPTED: { retryAfterS: 1, detail: 'The work on the request was interrupted. Send it again.' },
  IN_PROGRESS: {
    retryAfterS: 1,
    detail: 'The first request with this Idempotency-Key is under way. Ask for its answer again.',
  },
  KEYS_UNREACHABLE: { retryAfterS: 5, detail: 'The service cannot read its keys.' },
  GEOCODER_UNREACHABLE: { retryAfterS: 10, detail: 'The geocoder that finds addresses does not answer.' },
  PROCESSOR_UNREACHABLE: { retryAfterS: 10, detail: 'The payment processor does not answer as it should.' },
  STORAGE_UNREACHABLE: { retryAfterS: 10, detail: 'The service cannot write to its storage, or read from it.' },
  STORAGE_FULL: { retryAfterS: 60, detail: 'The storage of the service is full. Its operator must make room.' },
  ELSEWHERE: {
    retryAfterS: 30,
    detail: 'Another machine of the service keeps this batch. `machine` is its mark. Send the request to it.',
  },
  DATA_UNREADABLE: { retryAfterS: 30, detail: 'The service cannot read its land data. Its operator must look at it.' },
  NO_REGISTER: {
    retryAfterS: 300,
    detail: 'The service has no address register that can answer this. Its operator must import one.',
  },
} as const satisfies Record<string, { readonly retryAfterS: number; readonly detail: string }>;
export type UnavailableReason = keyof typeof unavailableReasons;

export type Reason = KeyReason | RefusalReason | RequestReason | SizeReason | LimitReason | UnavailableReason;

/** Reasons by the code that they explain, with their words. */
export const reasonsOf = {
  BAD_REQUEST: requestReasons,
  UNAUTHORIZED: keyReasons,
  ADDRESS_NOT_FOUND: refusalReasons,
  TOO_LARGE: sizeReasons,
  OUTSIDE_ONTARIO: outsideReasons,
  RATE_LIMITED: limitReasons,
  DB_ERROR: Object.fromEntries(Object.entries(unavailableReasons).map(([reason, { detail }]) => [reason, detail])),
} as const satisfies Record<string, Readonly<Record<string, string>>>;

/** Every reason, once. */
export const reasons = [...new Set(Object.values(reasonsOf).flatMap((words) => Object.keys(words) as Reason[]))];
