import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'winston';
import { licenceLink } from '../shared/wire/licences.ts';
import type { AppError } from '../shared/problems.ts';
import { openRequestContext } from './request-context.ts';
import { traceOf } from './trace.ts';

/** A request id must not contain an API key, because ids are logged and returned. */
const SANE_ID = /^(?!.*olk_)[A-Za-z0-9._-]{8,128}$/;

/** Status in the log for a client that left before its answer, as in nginx. */
const CLIENT_LEFT = 499;

/**
 * Gives each request an id (the client's own `X-Request-Id` if it is valid) and its answer the link to the licences, and writes one line
 * when the request ends.
 * The line has the address or the coordinates only with `logAddresses`, because lookups are private.
 */
export function logRequests(logger: Logger, logAddresses: boolean): RequestHandler {
  return (req, res, next) => {
    const startMs = performance.now();
    const requestId = requestIdOf(req);
    const requestContext = openRequestContext(res, requestId, traceOf(req.get('traceparent')));
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('Link', licenceLink);
    res.on('close', () => {
      const { key, error, place, trace, ...notes } = requestContext;
      logger.log({
        // A tool reports its failure in an answer with 200.
        level: (error?.status ?? res.statusCode) >= 500 ? 'error' : 'info',
        message: 'request',
        method: req.method,
        route: routeOf(req),
        status: statusOf(res),
        ...(error ? describe(error) : {}),
        ms: roundMs(performance.now() - startMs),
        ...(key ? { keyId: key.id } : {}),
        ...rounded(notes),
        ...(trace ? { traceId: trace.traceId, parentId: trace.parentId, spanId: trace.spanId } : {}),
        ...(logAddresses ? place : {}),
      });
    });
    next();
  };
}

/** Returns the client's own `X-Request-Id` if it is valid, otherwise a new id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}

/** Returns the pattern of the route, never the path as sent, which may contain anything. */
export function routeOf(req: Request): string | null {
  return (req.route as { path: string } | undefined)?.path ?? null;
}

export function statusOf(res: Response): number {
  return res.writableFinished ? res.statusCode : CLIENT_LEFT;
}

/** Describes a failure for the log. Details of a 5xx are only in the log; others are also in the answer, and may name the client. */
function describe({ code, status, message, cause, reason, log }: AppError): Record<string, string> {
  const why = { code, ...(reason === null ? {} : { reason }), ...log };
  if (status < 500) return why;
  return { ...why, detail: message, ...(cause instanceof Error ? { cause: cause.stack ?? cause.message } : {}) };
}

function rounded(notes: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(notes).map(([name, note]: [string, unknown]) => [
      name,
      typeof note === 'number' ? roundMs(note) : note,
    ]),
  );
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
