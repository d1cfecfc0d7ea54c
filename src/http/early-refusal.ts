import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Counter } from 'prom-client';
import type { Logger } from 'winston';
import type { Authenticator } from '../accounts/authenticator.ts';
import { tooMany, type Admission } from './admission.ts';
import { problemDocument } from './problem.ts';
import { requestIdOf } from './request-log.ts';

export interface EarlyRefusalOptions {
  readonly admission: Admission;
  readonly authenticator: Pick<Authenticator, 'remembers'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly requests: Counter;
}

/** Answers a request that is refused before Express sees it. Returns true when it did. */
export type EarlyRefusal = (req: IncomingMessage, res: ServerResponse) => boolean;

const ROUTE = '/api/lookup';

/** Refusals within this time share one log line. */
const LOG_MS = 1000;

/** Stands for the request id in the constant text of a refusal. */
const ID_HERE = '<id>';
const [bodyStart, bodyEnd] = problemDocument(tooMany, ID_HERE).split(ID_HERE) as [string, string];
const fixedHeaders = Object.entries({
  ...tooMany.headers,
  'Content-Type': 'application/problem+json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}).flat();

/**
 * Refuses lookups with a good key while the service is full. Through Express a refusal would cost the main thread half of what an answer
 * does, and at several times the capacity it would do nothing else (docs/decisions/0063). All other requests go to Express.
 */
export function earlyRefusal({ admission, authenticator, logger, requests }: EarlyRefusalOptions): EarlyRefusal {
  const count = requests.labels({ route: ROUTE, status: tooMany.status, code: tooMany.code });
  let refused = 0;
  const note = (): void => {
    if (refused++ > 0) return;
    setTimeout(() => {
      logger.warn('lookups refused for load', { refused, ms: LOG_MS });
      refused = 0;
    }, LOG_MS).unref();
  };
  return (req, res) => {
    if (!admission.isFull || !isLookup(req) || !authenticator.remembers(req.headers.authorization)) return false;
    refuse(res, requestIdOf(req));
    count.inc();
    note();
    return true;
  };
}

/** Node writes a list of headers as it is, but checks each property of an object. */
function refuse(res: ServerResponse, requestId: string): void {
  const body = bodyStart + requestId + bodyEnd;
  const headers = ['X-Request-Id', requestId, 'Content-Length', String(Buffer.byteLength(body))];
  res.writeHead(tooMany.status, [...fixedHeaders, ...headers]).end(body);
}

function isLookup({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && (url === ROUTE || url.startsWith(`${ROUTE}?`));
}
