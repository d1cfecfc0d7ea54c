import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from './faults.ts';

/** A failure as ArcGIS reports it, inside a 200. */
export function error(code: number, message: string): object {
  return { error: { code, message, details: [] } };
}

interface Manner {
  readonly fault: FaultKind | null;
  readonly retryAfterS: number;
}

/** Sends an answer, or what goes wrong with it; gives whether all of it has gone out. */
export async function send(response: ServerResponse, text: string, manner: Manner): Promise<boolean> {
  await sendWith(response, text, manner);
  return response.writableFinished && (manner.fault === null || harmless.includes(manner.fault));
}

/** The answer is whole. */
const harmless: readonly FaultKind[] = ['slow', 'duplicates'];

async function sendWith(response: ServerResponse, text: string, { fault, retryAfterS }: Manner): Promise<void> {
  const body = Buffer.from(text);
  const json = { 'content-type': 'application/json' };
  const refusal = refusals[fault ?? ''];
  if (refusal) return end(response.writeHead(refusal.status, refusal.headers), refusal.body);
  switch (fault) {
    case 'status 500':
      return end(response.writeHead(500), 'Internal Server Error');
    case 'status 503':
      return end(response.writeHead(503, { 'retry-after': String(retryAfterS) }), 'Service Unavailable');
    case 'web page':
      return end(response.writeHead(200, { 'content-type': 'text/html' }), '<html><title>Maintenance</title></html>');
    case 'error in 200':
      return end(response.writeHead(200, json), JSON.stringify(error(500, 'Error performing query operation')));
    case 'broken off':
      response.writeHead(200, { ...json, 'content-length': body.length });
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
      return;
    case 'slow':
      response.writeHead(200, json);
      for (let i = 0; i < 5; i++) {
        response.write(body.subarray((i * body.length) / 5, ((i + 1) * body.length) / 5));
        await sleep(20);
      }
      return end(response);
    case 'lost connection':
      response.destroy();
      return;
    case 'silence':
      return;
    default:
      return end(response.writeHead(200, json), body);
  }
}

const LOGIN = '<html><title>Portal</title><form><input name="user"><input name="p" type="password"></form></html>';

const html = { 'content-type': 'text/html' };
const inJson = { 'content-type': 'application/json' };

const page = (status: number) => ({ status, headers: html, body: '<html>refused</html>' });
const told = (status: number, code: number, message: string) => ({
  ...{ status, headers: inJson, body: JSON.stringify(error(code, message)) },
});

/** What a server says that refuses a list, or a stranger. */
const refusals: Readonly<
  Record<string, { status: number; headers: Record<string, string>; body: string } | undefined>
> = {
  'status 400': page(400),
  'status 401': page(401),
  'status 404': page(404),
  'status 410': page(410),
  'status 403': page(403),
  'status 413': page(413),
  'status 504': page(504),
  'error 400 in 200': told(200, 400, 'Failed to execute query.'),
  'error 500 in 500': told(500, 500, 'Error performing query operation'),
  'error 499 in 200': told(200, 499, 'Token Required'),
  'login page': { status: 200, headers: html, body: LOGIN },
  'redirect to login': { status: 302, headers: { location: '/portal/signin?back=1' }, body: '' },
};

function end(response: ServerResponse, body: string | Buffer = ''): Promise<void> {
  return new Promise((resolve) => {
    response.on('close', resolve);
    response.end(body);
  });
}
