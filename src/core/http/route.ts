/** A route as data, from which Express's route, the checks before its handler, and its place in the document of the API are made. */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { TObject } from 'typebox';
import type { Asker, FoundKey } from '../keys/key-store.ts';
import { messageLimit, type Limited, quotaHeaders } from '../limits/limit-words.ts';
import type { Documented } from '../openapi/operation.ts';
import { rulesWithMembers } from './answer-members.ts';
import { invalidBody, type BodyWords } from './invalid.ts';
import {
  ANYBODY,
  askerIn,
  countForNetwork,
  kindOfUrl,
  requireKey,
  setPrivate,
  type AuthenticateOptions,
  type NetworkLimit,
} from './key.ts';
import { gone } from './send-answer.ts';
import { onlyMethods } from './problem.ts';
import { readQuery, requireNoQuery, type QueryRules } from './query.ts';
import { checkJson, readJson, type JsonBodyOptions } from './read-body.ts';
import { requestContextOf } from './request-context.ts';
import type { Services } from './services.ts';
import type { Slots } from './slots.ts';
import { validatorOf, type Validator } from '../../project/validators.ts';

const methods = ['get', 'post', 'patch', 'delete'] as const;

/** What a request asks for, once it may ask and is read. */
interface Asked<Query, Body> {
  readonly services: Services;
  readonly req: Request;
  readonly res: Response;
  readonly query: Query;
  readonly body: Body;
}

interface BodyRules<Body> extends JsonBodyOptions {
  /** Absent: the handler checks it. */
  readonly isValid?: Validator<Body>;
  readonly words?: BodyWords;
  /** True: a request without a body is taken as `{}`. */
  readonly isOptional?: boolean;
}

/** Rules of a small body, from its schema. */
export function bodyRules<Body>(
  schema: TObject,
  { isOptional = false, ...words }: BodyWords & Pick<BodyRules<Body>, 'isOptional'> = {},
): BodyRules<Body> {
  return { mostBytes: 8 * 1024, example: 'an object', isValid: validatorOf<Body>(schema), words, isOptional };
}

/** Counts a request of a key. @throws AppError RATE_LIMITED. */
type Limit = (services: Services, res: Response) => Promise<void>;

/**
 * A request is checked in the order of these members: what comes before all other checks, 401, 403 and 402 for the key, 503 when the service is full, 400 for body and query, 429 for
 * the limits, and then the rest.
 */
interface Rules<Query, Body> {
  /** As Express writes it: `/api/batches/:id`. */
  readonly path: string;
  /** Sets headers that each answer has, and refuses what nobody may ask. */
  readonly before?: readonly RequestHandler[];
  /** It also takes requests without a key, as many of a network as this says: they are counted before their body is read. Its handler decides what they may ask for. */
  readonly anybody?: NetworkLimit;
  /** What else a key must have. @throws AppError FORBIDDEN. */
  readonly requires?: (key: FoundKey) => void;
  /** Whether it waits for a thread like a lookup, and is refused like one. */
  readonly isLookup?: boolean;
  readonly body?: BodyRules<Body>;
  /** Absent: it takes no parameters. `any`: it ignores those that it does not know, as pages do. */
  readonly query?: QueryRules<Query> | 'any';
  readonly limits?: readonly Limit[];
  /** Of a route whose answers may be long and are made for one client: where the request has a place from its handler's begin until its answer has gone. */
  readonly takesPlace?: (asked: Pick<Asked<Query, Body>, 'services' | 'req' | 'res'>) => {
    readonly slots: Slots;
    readonly holder: string;
  };
  /** What the document of the API says of it; null: nothing, or more than fits here (`src/core/openapi/document.ts`). */
  readonly docs: Documented | null;
}

interface Answering<Query, Body> extends Rules<Query, Body> {
  /** Null: anybody may ask. */
  readonly key: AuthenticateOptions | null;
  // A method, so that routes with different queries and bodies stand in one list.
  handle(asked: Asked<Query, Body>): Promise<void> | void;
}

export type Route<Query = unknown, Body = unknown> =
  | (Answering<Query, Body> & { readonly method: 'get'; readonly changes?: never })
  | (Answering<Query, Body> & {
      readonly method: Exclude<(typeof methods)[number], 'get'>;
      /** Why nothing needs to be decided. */
      readonly changes: `no: ${string}`;
    })
  | (Rules<Query, Body> & {
      readonly method: Exclude<(typeof methods)[number], 'get'>;
      readonly key: AuthenticateOptions;
      /**
       * It changes what outlives the request. After its body, and before its limits count it, the key is read from the store, because the one that this process
       * remembers may have been replaced, revoked, confined to networks or suspended since; a replaced secret may change nothing. Where the change itself is in the
       * store of keys, the store decides again in its transaction (`asker`).
       */
      readonly changes: true;
      handle(
        asked: Asked<Query, Body> & {
          /** By whom the store decides once more, when it writes. */
          readonly asker: Asker;
        },
      ): Promise<void> | void;
    });

