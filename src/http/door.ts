import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Counter } from 'prom-client';
import type { Logger } from 'winston';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { Admission } from './admission.ts';
import { problemDocument } from './problem.ts';
import { requestIdOf } from './request-log.ts';

export interface DoorOptions {
  readonly admission: Admission;
  readonly authenticator: Pick<Authenticator, 'remembers'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly requests: Counter;
}

/** Answers a request that is refused before the app sees it: true when it did. */
export type Door = (req: IncomingMessage, res: ServerResponse) => boolean;

const ROUTE = '/api/lookup';

/** Refusals have one log line together in this time. */
const LOG_MS = 1000;

/**
 * Refuses lookups with a good key while there are too many. Through the app a refusal would cost the main thread half of what an answer
 * does, and at several times the capacity it would do nothing else (docs/decisions/0063). Other requests are the app's.
 */
export function openDoor({ admission, authenticator, logger, requests }: DoorOptions): Door {
  let refused = 0;
  const note = (): void => {
    if (refused++ > 0) return;
    setTimeout(() => {
      logger.warn('lookups refused for load', { refused, ms: LOG_MS });
      refused = 0;
    }, LOG_MS).unref();
  };
  return (req, res) => {
    const error = admission.refusal;
    if (!error || !isLookup(req) || !authenticator.remembers(req.headers.authorization)) return false;
    const requestId = requestIdOf(req);
    const body = problemDocument(error, requestId);
    res.writeHead(error.status, {
      ...error.headers,
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
    });
    res.end(body);
    requests.inc({ route: ROUTE, status: error.status, code: error.code });
    note();
    return true;
  };
}

function isLookup({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && (url === ROUTE || url.startsWith(`${ROUTE}?`));
}
