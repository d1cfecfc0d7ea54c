import type { Request, Response } from 'express';
import { licenceLink } from '../../messages/wire/licences.ts';
import { requireOneHost } from './host-header.ts';
import { openRequestContext } from './request-context.ts';
import { logRequests, requestIdOf } from './request-log.ts';
import { measureRequests } from './request-metrics.ts';
import type { Services } from './services.ts';
import { traceOf } from './trace.ts';

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
