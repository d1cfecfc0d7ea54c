/** Turns the first error of a validator into a failure that names the place: `param` for programs, `detail` for people. */
import type { ErrorObject } from 'ajv';
import { badRequest, cutShort, type AppError } from '../../messages/problems.ts';

type Errors = readonly ErrorObject[] | null | undefined;

/** Words for the types of JSON Schema. */
const types: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

export interface BodyWords {
  /** What the body is called. */
  readonly noun?: string;
  /** What is wanted, by the keyword that refuses, where the words of the validator are of no use. */
  readonly must?: Readonly<Record<string, string>>;
}

/** A body that its schema refuses. */
export function invalidBody(errors: Errors, { noun = 'the body', must = {} }: BodyWords = {}): AppError {
  const { keyword, instancePath = '', message = 'is not valid', params } = firstOf(errors);
  const where = instancePath.slice(1) || noun;
  const member = (name: unknown): string =>
    `${instancePath}/${cutShort(String(name)).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  switch (keyword) {
    case 'additionalProperties': {
      const name = params['additionalProperty'];
      return badRequest(`${where} must not have the member "${cutShort(String(name))}"`, { param: member(name) });
    }
    case 'required': {
      const name = params['missingProperty'];
      return badRequest(`${where} must have the member "${String(name)}"`, { param: member(name) });
    }
    case 'type': {
      const words = [params['type']].flat().map((type) => types[String(type)] ?? String(type));
      return badRequest(`${where} must be ${words.join(' or ')}`, { param: instancePath });
    }
    default:
      return badRequest(`${where} ${must[keyword ?? ''] ?? message}`, { param: instancePath });
  }
}

/** What parameters take, by their name, as in `the query parameter "q" takes …`. */
export type Takes = Readonly<Record<string, string>>;

/** A query that its schema refuses, or the arguments of a tool that take the same. */
export function invalidQuery(errors: Errors, takes: Takes, noun: ParameterNoun = 'query parameter'): AppError {
  const { keyword, instancePath = '', params } = firstOf(errors);
  const refusal = (name: string, words: string): AppError =>
    badRequest(`the ${noun} "${name}" ${words}`, { param: paramOf(name, noun) });
  switch (keyword) {
    case 'additionalProperties':
      return unknownParameter(String(params['additionalProperty']), noun);
    case 'required': {
      const name = String(params['missingProperty']);
      return refusal(name, `is missing: it takes ${takes[name]}`);
    }
    default: {
      const name = instancePath.slice(1);
      return refusal(name, `takes ${takes[name] ?? 'one value'}`);
    }
  }
}

/** An argument is a member of the arguments, so that a pointer names it. */
type ParameterNoun = 'query parameter' | 'argument';

export function unknownParameter(name: string, noun: ParameterNoun = 'query parameter'): AppError {
  return badRequest(`there is no ${noun} "${cutShort(name)}" here`, { param: paramOf(name, noun) });
}

function paramOf(name: string, noun: ParameterNoun): string {
  return noun === 'argument' ? `/${name}` : name;
}

function firstOf(errors: Errors): Partial<Pick<ErrorObject, 'keyword' | 'instancePath' | 'message'>> & {
  readonly params: Readonly<Record<string, unknown>>;
} {
  const [error] = errors ?? [];
  return { ...error, params: (error?.params ?? {}) as Readonly<Record<string, unknown>> };
}
