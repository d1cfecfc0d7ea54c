import type { Request, Response } from 'express';
import { licenceLink } from '../../messages/wire/licences.ts';
import { openRequestContext, traceOf } from './request-context.ts';
import { logRequests, requestIdOf } from './request-log.ts';
import { measureRequests } from './request-metrics.ts';
import type { Services } from './services.ts';
import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../messages/problems.ts';

/** Begins a request of the app. @throws AppError BAD_REQUEST for a `Host` that is none. */
export type BeginRequest = (req: Request, res: Response) => void;

/**
 * Gives each request an id (the client's own `X-Request-Id` if it is valid) and its answer the link to the licences, and logs and counts it
 * when it ends.
 */
export function beginRequests({ metrics, requests, logger, config }: Services): BeginRequest {
  const log = logRequests(logger, config.logAddresses);
  const measure = measureRequests(metrics, requests);
  return (req, res) => {
    const startMs = performance.now();
    const requestId = requestIdOf(req);
    openRequestContext(res, requestId, traceOf(req.get('traceparent')));
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('Link', licenceLink);
    res.on('close', () => {
      const ms = performance.now() - startMs;
      log(req, res, ms);
      measure(req, res, ms);
    });
    requireOneHost(req);
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
