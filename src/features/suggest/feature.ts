import { Type } from 'typebox';
import type { ServedFeature, ToolCall } from '../../feature.ts';
import type { Suggestion, LookupAnswer } from '../../messages/lookup.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { suggestSettings } from './settings.ts';
import type { FoundKey } from '../../core/keys/key-store.ts';
import { counted, type Limited, quotaHeaders } from '../../core/limits/limit-words.ts';
import { AppError } from '../../messages/problems.ts';
import { answered, inJson } from '../../core/openapi/responses.ts';
import type { Services } from '../../core/http/services.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import { route } from '../../core/http/route.ts';
import { sendJson } from '../../core/http/send-answer.ts';
import { invalidQuery } from '../../core/http/invalid.ts';
import { queryRules } from '../../core/http/query.ts';
import { closed, oneOf, type Described } from '../../schema.ts';
import type { Response } from 'express';

const MOST_SUGGESTIONS = 10;
const DEFAULT_SUGGESTIONS = 5;

export const suggestQuerySchema = closed({
  q: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'What has been typed so far. Case, accents, punctuation and commas make no difference.',
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_SUGGESTIONS,
      default: DEFAULT_SUGGESTIONS,
      description: 'Most suggestions.',
    }),
  ),
});
type SuggestQuery = Described<typeof suggestQuerySchema>;

const latitude = Type.Number({ minimum: 41, maximum: 57, description: 'WGS84 latitude in degrees.' });
const longitude = Type.Number({ minimum: -96, maximum: -74, description: 'WGS84 longitude in degrees.' });

const suggestion = closed(
  {
    kind: oneOf(['address', 'street', 'municipality'], {
      description: 'The text of an address leads to that address in a lookup. The others need more words.',
    }),
    text: Type.String({ description: 'What to put into the field.' }),
    lat: Type.Optional(latitude),
    lon: Type.Optional(longitude),
  },
  { description: 'One completion. `lat` and `lon` are those of an address; other kinds have none.' },
);

const suggestionsSchema = closed(
  { suggestions: Type.Array(suggestion, { maxItems: MOST_SUGGESTIONS, description: 'The best first; may be empty.' }) },
  { description: 'Completions of what was typed.' },
);
type SuggestionsBody = Described<typeof suggestionsSchema>;

const suggestQuery = queryRules<SuggestQuery>(suggestQuerySchema, {
  takes: { q: 'one text of 1 to 100 characters', limit: 'one whole number from 1 to 10' },
  numbers: ['limit'],
});

const suggestLimit: Limited = {
  name: 'suggestions',
  may: (limit) => `ask for suggestions ${counted(limit, 'time')}`,
  policy: 'suggest',
};

/** `GET /api/suggest?q=TEXT&limit=N`: completes what someone types. It is not billed and leaves nothing in the usage journal. */
const suggestRoute = route<SuggestQuery>({
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
async function runSuggest(
  { gate, quotas, config }: Services,
  res: Response,
  wanted: ReturnType<typeof suggestible>,
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

/** Reads the arguments of the tool. @throws AppError BAD_REQUEST that names the error. */
function suggestibleOf(args: unknown): ReturnType<typeof suggestible> {
  const { isValid, takes } = suggestQuery;
  if (!isValid(args)) throw invalidQuery(isValid.errors, takes, 'argument');
  return suggestible(args);
}

/** What is to be completed, and the most suggestions. */
function suggestible({ q, limit = DEFAULT_SUGGESTIONS }: SuggestQuery): {
  readonly text: string;
  readonly limit: number;
} {
  return { text: q, limit };
}

/** Completes addresses while they are typed: a route, and a tool for agents. */
export const suggest: ServedFeature = {
  routes: [suggestRoute],
  about: ({ config }) => ({
    limits: `It may ask for suggestions ${settingsOf(config, suggestSettings).perHour} times per hour.`,
  }),
  tools: [
    {
      name: 'suggest_address',
      title: 'Complete an address',
      description:
        'Completes the beginning of an address: civic addresses, streets and municipalities of Ontario, the best first. Use it before lookup_address when an address is incomplete or was refused. Free, with an hourly limit of its own.',
      inputSchema: suggestQuerySchema,
      output: {
        suggestions: Type.Array(
          Type.Object({
            kind: Type.String(),
            text: Type.String(),
            lat: Type.Optional(Type.Number()),
            lon: Type.Optional(Type.Number()),
          }),
        ),
      },
      run: complete,
    },
  ],
};

async function complete(args: unknown, { services, res }: ToolCall) {
  const answer = await runSuggest(services, res, suggestibleOf(args));
  const { suggestions } = JSON.parse(answer) as { suggestions: readonly Suggestion[] };
  return () => ({ suggestions });
}