/** What the description of each change says. */
export const NOT_REPLACED = 'A key that a rotation has replaced may not do this.';

/** Infers what the handler of a route gets from the route's rules. */
export function route<Query = undefined, Body = undefined>(data: Route<Query, Body>): Route {
  return data;
}

/** A limit per hour for all requests of a key to some routes. */
export function perHour(counts: Limited & Pick<Required<Limited>, 'policy'>, most: number): Limit {
  return async ({ quotas }, res) => {
    const { state } = await quotas.of(counts).spend(requestContextOf(res).key!.id, most);
    res.set(quotaHeaders(state, counts.policy));
  };
}

/** Requests of a key that look nothing up and have no limit of their own. */
export const FREE_PER_HOUR = 10_000;

/** Counts such a request. */
export const spendFree: Limit = async ({ quotas }, res) => {
  await quotas.of(messageLimit).spend(requestContextOf(res).key!.id, FREE_PER_HOUR);
};

/** Answers anybody. */
export type OpenHandle = Answering<unknown, unknown>['handle'];

/** A route for anybody, such as a page. The document of the API says nothing of it, or more than fits here. */
export function openRoute(
  path: string,
  before: readonly RequestHandler[],
  handle: OpenHandle,
): Extract<Route, { readonly method: 'get' }> {
  return { method: 'get', path, before, key: null, query: 'any', docs: null, handle };
}

/** Makes Express's routes. Any other method of their paths gets 405. */
export function routerOf(routes: readonly Route[], services: Services): Router {
  const router = Router({ strict: true, caseSensitive: true });
  for (const path of new Set(routes.map((one) => one.path))) {
    const here = routes.filter((one) => one.path === path);
    const made = router.route(path);
    for (const one of here) made[one.method](...(one.before ?? []), handlerOf(one, services));
    made.all(onlyMethods(...methods.filter((method) => here.some((one) => one.method === method)).flatMap(withHead)));
  }
  return router;
}

/** Express answers HEAD wherever it answers GET. */
function withHead(method: Route['method']): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
}

/** All in one handler, because each further one of Express costs some microseconds. */
function handlerOf(one: Route, services: Services): RequestHandler {
  const rules = queryRulesOf(one, services);
  return async (req, res) => {
    await admit(one, services, res);
    const sent = one.body === undefined ? undefined : await readSent(one.body, services, res);
    if (one.query === undefined) requireNoQuery(req.query);
    const query = rules === null ? undefined : readQuery(req.query, rules);
    const body = one.body === undefined ? undefined : readValid(sent, one.body);
    const asker = one.changes === true ? await askerIn(res, one.key, services) : null;
    for (const limit of one.limits ?? []) await limit(services, res);
    const asked = { services, req, res, query, body };
    const handle = async (): Promise<void> =>
      one.changes === true ? one.handle({ ...asked, asker: asker! }) : one.handle(asked);
    if (one.takesPlace === undefined) return handle();
    const { slots, holder } = one.takesPlace(asked);
    await slots.during(holder, async () => {
      await handle();
      await gone(res);
    });
  };
}

/** Finds who asks, and refuses whoever may not, or what is too much at the moment. @throws AppError. */
async function admit({ key, anybody, requires, isLookup }: Route, services: Services, res: Response): Promise<void> {
  const { req } = res;
  const takesNoKey = key === null || (anybody !== undefined && req.headers.authorization === undefined);
  if (!takesNoKey) {
    const found = await requireKey(services, res, key);
    requires?.(found);
  } else if (anybody !== undefined) {
    setPrivate(res);
    await countForNetwork(services, res, anybody);
  }
  if (isLookup) services.gate.check(requestContextOf(res).key ?? ANYBODY, kindOfUrl(req.originalUrl));
}

/** Refuses, before its body is read, the request of a key that had too many refused. */
async function readSent(body: BodyRules<unknown>, services: Services, res: Response): Promise<unknown> {
  const { key } = requestContextOf(res);
  if (key) services.refusedRequests.check(key.id);
  checkJson(res.req, body.isOptional);
  return readJson(services, res, body);
}

/** Null: nothing of the query is read. */
function queryRulesOf({ query }: Route, { members }: Services): QueryRules<unknown> | null {
  if (query === undefined || query === 'any') return null;
  return query.takesMembers === true ? rulesWithMembers(query, members) : query;
}

function readValid<Body>(sent: unknown, { isValid, words, isOptional }: BodyRules<Body>): Body {
  const body = sent === undefined && isOptional ? {} : sent;
  if (isValid === undefined || isValid(body)) return body as Body;
  throw invalidBody(isValid.errors, words);
}
