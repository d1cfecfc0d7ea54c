/** What the document of the API says of a route, beside what its rules say already. */
import type { TObject, TSchema } from 'typebox';
import type { ProblemCode } from '../../messages/problems.ts';
import type { Schema } from '../../schema.ts';
import { askingMembers, type Brought, type Examples } from './lookup-operations.ts';
import { answersTo, failures, inJson, parameter } from './responses.ts';

export interface Operation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters in the path. */
  readonly path?: Readonly<Record<string, Schema>>;
  /** What is said of a parameter of the query beside its schema. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** Parameters in the header. */
  readonly headers?: readonly Schema[];
  /** The body: the name of the component that describes it and an example, or all of it where it is no JSON. */
  readonly body?: readonly [schema: string, example: unknown] | Schema;
  /** Answers that are no failures, by status, and failures that differ from those of other routes. */
  readonly answers: Readonly<Record<number, Schema>>;
  /** Components of the document that bodies and answers refer to, by name; one that several routes use stands with the first. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** Codes of failures besides those of every route with a key. */
  readonly failures?: readonly Exclude<ProblemCode, 'METHOD_NOT_ALLOWED' | 'UNANSWERABLE'>[];
}

/** An operation, or how it is made of the answers of the service on its bundled sample, and of what features bring to lookups. */
export type Documented = Operation | ((examples: Examples, brought: Brought) => Operation);

/** A route, as far as its operation depends on it. */
export interface DocumentedRoute {
  readonly method: string;
  readonly path: string;
  readonly key: { readonly takesSuspended?: boolean } | null;
  /** It also takes requests without a key. */
  readonly anybody?: object;
  readonly body?: { readonly isOptional?: boolean };
  readonly query?: { readonly schema: TObject; readonly takesMembers?: boolean } | 'any';
  /** Null: it is described elsewhere, or not at all. */
  readonly docs: Documented | null;
}

/** The paths of the document. */
export function pathsOf(routes: readonly DocumentedRoute[], examples: Examples, brought: Brought): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const docs = docsOf(route, examples, brought);
    if (docs === null) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, docs, brought) };
  }
  return paths;
}

/** The components that the routes bring. */
export function schemasOf(routes: readonly DocumentedRoute[], examples: Examples, brought: Brought): Schema {
  return Object.assign({}, ...routes.map((route) => docsOf(route, examples, brought)?.schemas)) as Schema;
}

function docsOf({ docs }: DocumentedRoute, examples: Examples, brought: Brought): Operation | null {
  return typeof docs === 'function' ? docs(examples, brought) : docs;
}

function operationOf({ key, anybody, body, query }: DocumentedRoute, docs: Operation, { members }: Brought): Schema {
  const { operationId, tag, summary, description } = docs;
  const parameters = [
    ...Object.entries(docs.path ?? {}).map(([name, { example, ...schema }]) => ({
      ...parameter('path', name, schema as never),
      ...{ required: true, example },
    })),
    ...Object.entries(typeof query === 'object' ? queryOf(query, members).properties : {}).map(([name, schema]) => ({
      ...parameter('query', name, schema),
      ...docs.query?.[name],
    })),
    ...(docs.headers ?? []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: key === null ? [] : [...(anybody ? [{}] : []), { key: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(docs.body === undefined ? {} : { requestBody: bodyOf(docs.body, !body?.isOptional) }),
    responses: { ...failuresOf(key, docs), ...docs.answers },
  };
}

function queryOf(
  { schema, takesMembers = false }: Exclude<NonNullable<DocumentedRoute['query']>, 'any'>,
  members: Brought['members'],
): TObject {
  return takesMembers ? askingMembers(schema, members) : schema;
}

function bodyOf(body: NonNullable<Operation['body']>, required: boolean): Schema {
  return Array.isArray(body) ? { required, content: inJson(...(body as [string, unknown])) } : (body as Schema);
}

/** A customer who is suspended gets 402 from every route but those to pay. */
function failuresOf(key: DocumentedRoute['key'], { failures: own = [] }: Operation): Schema {
  if (key === null) return answersTo(...own);
  return failures(...(key.takesSuspended ? [] : (['PAYMENT_REQUIRED'] as const)), ...own);
}
