import { Ajv, type ErrorObject } from 'ajv';
import { AppError } from '../shared/problems.ts';
import { DEFAULT_SUGGESTIONS, suggestQuerySchema, type SuggestQuery } from '../shared/wire/suggest.ts';

const isSuggestQuery = new Ajv({ strict: true, allErrors: false }).compile<SuggestQuery>(suggestQuerySchema);

/** Reads what is to be completed. @throws AppError BAD_REQUEST that names the error. */
export function wantedSuggestions(query: object): { readonly text: string; readonly limit: number } {
  const read = { ...query, ...('limit' in query ? { limit: numberOf(query.limit) } : {}) };
  if (!isSuggestQuery(read)) throw new AppError('BAD_REQUEST', describe(isSuggestQuery.errors?.[0]));
  return { text: read.q, limit: read.limit ?? DEFAULT_SUGGESTIONS };
}

/** Reads plain digits only: `Number` would also take "0x5" and " 5". */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value;
}

function describe(error: ErrorObject | undefined): string {
  if (error?.keyword === 'additionalProperties') {
    return `there is no query parameter "${String(error.params['additionalProperty'])}"`;
  }
  if (error?.keyword === 'required') return 'the query parameter "q" is missing: send what has been typed';
  return error?.instancePath === '/limit'
    ? 'the query parameter "limit" takes one whole number from 1 to 10'
    : 'the query parameter "q" takes one text of 1 to 100 characters';
}
