import type { Response } from 'express';
import type { FoundKey } from '../../core/keys/key-store.ts';
import { counted, type Limited, quotaHeaders } from '../../core/limits/limit-words.ts';
import type { LookupAnswer } from '../../messages/lookup.ts';
import { AppError } from '../../messages/problems.ts';
import { answered, inJson } from '../../core/openapi/responses.ts';
import {
  type SuggestionsBody,
  type SuggestQuery,
  suggestionsSchema,
  DEFAULT_SUGGESTIONS,
  suggestQuerySchema,
} from './wire.ts';
import { suggestSettings } from './settings.ts';
import { settingsOf } from '../../core/settings/config.ts';
import type { Services } from '../../core/http/services.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import { route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import { invalidQuery } from '../../core/http/invalid.ts';
import { queryRules } from '../../core/http/query.ts';

const suggestQuery = queryRules<SuggestQuery>(suggestQuerySchema, {
  takes: { q: 'one text of 1 to 100 characters', limit: 'one whole number from 1 to 10' },
  numbers: ['limit'],
});

export const suggestLimit: Limited = {
  name: 'suggestions',
  may: (limit) => `ask for suggestions ${counted(limit, 'time')}`,
  policy: 'suggest',
};

/** `GET /api/suggest?q=TEXT&limit=N`: completes what someone types. It is not billed and leaves nothing in the usage journal. */
export const suggestRoute = route<SuggestQuery>({
  method: 'get',
  path: '/api/suggest',
  key: {},
  isLookup: true,
  query: suggestQuery,
  docs: ({ suggest }) => {
    const { q, suggestions } = suggest as SuggestionsBody & { readonly q: string };
    return {
      operationId: 'suggest',
      tag: 'lookup',
      summary: 'Complete an address while it is being typed',
      description:
        'Completes civic addresses, streets and municipalities from the address register. A lookup of a suggested address finds that very address. Not billed; has an hourly limit of its own. An answer without suggestions is no error.',
      query: { q: { required: true, example: q } },
      schemas: { Suggestions: suggestionsSchema },
      answers: {
        200: answered('The suggestions.', inJson('Suggestions', { suggestions })),
      },
    };
  },
  async handle({ services, res, query }) {
    sendJson(res, await runSuggest(services, res, suggestible(query)));
  },
});

/**
 * Completes what was typed for a request whose key is known: it is admitted, counted and logged, and the answer gets the headers of the limit.
 * @returns the body of the answer.
 * @throws what `Gate.during` throws, and AppError RATE_LIMITED.
 */
export async function runSuggest(
  { gate, quotas, config }: Services,
  res: Response,
  wanted: Suggestible,
): Promise<string> {
  const requestContext = requestContextOf(res);
  const key = requestContext.key!;
  const { json } = await gate.during(key, 'plain', async () => {
    const startMs = performance.now();
    const spending = await quotas.of(suggestLimit).spend(key.id, settingsOf(config, suggestSettings).perHour);
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
    const answer = await gate.lookup(task, { keyId, kind: 'plain', isGone: () => res.destroyed });
    requestContext.suggestMs = answer.geocodeMs;
    requestContext.queueMs = performance.now() - startMs - answer.geocodeMs;
    return answer;
  }
}

/** What is to be completed, and the most suggestions. */
interface Suggestible {
  readonly text: string;
  readonly limit: number;
}

/** Reads the arguments of the tool. @throws AppError BAD_REQUEST that names the error. */
export function suggestibleOf(args: unknown): Suggestible {
  const { isValid, takes } = suggestQuery;
  if (!isValid(args)) throw invalidQuery(isValid.errors, takes, 'argument');
  return suggestible(args);
}

function suggestible({ q, limit = DEFAULT_SUGGESTIONS }: SuggestQuery): Suggestible {
  return { text: q, limit };
}
