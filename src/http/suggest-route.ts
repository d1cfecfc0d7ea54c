import { Router, type RequestHandler, type Response } from 'express';
import type { FoundKey } from '../accounts/key-store.ts';
import { quotaHeaders } from '../accounts/quota-state.ts';
import type { Quota } from '../accounts/quota.ts';
import type { LookupAnswer } from '../shared/contract/lookup.ts';
import { AppError } from '../shared/problems.ts';
import { authenticate, refuseWhenFull, type KeyContext } from './key.ts';
import { onlyMethods } from './problem.ts';
import { requestContextOf } from './request-context.ts';
import { sendJson } from './send-json.ts';
import { wantedSuggestions, type Suggestible } from './suggest-request.ts';

export interface SuggestContext extends KeyContext {
  readonly suggestions: {
    /** Counts the requests of a key, apart from its lookups. */
    readonly quota: Quota;
    readonly perHour: number;
  };
}

/**
 * `GET /api/suggest?q=TEXT&limit=N`: completes what someone types. It is not billed and leaves nothing in the usage
 * journal. Checks 401, then 403, then 402, then 503 when too many lookups are under way, then 400, 429 and the rest.
 */
export function suggestRoute(context: SuggestContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/api/suggest')
    .get(authenticate(context), refuseWhenFull(context), suggest(context))
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}

function suggest(context: SuggestContext): RequestHandler {
  return async (req, res) => {
    sendJson(res, await runSuggest(context, res, wantedSuggestions(req.query)));
  };
}

/**
 * Completes what was typed for a request whose key is known: it is admitted, counted and logged, and the answer gets the headers of the limit.
 * @returns the body of the answer.
 * @throws what `Admission.during` throws, and AppError RATE_LIMITED.
 */
export async function runSuggest(
  { admission, suggestions: { quota, perHour } }: Pick<SuggestContext, 'admission' | 'suggestions'>,
  res: Response,
  wanted: Suggestible,
): Promise<string> {
  const requestContext = requestContextOf(res);
  const key = requestContext.key!;
  const { json } = await admission.during(key, 'plain', async () => {
    const startMs = performance.now();
    const spending = await quota.spend(key.id, perHour);
    requestContext.quotaMs = performance.now() - startMs;
    res.set(quotaHeaders(spending.state, 'suggest'));
    try {
      return await ask(key);
    } catch (cause) {
      if (AppError.from(cause).status >= 500) res.set(quotaHeaders(await spending.giveBack(), 'suggest'));
      throw cause;
    }
  });
  return json;

  /** Waits for a thread like a plain lookup of the same key. */
  async function ask({ id: keyId }: FoundKey): Promise<LookupAnswer> {
    const startMs = performance.now();
    const task = { kind: 'suggest', ...wanted } as const;
    const answer = await admission.lookup(task, { keyId, isGone: () => res.destroyed });
    requestContext.suggestMs = answer.geocodeMs;
    requestContext.queueMs = performance.now() - startMs - answer.geocodeMs;
    return answer;
  }
}
