import type { TObject } from 'typebox';
import { invalidQuery, unknownParameter, type Takes } from './invalid.ts';
import { validatorOf, type Validator } from '../../project/validators.ts';

export interface QueryRules<Query> {
  readonly schema: TObject;
  readonly isValid: Validator<Query>;
  readonly takes: Takes;
  /** Parameters that are whole numbers. */
  readonly numbers?: readonly string[];
  /** It also takes the parameters of members that features add to answers. */
  readonly takesMembers?: boolean;
}

/** Rules from the schema of a query. */
export function queryRules<Query>(
  schema: TObject,
  { takes, numbers = [], takesMembers = false }: Omit<QueryRules<Query>, 'schema' | 'isValid'>,
): QueryRules<Query> {
  return { schema, isValid: validatorOf<Query>(schema), takes, numbers, takesMembers };
}

/**
 * Reads a query. It takes the query as a value, because Express parses it again on each access.
 * @throws AppError BAD_REQUEST that names the parameter.
 */
export function readQuery<Query>(query: object, { isValid, takes, numbers = [] }: QueryRules<Query>): Query {
  const asked: Record<string, unknown> = { ...query };
  for (const name of numbers) if (name in asked) asked[name] = numberOf(asked[name]);
  if (isValid(asked)) return asked;
  throw invalidQuery(isValid.errors, takes);
}

/** @throws AppError BAD_REQUEST when there is any query parameter. */
export function requireNoQuery(query: object): void {
  const [name] = Object.keys(query);
  if (name !== undefined) throw unknownParameter(name);
}

/** Reads plain digits only: `Number` would also take "0x5" and " 5". */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}
