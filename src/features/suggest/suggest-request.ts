import { DEFAULT_SUGGESTIONS, suggestQuerySchema, type SuggestQuery } from './wire.ts';
import { invalidQuery } from '../../core/http/invalid.ts';
import { queryRules } from '../../core/http/query.ts';

export const suggestQuery = queryRules<SuggestQuery>(suggestQuerySchema, {
  takes: { q: 'one text of 1 to 100 characters', limit: 'one whole number from 1 to 10' },
  numbers: ['limit'],
});

/** What is to be completed, and the most suggestions. */
export interface Suggestible {
  readonly text: string;
  readonly limit: number;
}

/** Reads the arguments of the tool. @throws AppError BAD_REQUEST that names the error. */
export function suggestibleOf(args: unknown): Suggestible {
  const { isValid, takes } = suggestQuery;
  if (!isValid(args)) throw invalidQuery(isValid.errors, takes, 'argument');
  return suggestible(args);
}

export function suggestible({ q, limit = DEFAULT_SUGGESTIONS }: SuggestQuery): Suggestible {
  return { text: q, limit };
}
