import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'winston';
import type { Authenticator } from '../keys/authenticator.ts';
import type { AppError } from '../../messages/problems.ts';
import { licenceLink } from '../../messages/wire/licences.ts';
import { tooMany, tooManyAtOnce, type Gate } from '../pool/gate.ts';
import { kindOfUrl } from './key.ts';
import { problemDocument } from './problem.ts';
import { requestIdOf } from './request-log.ts';
import type { RequestCounts } from './request-metrics.ts';
import type { refusablePaths } from './routes.ts';

/** Answers a request that is refused before Express sees it. Returns true when it did. */
export type EarlyRefusal = (req: IncomingMessage, res: ServerResponse) => boolean;

/** Refusals within this time share one log line. */
const LOG_MS = 1000;

/** Stands for the request id in the constant text of a refusal. */
const ID_HERE = '<id>';

function constantRefusal(error: AppError): {
  readonly status: number;
  readonly headers: readonly string[];
  readonly bodyStart: string;
  readonly bodyEnd: string;
} {
  const [bodyStart, bodyEnd] = problemDocument(error, ID_HERE).split(ID_HERE) as [string, string];
  const headers = Object.entries({
    ...error.headers,
    'Content-Type': 'application/problem+json',
    Link: licenceLink,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  }).flat();
  return { status: error.status, headers, bodyStart, bodyEnd };
}

const refusals = new Map([tooMany, tooManyAtOnce].map((error) => [error, constantRefusal(error)]));

/**
 * Refuses lookups with a good key that the gate does not take. Through Express a refusal would cost the main thread half of what an answer
 * does, and at several times the capacity it would do nothing else (docs/decisions/0005). All other requests go to Express.
 */
export function earlyRefusal({
  gate,
  authenticator,
  logger,
  requests,
  refusable,
}: {
  readonly gate: Gate;
  readonly authenticator: Pick<Authenticator, 'remembered'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly requests: RequestCounts;
  readonly refusable: ReturnType<typeof refusablePaths>;
}): EarlyRefusal {
  let refused = 0;
  const note = (): void => {
    if (refused++ > 0) return;
    setTimeout(() => {
      logger.warn('lookups refused for load', { refused, ms: LOG_MS });
      refused = 0;
    }, LOG_MS).unref();
  };
  let ofTurn: Parameters<typeof refuse>[0][] = [];
  const answer = (): void => {
    const turn = ofTurn;
    ofTurn = [];
    for (const one of turn) refuse(one);
  };
  return (req, res) => {
    if (!gate.isBusy || req.method !== 'POST') return false;
    const { url = '' } = req;
    const sent = pathOf(url);
    const route = refusable.find(({ path }) => path === sent);
    if (route === undefined) return false;
    const key = authenticator.remembered(req.headers.authorization);
    const error = key && gate.refusalOf(key, route.isCostly ? 'costly' : kindOfUrl(url));
    if (!error) return false;
    // Answered when its turn ends. By then the body has mostly come: reading one after its answer takes as long as a refusal.
    if (ofTurn.push({ res, requestId: requestIdOf(req), refusal: refusals.get(error)! }) === 1) setImmediate(answer);
    requests.count(route.path, error.status, error.code);
    note();
    return true;
  };
}

/** Node writes a list of headers as it is, but checks each property of an object. All of it is ASCII. */
function refuse({
  res,
  requestId,
  refusal,
}: {
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly refusal: ReturnType<typeof constantRefusal>;
}): void {
  const body = refusal.bodyStart + requestId + refusal.bodyEnd;
  const headers = ['X-Request-Id', requestId, 'Content-Length', String(body.length)];
  res.writeHead(refusal.status, [...refusal.headers, ...headers]).end(body, 'latin1');
}

/** The path of a URL without a host. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
