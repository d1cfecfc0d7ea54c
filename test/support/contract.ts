/** The OpenAPI document as a judge of real answers. */
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/config.ts';
import { readExamples } from '../../src/http/service-documents.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { problemSchema } from '../../src/shared/wire/problem.ts';

interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>;
  /** None: the answer has no body. */
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, ResponseObject>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export const document = openApiDocument(
  readCatalogue(join(projectDir, 'layers')),
  readExamples(),
) as unknown as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(document, 'document');
const compiled = new Map<object, ValidateFunction>();

/** What is served to browsers and to the payment processor: not part of the contract with clients. */
const NOT_CONTRACT =
  /^\/(|account|docs(\/.*)?|openapi\.json|web\/.*|vendor\/.*|basemap\/.*|webhooks\/stripe|signup(\/.*)?)$/;

/** The first answer to a request, or an earlier one again. */
const ONE_OF: readonly string[] = ['Lookup-Id', 'Idempotent-Replayed'];

export interface Observed {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** What is wrong with an answer by the document; null when nothing is. */
export function contractBreach(answer: Observed): string | null {
  const { method, path, status, contentType } = answer;
  const operations = operationsOf(path);
  // A person reads on the page why the button led nowhere.
  if (path === '/signup' && contentType?.startsWith('text/html')) return null;
  if (!operations && NOT_CONTRACT.test(path) && [200, 204, 206, 303].includes(status)) return null;
  const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const expected = operation ? operation.responses[String(status)] : elsewhere(path, operations !== undefined);
  if (!expected) return `${method} ${path} answered ${status}, which is not documented`;
  const where = `${method} ${path} ${status}`;
  return missingHeader(where, expected, answer) ?? wrongBody(where, expected, answer);
}

/** Operations of a path, also where the document has a parameter in it. */
function operationsOf(path: string): Document['paths'][string] | undefined {
  const fits = (template: string): boolean => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.entries(document.paths).find(([template]) => fits(template))?.[1];
}

/** A path or a method that the document does not list. */
function elsewhere(path: string, knownPath: boolean): ResponseObject {
  const codes = [
    ...(['METHOD_NOT_ALLOWED', 'BAD_REQUEST'] as const),
    ...(knownPath ? [] : (['NOT_FOUND'] as const)),
    ...(path === '/webhooks/stripe' ? (['RATE_LIMITED', 'INTERNAL', 'DB_ERROR'] as const) : []),
    ...(path.startsWith('/signup') ? (['FORBIDDEN', 'RATE_LIMITED', 'DB_ERROR'] as const) : []),
  ];
  return { content: { 'application/problem+json': { schema: problemSchema(codes) } } };
}

function missingHeader(where: string, { headers = {} }: ResponseObject, answer: Observed): string | null {
  // A 429 for bad keys speaks of no key's quota.
  const optional = answer.status === 400 || answer.status === 429 ? ['RateLimit', 'RateLimit-Policy'] : [];
  const absent = Object.keys(headers).filter((name) => !optional.includes(name) && !answer.headers.has(name));
  // A 200 has one of the two.
  const missing = ONE_OF.every((name) => absent.includes(name))
    ? ONE_OF[0]
    : absent.find((name) => !ONE_OF.includes(name));
  return missing === undefined ? null : `${where} lacks the header ${missing}`;
}

function wrongBody(where: string, { content }: ResponseObject, { method, contentType, text }: Observed): string | null {
  if (!content) return text === '' ? null : `${where} has a body`;
  const [type] = (contentType ?? '').split(';');
  const media = content[type ?? ''];
  if (!media) return `${where} has the content type ${contentType ?? 'none'}`;
  if (method === 'HEAD') return null;
  const validate = validator(media.schema);
  const body: unknown = isJson(type) ? JSON.parse(text) : text;
  return validate(body) ? null : `${where} does not fit: ${ajv.errorsText(validate.errors).slice(0, 500)}`;
}

function isJson(type: string | undefined): boolean {
  return type === 'application/json' || type?.endsWith('+json') === true;
}

function validator(schema: object): ValidateFunction {
  let validate = compiled.get(schema);
  if (!validate) compiled.set(schema, (validate = ajv.compile(inDocument(schema))));
  return validate;
}

/** References of the document's schemas are meant from its root. */
function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as object;
}
