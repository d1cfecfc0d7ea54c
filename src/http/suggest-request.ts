import type { ErrorObject } from 'ajv';
import { AppError } from '../shared/problems.ts';
import { DEFAULT_SUGGESTIONS, suggestQuerySchema, type SuggestQuery } from '../shared/wire/suggest.ts';
import { validatorOf } from './validator.ts';

const isSuggestQuery = validatorOf<SuggestQuery>(suggestQuerySchema);

/** What is to be completed, and the most suggestions. */
export interface Suggestible {
  readonly text: string;
  readonly limit: number;
}

/** Reads the query of `GET /api/suggest`. @throws AppError BAD_REQUEST that names the error. */
export function wantedSuggestions(query: object): Suggestible {
  const limit = 'limit' in query ? { limit: numberOf(query.limit) } : {};
  return suggestibleOf({ ...query, ...limit }, 'query parameter');
}

/** Reads what is to be completed; `noun` names a member in the error. @throws AppError BAD_REQUEST. */
export function suggestibleOf(asked: unknown, noun: string): Suggestible {
  if (!isSuggestQuery(asked)) throw new AppError('BAD_REQUEST', describe(isSuggestQuery.errors?.[0], noun));
  return { text: asked.q, limit: asked.limit ?? DEFAULT_SUGGESTIONS };
}

/** Reads plain digits only: `Number` would also take "0x5" and " 5". */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value;
}

function describe(error: ErrorObject | undefined, noun: string): string {
  if (error?.keyword === 'additionalProperties') {
    return `there is no ${noun} "${String(error.params['additionalProperty'])}"`;
  }
  if (error?.keyword === 'required') return `the ${noun} "q" is missing: send what has been typed`;
  return error?.instancePath === '/limit'
    ? `the ${noun} "limit" takes one whole number from 1 to 10`
    : `the ${noun} "q" takes one text of 1 to 100 characters`;
}
