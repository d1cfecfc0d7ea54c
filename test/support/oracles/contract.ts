/** The OpenAPI document as a judge of real answers. */
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { loadFeatures } from '../../../src/features.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import { openApiDocument } from '../../../src/core/openapi/document.ts';
import { problems, type ProblemCode } from '../../../src/messages/problems.ts';
import { reasonsOf } from '../../../src/messages/reasons.ts';
import type { ProblemDocument } from '../../../src/messages/wire/problem.ts';
import { lookupsOf } from '../../../src/core/http/routes.ts';

interface HeaderObject {
  readonly $ref?: string;
  readonly required?: boolean;
}
/** A text may have a schema for what each of its lines is. */
type BodySchema = object & { readonly contentSchema?: object };
interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  /** None: the answer has no body. */
  readonly content?: Readonly<Record<string, { readonly schema: BodySchema }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}
interface Document {
  readonly components: {
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const features = await loadFeatures();
const lookupPaths = lookupsOf(features).map(({ path }) => path);

export const document = openApiDocument(
  readCatalogue(join(projectDir, 'layers')),
  readExamples(),
  features,
) as unknown as Document;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(document, 'document');
const compiled = new Map<object, ValidateFunction>();

/** What is served to browsers and to the payment processor: not part of the contract with clients. */
const NOT_CONTRACT =
  /^\/(|account|examples|docs(\/.*)?|openapi\.json|robots\.txt|sitemap\.xml|\.well-known\/security\.txt|web\/.*|vendor\/.*|basemap\/.*|webhooks\/stripe|signup(\/.*)?)$/;

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
  const { method, path, status } = answer;
  const operations = operationsOf(path);
  if (!operations && isForBrowsers(answer)) return null;
  const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  const where = `${method} ${path} ${status}`;
  if (!operation) return isElsewhere(path, operations !== undefined, answer) ? null : `${where} is not documented`;
  const documented = operation.responses[String(status)];
  if (!documented) return `${method} ${path} answered ${status}, which is not documented`;
  const expected = '$ref' in documented ? document.components.responses[nameOf(documented.$ref)]! : documented;
  const codes = '$ref' in documented ? [codeOf(nameOf(documented.$ref))] : codesOf(status);
  return (
    missingHeader(where, expected, answer) ?? wrongBody(where, expected, answer) ?? wrongCode(where, codes, answer)
  );
}

/** A page, a file or a redirection. */
function isForBrowsers({ path, status, contentType }: Observed): boolean {
  // A person reads on the page why the button led nowhere.
  if (path === '/signup' && contentType?.startsWith('text/html') === true) return true;
  return NOT_CONTRACT.test(path) && [200, 204, 206, 303].includes(status);
}

const operationsByPath = Object.entries(document.paths).map(
  ([template, operations]) => [new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`), operations] as const,
);

/** Operations of a path, also where the document has a parameter in it. */
function operationsOf(path: string): Document['paths'][string] | undefined {
  return operationsByPath.find(([fits]) => fits.test(path))?.[1];
}

/** The last part of a reference. */
function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** `AddressNotFound` -> `ADDRESS_NOT_FOUND`. */
function codeOf(component: string): string {
  return component.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function codesOf(status: number): string[] {
  return (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].status === status);
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/** Whether an answer fits a path or a method that the document does not list. */
function isElsewhere(path: string, knownPath: boolean, answer: Observed): boolean {
  const codes = [
    ...['METHOD_NOT_ALLOWED', 'BAD_REQUEST'],
    ...(knownPath ? [] : ['NOT_FOUND']),
    ...(path === '/webhooks/stripe' ? ['RATE_LIMITED', 'INTERNAL', 'DB_ERROR'] : []),
    ...(path.startsWith('/signup') ? ['FORBIDDEN', 'RATE_LIMITED', 'DB_ERROR'] : []),
    ...(path.startsWith('/basemap/') ? ['RATE_LIMITED', 'DB_ERROR'] : []),
  ];
  return (wrongBody('', { content: problemContent }, answer) ?? wrongCode('', codes, answer)) === null;
}

/** Failures of lookups that come after the limit of the key is known. */
const AFTER_LIMIT: readonly number[] = [402, 403, 404, 422];

function missingHeader(where: string, { headers = {} }: ResponseObject, answer: Observed): string | null {
  const isLookup = lookupPaths.includes(answer.path);
  const isQuota = (name: string): boolean => name.startsWith('RateLimit');
  const isExpected = ([name, header]: [string, HeaderObject]): boolean => {
    const { required = false } = header.$ref === undefined ? header : document.components.headers[nameOf(header.$ref)]!;
    return required || answer.status < 300 || (isQuota(name) && isLookup && AFTER_LIMIT.includes(answer.status));
  };
  const absent = Object.entries(headers)
    .filter((header) => isExpected(header) && !answer.headers.has(header[0]))
    .map(([name]) => name);
  // A 200 has one of the two.
  const missing = ONE_OF.every((name) => absent.includes(name))
    ? ONE_OF[0]
    : absent.find((name) => !ONE_OF.includes(name));
  return missing === undefined ? null : `${where} lacks the header ${missing}`;
}

/** Each failure has the code of its response, and a title, a status and a reason that belong to it. */
function wrongCode(
  where: string,
  codes: readonly string[],
  { contentType, text, method, status }: Observed,
): string | null {
  if (contentType !== 'application/problem+json' || method === 'HEAD') return null;
  const problem = JSON.parse(text) as ProblemDocument;
  const { code, reason } = problem;
  if (!codes.includes(code)) return `${where} has the code ${code}`;
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = reasonsOf;
  const known = words[code];
  if (known ? !(String(reason) in known) : reason !== undefined) return `${where} has the reason ${reason}`;
  const { title, status: ofCode } = problems[code];
  return problem.title === title && problem.status === ofCode && ofCode === status
    ? null
    : `${where} has another title or status`;
}

function wrongBody(where: string, { content }: ResponseObject, { method, contentType, text }: Observed): string | null {
  if (!content) return text === '' ? null : `${where} has a body`;
  const [type] = (contentType ?? '').split(';');
  const media = content[type ?? ''];
  if (!media) return `${where} has the content type ${contentType ?? 'none'}`;
  if (method === 'HEAD') return null;
  const validate = validator(media.schema);
  const body: unknown = isJson(type) ? JSON.parse(text) : text;
  const { contentSchema } = media.schema;
  if (contentSchema) return wrongLines(where, contentSchema, text);
  return validate(body) ? null : `${where} does not fit: ${ajv.errorsText(validate.errors).slice(0, 500)}`;
}

/** Most lines of a text that are looked at: a test of a large batch is about something else. */
const MOST_LINES = 50;

/** NDJSON whose lines are items of a list with this schema. */
function wrongLines(where: string, schema: object, text: string): string | null {
  const validate = validator(schema);
  const rows = text.split('\n', MOST_LINES).filter((line) => line !== '');
  if (validate(rows.map((line) => JSON.parse(line) as unknown))) return null;
  return `${where} has lines that do not fit: ${ajv.errorsText(validate.errors).slice(0, 500)}`;
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
