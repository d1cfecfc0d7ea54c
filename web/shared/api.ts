/** What the page asks of the service. */
import { isPoint, type Question } from './question.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';
import type { FullPointLookupBody } from '../../src/messages/wire/point-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import type { AreaLookupBody } from '../../src/messages/wire/area-lookup.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';
import type { RuleJudgement } from '../../src/features/rules/messages/wire.ts';
import type { Suggestion } from '../../src/messages/lookup.ts';
import type { ContentInPage } from '../../src/features/page/page-document.ts';

/** The answer to an address or a point. */
export type Body = (FullLookupBody | FullPointLookupBody) & Ruled;
/** What rules make of the place, where they were asked for. */
export type Ruled = { rules?: Readonly<Record<string, RuleJudgement>> };
type Band = 'inside' | 'regulated' | 'adjacent' | 'outside';
/** What a parcel has of a layer; null: nobody knows. */
export type AreaAnswer = {
  share?: number;
  parts?: { value: NonNullable<LayerValue>; share: number }[];
  bands?: Partial<Record<Band, number>>;
  distanceM?: number | null;
  unknownShare: number;
  [count: string]: unknown;
} | null;
/** The answer to a parcel. */
export type AreaBody = Ruled & Omit<AreaLookupBody, 'layers'> & { layers: Record<string, AreaAnswer> };
/** The answer to a question of any kind, also one that was stored for everybody. */
export type AnswerBody = (Body | AreaBody) & {
  snapshot?: { id: string; createdAt?: string; dataSets?: Readonly<Record<string, string>> };
  dataAsOf: Readonly<Record<string, string | null>>;
  example?: { address: string; madeAt: string };
};
export type PageSettings = ContentInPage;
/** What was answered, with the lookups that are left of this hour where the answer says so, and the id of the lookup that it was; or why there is none. */
export type Result<Answer> = { ok: true; body: Answer; left?: number | null; lookupId?: string | null } | Failure;
export type Problem = {
  code: string;
  detail?: string;
  reason?: string;
  hint?: string;
  param?: string;
  since?: string;
  suggestions?: string[];
};
/** `left`: lookups of this hour, where the answer says so. */
export type Failure = { ok: false; problem: Problem; retryAfterS: number | null; left?: number | null };

/** Longer than the server's own deadline, so that the server's answer comes first. */
const TIMEOUT_MS = 15_000;

export const UNREACHABLE: Failure = { ok: false, problem: { code: 'UNREACHABLE' }, retryAfterS: null };

const PASSING = ['UNREACHABLE', 'TIMEOUT', 'NO_ANSWER', 'DB_ERROR', 'INTERNAL', 'RATE_LIMITED'];

/** What something between the page and the service may have written in place of an answer. */
export const NO_ANSWER: Failure = { ...UNREACHABLE, problem: { code: 'NO_ANSWER' } };

/** Whether the body of an answer has its parts. */
export function isAnswer(body: unknown): body is AnswerBody {
  const { lat, layers, areaM2, geocode, evidence } = Object(body) as Record<string, unknown>;
  return typeof lat === 'number' && Boolean(layers) && (typeof areaM2 === 'number' || Boolean(geocode && evidence));
}

/** Whether the same request may be answered later. */
export const isPassing = ({ problem }: Failure) => PASSING.includes(problem.code);

/** The lookup that answers a question. */
export function requestOf({ kind, ...asked }: Question) {
  return { path: pathOf(kind), body: JSON.stringify(asked) };
}

/** Looks a place up. The body is that of the question's kind. */
export const lookUp = <Answer = AnswerBody>(
  { path, body }: ReturnType<typeof requestOf>,
  { key, idempotencyKey, cancel }: { key: string; idempotencyKey: string; cancel?: AbortSignal },
): Promise<Result<Answer>> =>
  request(path, key, { ...posting(body, { 'Idempotency-Key': idempotencyKey }), signal: withTimeout(cancel) });

/** A request that sends JSON. */
export const posting = (body: string, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body,
  headers: { 'Content-Type': 'application/json', ...headers },
});

/** Reads a stored answer, which needs no key. One of another address, because other data are in service now, is the problem `NOT_FOUND`. */
export async function readExample(address: string, outcome: string, cancel: AbortSignal): Promise<Result<AnswerBody>> {
  const result = await request<AnswerBody>(`/api/examples/${outcome}`, null, { signal: withTimeout(cancel) });
  return result.ok && isAnswer(result.body) && result.body.example?.address !== address
    ? { ...UNREACHABLE, problem: { code: 'NOT_FOUND' } }
    : result;
}

const withTimeout = (cancel?: AbortSignal) =>
  AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(cancel ? [cancel] : [])]);

