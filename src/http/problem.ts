import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { AppError, problems } from '../shared/problems.ts';
import type { ProblemDocument } from '../shared/wire/problem.ts';
import { mcpPath } from './lookup-paths.ts';
import { requestContextOf } from './request-context.ts';
import { routeOf } from './request-log.ts';

/** Returns a failure as a problem document (RFC 9457) with the registry's `code`. Details of a 5xx stay in the log. */
export function problemDocument({ code, status, message, extras }: AppError, requestId: string): string {
  const document: ProblemDocument = {
    ...(status < 500 ? extras : {}),
    type: `/docs/errors#${code}`,
    title: problems[code].title,
    status,
    ...(status < 500 ? { detail: message } : {}),
    instance: `urn:land-lookup:request:${requestId}`,
    code,
  };
  return JSON.stringify(document);
}

/** The last middleware: answers any failure with its problem document. */
export const reportProblem: ErrorRequestHandler = (cause: unknown, req, res: Response, next) => {
  if (res.headersSent) {
    next(cause);
    return;
  }
  const error = fromExpress(cause, routeOf(req));
  const requestContext = requestContextOf(res);
  requestContext.error = error;
  const body = problemDocument(error, requestContext.requestId);
  res.set(error.headers);
  // Not `res.set`, which would add a charset that JSON does not have.
  res.setHeader('Content-Type', 'application/problem+json');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.status(error.status).end(body);
};

/** Answers 405 for a path that exists with other methods. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  const allow = methods.join(', ');
  return () => {
    throw new AppError('METHOD_NOT_ALLOWED', `this route takes ${allow}`, { headers: { Allow: allow } });
  };
}

export const noSuchRoute: RequestHandler = () => {
  throw new AppError('NOT_FOUND', 'there is nothing at this path');
};

/**
 * Converts the errors of Express and its body parser, which have a `status`: errors of the client become BAD_REQUEST.
 */
function fromExpress(cause: unknown, route: string | null): AppError {
  if (cause instanceof AppError || !(cause instanceof Error) || !('status' in cause)) return AppError.from(cause);
  const { status } = cause;
  if (typeof status !== 'number' || status < 400 || status >= 500) return AppError.from(cause);
  return new AppError('BAD_REQUEST', bodyProblem(cause, route) ?? 'the request cannot be read', { cause });
}

function bodyProblem(cause: Error, route: string | null): string | undefined {
  const type = 'type' in cause ? String(cause.type) : '';
  if (type === 'entity.parse.failed') return `the body is not JSON: send ${bodies[route ?? ''] ?? ADDRESS_BODY}`;
  if (type === 'entity.too.large') return `the body is larger than ${limitOf(cause) / 1024} KiB`;
  return bodyProblems[type];
}

/** By the `type` of body-parser's errors. */
const bodyProblems: Readonly<Record<string, string>> = {
  'encoding.unsupported': 'the body has a Content-Encoding that is not supported',
  'charset.unsupported': 'the body must be UTF-8',
  'request.aborted': 'the body ended early',
  'request.size.invalid': 'the body is not as long as its Content-Length says',
};

const ADDRESS_BODY = '{"address": "<street address>, <city>, ON"}';

/** What routes take that take no address. */
const bodies: Readonly<Record<string, string>> = {
  '/api/lookup/point': '{"lat": 44.1, "lon": -78.6}',
  '/api/lookup/area': '{"geometry": {"type": "Polygon", "coordinates": […]}}',
  [mcpPath]: 'one JSON-RPC message',
};

/** Returns the limit of the route in bytes, which body-parser writes into its error. */
function limitOf(cause: Error): number {
  return 'limit' in cause ? Number(cause.limit) : NaN;
}
