import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'winston';
import type { AppError } from '../shared/problems.ts';
import { openRequestContext } from './request-context.ts';
import { traceOf } from './trace.ts';

/** No API key passes for a request id: ids are logged and echoed. */
const SANE_ID = /^(?!.*olk_)[A-Za-z0-9._-]{8,128}$/;

/** What is logged for a client that left before its answer, as nginx does. */
const CLIENT_LEFT = 499;

/**
 * Gives each request an id (the client's own `X-Request-Id` where it is sane) and writes one line when it ends. No address
 * unless `logAddresses`: what people look up is nobody's business.
 */
export function logRequests(logger: Logger, logAddresses: boolean): RequestHandler {
  return (req, res, next) => {
    const startMs = performance.now();
    const requestId = requestIdOf(req);
    const requestContext = openRequestContext(res, requestId, traceOf(req.get('traceparent')));
    res.set('X-Request-Id', requestId);
    res.on('close', () => {
      const { key, error, address, trace, ...notes } = requestContext;
      logger.log({
        level: res.statusCode >= 500 ? 'error' : 'info',
        message: 'request',
        method: req.method,
        route: routeOf(req),
        status: statusOf(res),
        ...(error ? describe(error) : {}),
        ms: roundMs(performance.now() - startMs),
        ...(key ? { keyId: key.id } : {}),
        ...rounded(notes),
        ...(trace ? { traceId: trace.traceId, parentId: trace.parentId, spanId: trace.spanId } : {}),
        ...(logAddresses && address !== undefined ? { address } : {}),
      });
    });
    next();
  };
}

/** The client's own `X-Request-Id` where it is sane, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}

/** The pattern, never the path as sent, which may hold anything. */
export function routeOf(req: Request): string | null {
  return (req.route as { path: string } | undefined)?.path ?? null;
}

export function statusOf(res: Response): number {
  return res.writableFinished ? res.statusCode : CLIENT_LEFT;
}

/** Details of a 5xx are for the log alone; those of the others are in the answer. */
function describe({ code, status, message, cause }: AppError): Record<string, string> {
  if (status < 500) return { code };
  return { code, detail: message, ...(cause instanceof Error ? { cause: cause.stack ?? cause.message } : {}) };
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
