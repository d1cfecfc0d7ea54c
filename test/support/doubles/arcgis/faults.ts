/** What goes wrong at public servers, made to order. */
export const faultKinds = [
  'status 500',
  'status 503',
  'web page',
  'error in 200',
  'broken off',
  'lost connection',
  'slow',
  'short page',
  'silently short page',
  'empty page',
  'duplicates',
  'silence',
] as const;

/** What servers say of a list that is too long for them, or to whom they give nothing. */
export const refusalKinds = [
  'status 400',
  'status 413',
  'status 504',
  'error 400 in 200',
  'error 500 in 500',
  'status 401',
  'status 403',
  'error 499 in 200',
  'login page',
  'redirect to login',
] as const;

/** What comes from a service that is no longer there: from the server, or from what stands in its place. */
export const goneKinds = ['status 404', 'status 410', 'redirect'] as const;

export type FaultKind = (typeof faultKinds)[number] | (typeof refusalKinds)[number] | (typeof goneKinds)[number];

/** Decides for each query whether something goes wrong with it. @param path below the root of the services. */
export type FaultPlan = (query: URLSearchParams, path: string) => FaultKind | null;

export const noFaults: FaultPlan = () => null;

/** Something of `kinds` goes wrong with this share of the queries. */
export function randomFaults(random: () => number, share: number, kinds: readonly FaultKind[]): FaultPlan {
  return () => (random() < share ? kinds[Math.floor(random() * kinds.length)]! : null);
}

/** The first `times` queries for features go wrong, the others do not. */
export function firstFaults(kind: FaultKind, times: number): FaultPlan {
  let left = times;
  return (query) => (query.has('objectIds') && left-- > 0 ? kind : null);
}
