import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { AppError, badRequest, problems, publicMembers } from '../../messages/problems.ts';
import type { ProblemDocument } from '../../messages/wire/problem.ts';
import { requestContextOf } from './request-context.ts';

/** Returns a failure as a problem document (RFC 9457) with the registry's `code`. Details of a 5xx stay in the log. */
export function problemDocument({ code, status, message, extras }: AppError, requestId: string): string {
  const document: ProblemDocument = {
    ...publicMembers({ code, detail: message, extras }),
    type: `/docs/errors#${code}`,
    title: problems[code].title,
    status,
    instance: `urn:land-lookup:request:${requestId}`,
    code,
  };
  return JSON.stringify(document);
}

/** Makes the last middleware: it answers any failure with its problem document. `note` is told of each. */
export function reportProblem(note: (res: Response) => void): ErrorRequestHandler {
  return (cause: unknown, _req, res: Response, next) => {
    if (res.headersSent) {
      next(cause);
      return;
    }
    const error = fromExpress(cause);
    const requestContext = requestContextOf(res);
    requestContext.error = error;
    note(res);
    const body = problemDocument(error, requestContext.requestId);
    res.set(besideOtherLimits(res, error.headers));
    // Not `res.set`, which would add a charset that JSON does not have.
    res.setHeader('Content-Type', 'application/problem+json');
    res.setHeader('Content-Length', Buffer.byteLength(body));
    res.status(error.status).end(body);
  };
}

/** The fields of a limit that is reached stand beside those of another one, which the answer has already, and in place of its own. */
function besideOtherLimits(res: Response, headers: AppError['headers']): Record<string, string> {
  const policyOf = (field: string): string => field.split(';', 1)[0]!;
  const entries = Object.entries(headers).map(([name, value]) => {
    const had = name.startsWith('RateLimit') ? res.getHeader(name) : undefined;
    return [name, typeof had === 'string' && policyOf(had) !== policyOf(value) ? `${had}, ${value}` : value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

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

/** Converts the errors of Express, which have a `status`: errors of the client become BAD_REQUEST. */
function fromExpress(cause: unknown): AppError {
  if (cause instanceof AppError || !(cause instanceof Error) || !('status' in cause)) return AppError.from(cause);
  const { status } = cause;
  if (typeof status !== 'number' || status < 400 || status >= 500) return AppError.from(cause);
  return badRequest('the request cannot be read', { cause });
}
