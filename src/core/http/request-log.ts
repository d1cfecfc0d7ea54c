import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { ServiceLogger } from '../settings/logger.ts';
import { stages } from '../../messages/lookup.ts';
import type { AppError } from '../../messages/problems.ts';
import { requestContextOf, type RequestContext } from './request-context.ts';
import { withSourceLines } from '../../project/source-lines.ts';

/** A request id must not contain an API key, because ids are logged and returned. */
const SANE_ID = /^(?!.*olk_)[A-Za-z0-9._-]{8,128}$/;

/** Status in the log for a client that left before its answer, as in nginx. */
const CLIENT_LEFT = 499;

const times = stages.map((stage) => `${stage}Ms` as const);

/** Takes note of a request that has ended after so many ms. */
export type NoteRequest = (req: Request, res: Response, ms: number) => void;

/**
 * Writes one line for each request. It is a template, which takes a third of the time of an object that winston turns into JSON. It has the
 * address or the coordinates only with `logAddresses`, because lookups are private.
 */
export function logRequests(logger: ServiceLogger, logAddresses: boolean): NoteRequest {
  return (req, res, ms) => {
    const context = requestContextOf(res);
    const { key, error, requestId, lookupId } = context;
    // A tool reports its failure in an answer with 200.
    const level = (error?.status ?? res.statusCode) >= 500 ? 'error' : 'info';
    let line = `{"timestamp":"${new Date().toISOString()}","level":"${level}","message":"request","method":"${req.method}"`;
    line += `,"route":${JSON.stringify(routeOf(req))},"status":${statusOf(res)}`;
    if (error) line += members(describe(error));
    line += `,"ms":${roundMs(ms)}`;
    if (key) line += `,"keyId":"${key.id}"`;
    line += `,"requestId":"${requestId}"`;
    for (const member of times) {
      const stageMs = context[member];
      if (stageMs !== undefined) line += `,"${member}":${roundMs(stageMs)}`;
    }
    if (lookupId !== undefined) line += `,"lookupId":"${lookupId}"`;
    logger.writeLine(level, `${line}${rareMembers(context, logAddresses)}}`);
  };
}

/** Returns what the lines of most requests do not have. */
function rareMembers({ batchId, tool, trace, place }: RequestContext, logAddresses: boolean): string {
  let text = batchId === undefined && tool === undefined ? '' : members({ batchId, tool });
  if (trace) text += members({ traceId: trace.traceId, parentId: trace.parentId, spanId: trace.spanId });
  return logAddresses && place ? text + members(place) : text;
}

/** Returns members as JSON behind others. */
function members(more: object): string {
  const text = JSON.stringify(more);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
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
  const behind = cause instanceof Error ? { cause: withSourceLines(cause.stack ?? cause.message) } : {};
  return { ...why, detail: withSourceLines(message), ...behind };
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
