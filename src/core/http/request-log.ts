/** How a request begins, and the line that the log has of it when it ends. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { ServiceLogger } from '../settings/logger.ts';
import { type AskedTask, stages } from '../../messages/lookup.ts';
import { type AppError, badRequest } from '../../messages/problems.ts';
import { requestContextOf, type EndedRequest, type RequestContext, traceOf } from './request-context.ts';
import { withSourceLines } from '../../project/source-lines.ts';
import { licenceLink } from '../../messages/wire/licences.ts';
import { measureRequests } from './request-metrics.ts';
import type { Services } from './services.ts';

/** Status in the log for a client that left before its answer, as in nginx. */
const CLIENT_LEFT = 499;

/** Begins a request of the app. @throws AppError BAD_REQUEST for a `Host` that is none. */
export type BeginRequest = (req: Request, res: Response) => void;

/**
 * Gives each request an id (the client's own `X-Request-Id` if it is valid) and its answer the link to the licences, and logs and counts it
 * when it ends.
 */
export function beginRequests({ metrics, requests, logger, config }: Services): BeginRequest {
  const log = logRequests(logger, config.logAddresses);
  const measure = measureRequests(metrics, requests);
  function end(this: Response): void {
    const context = requestContextOf(this);
    const { path: route = null } = (this.req.route ?? {}) as { readonly path?: string };
    const status = this.writableFinished ? this.statusCode : CLIENT_LEFT;
    const ended = { context, res: this, route, status, ms: performance.now() - context.startMs };
    log(ended);
    measure(ended);
  }
  return (req, res) => {
    const startMs = performance.now();
    const requestId = requestIdOf(req);
    const traceParent = req.get('traceparent');
    const trace = traceParent === undefined ? null : traceOf(traceParent);
    res.locals['requestContext'] = { requestId, startMs, trace } satisfies RequestContext;
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('Link', licenceLink);
    res.on('close', end);
    requireOneHost(req);
    requireFraming(req, res);
  };
}

/** What ends a host in a URL, or stands before one. */
const NO_HOST = /[/?#@\\]/;

/**
 * Refuses a request without exactly one `Host`, or with one that is no host, as RFC 9112 (section 3.2) requires: a proxy may have taken another
 * one of them.
 */
function requireOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count > 1) throw badRequest('the request has more than one Host header', { param: 'Host' });
  if (count === 0 && httpVersion === '1.1') throw badRequest('the request has no Host header', { param: 'Host' });
  const { host = '' } = headers;
  if (host === lastHost) return;
  if (!isHost(host)) throw badRequest('the Host header is not a host', { param: 'Host' });
  lastHost = host;
}

/** The last good one: nearly all requests have the same, and checking it takes a microsecond. */
let lastHost = '';

/** An empty one is allowed. */
function isHost(text: string): boolean {
  return text === '' || (!NO_HOST.test(text) && URL.canParse(`http://${text}`));
}

/**
 * Refuses what the parser takes, and RFC 9112 does not: other versions (section 2.3), another transfer coding than `chunked` alone, any coding in HTTP/1.0, whose
 * connection then ends (section 6.1), and a target that is no path.
 */
function requireFraming({ headers, httpVersion, url = '' }: IncomingMessage, res: Response): void {
  const coding = headers['transfer-encoding'];
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw badRequest('this is not HTTP/1.1', { reason: 'NOT_HTTP' });
  if (url.charCodeAt(0) !== SLASH && url !== '*')
    throw badRequest('the target of the request is no path', { reason: 'NOT_HTTP' });
  if (coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked')) return;
  res.setHeader('Connection', 'close');
  throw badRequest('the body has a Transfer-Encoding that is not supported', {
    ...{ reason: 'ENCODING', param: 'Transfer-Encoding' },
  });
}

const SLASH = 0x2f;

/** A request id must not contain an API key, because ids are logged and returned. */
const SANE_ID = /^(?!.*olk_)[A-Za-z0-9._-]{8,128}$/;

const times = stages.map((stage) => `${stage}Ms` as const);

/**
 * Writes one line for each request. It is a template, which takes a third of the time of an object that winston turns into JSON. It has the
 * address or the coordinates only with `logAddresses`, because lookups are private.
 */
function logRequests(logger: ServiceLogger, logAddresses: boolean): (ended: EndedRequest) => void {
  return ({ context, res, route, status, ms }) => {
    const { key, error, requestId, lookupId } = context;
    // A tool reports its failure in an answer with 200.
    const level = (error?.status ?? res.statusCode) >= 500 ? 'error' : 'info';
    let line = `{"timestamp":"${new Date().toISOString()}","level":"${level}","message":"request","method":"${res.req.method}"`;
    line += `,"route":${JSON.stringify(route)},"status":${status}`;
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
function rareMembers({ batchId, tool, trace, task }: RequestContext, logAddresses: boolean): string {
  let text = batchId === undefined && tool === undefined ? '' : members({ batchId, tool });
  if (trace) text += members({ traceId: trace.traceId, parentId: trace.parentId, spanId: trace.spanId });
  return logAddresses && task ? text + members(placeOf(task)) : text;
}

/** Of an area, its first position. */
function placeOf(task: AskedTask): object {
  if (task.kind === 'address') return { address: task.address };
  if (task.kind === 'point') return { lat: task.lat, lon: task.lon };
  const [lon, lat] = task.polygons[0]![0]!;
  return { lat, lon };
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