/** The path with the further answers that the address of the page asks for, as `/?layers=all`, and with what the map shows. */
function pathOf(kind: Question['kind']) {
  const layers = new URLSearchParams(location.search).get('layers');
  const query = new URLSearchParams({
    ...(kind === 'area' ? {} : { detail: 'full' }),
    ...(has('maps') ? { geometry: 'map' } : {}),
    ...(has('rules') ? { rules: 'all' } : {}),
    ...(layers === null ? {} : { layers }),
  });
  return query.size === 0 ? paths[kind] : `${paths[kind]}?${query}`;
}

const paths = { address: '/api/lookup', point: '/api/lookup/point', area: '/api/lookup/area' };

/**
 * Sends a request, with a key unless none is needed. A server that cannot be reached is the problem `UNREACHABLE`; one that takes longer than its deadline is
 * `TIMEOUT`, unless `signal` is another or null. `read`: takes what is no JSON.
 */
export async function request<Answer>(
  path: string,
  key: string | null,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  read = (response: Response) => response.json() as Promise<Answer>,
): Promise<Result<Answer>> {
  // A browser sends no such header, and no key has such signs.
  if (key !== null && /[^\x20-\x7e]/.test(key)) return { ...UNREACHABLE, problem: { code: 'UNAUTHORIZED' } };
  try {
    const headers = { ...init.headers, ...(key === null ? {} : { Authorization: `Bearer ${key}` }) };
    const response = await fetch(path, { signal: withTimeout(), ...init, headers });
    if (!response.ok) return await failureOf(response);
    const lookupId = response.headers.get('Lookup-Id');
    return { ok: true, body: await read(response), left: leftIn(response), lookupId };
  } catch (cause) {
    return cause instanceof DOMException && cause.name === 'TimeoutError'
      ? { ...UNREACHABLE, problem: { code: 'TIMEOUT' } }
      : UNREACHABLE;
  }
}

/** What a response that is no success says. */
async function failureOf(response: Response): Promise<Failure> {
  const retryAfter = response.headers.get('Retry-After');
  const retryAfterS = retryAfter === null ? null : Number(retryAfter);
  const problem = { code: String(response.status), ...((await response.json()) as Partial<Problem>) };
  return { ok: false, problem, retryAfterS, left: leftIn(response) };
}

function leftIn({ headers }: Response) {
  const left = /"lookup";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1];
  return left === undefined ? null : Number(left);
}

/** As the service takes. */
const MOST_SUGGESTED_LETTERS = 100;

/** Time before which the service gives no suggestions, by the clock of `performance`. */
let suggestFromMs = 0;

/** Completes a text. Without suggestions the page works as well, so every failure gives none. */
export async function suggest(
  text: string,
  { key, limit = 5, signal = null }: { key: string; limit?: number; signal?: AbortSignal | null },
): Promise<readonly Suggestion[]> {
  const isUseless = !has('suggest') || text === '' || text.length > MOST_SUGGESTED_LETTERS || isPoint(text);
  if (isUseless || key === '' || performance.now() < suggestFromMs) return [];
  const query = new URLSearchParams({ q: text, limit: String(limit) });
  const result = await request<{ suggestions: Suggestion[] }>(`/api/suggest?${query}`, key, { signal });
  if (result.ok) return result.body.suggestions;
  suggestFromMs = performance.now() + (result.retryAfterS ?? 0) * 1000;
  return [];
}

let layers: Promise<LayersBody> | null = null;

/** The catalogue. The page asks for it once, and again after a failure and when another snapshot has answered. `snapshotId`: of the answer. */
export async function readLayers(snapshotId?: string): Promise<LayersBody> {
  const catalogue = await fetchedLayers();
  if (snapshotId === undefined || catalogue.snapshot.id === snapshotId) return catalogue;
  layers = null;
  return fetchedLayers();
}

/** The snapshot that is in service now; null when that cannot be known. */
export async function presentSnapshot(cancel: AbortSignal): Promise<string | null> {
  layers = null;
  return fetchedLayers({ cache: 'no-cache', signal: withTimeout(cancel) }).then(
    ({ snapshot }) => snapshot.id,
    () => null,
  );
}

function fetchedLayers(how: Pick<RequestInit, 'cache' | 'signal'> = {}): Promise<LayersBody> {
  if (!layers) {
    layers = request<LayersBody>('/api/layers', null, { signal: null, ...how }).then((result) => {
      if (!result.ok) throw new Error(result.problem.code);
      return result.body;
    });
    layers.catch(() => (layers = null));
  }
  return layers;
}

let settings: PageSettings | null = null;

/** What the server has written into the page. */
export const readSettings = () =>
  (settings ??= JSON.parse(document.getElementById('settings')?.textContent ?? '') as PageSettings);

/** Whether the service has a feature. */
export const has = (name: PageSettings['features'][number]) => readSettings().features.includes(name);
