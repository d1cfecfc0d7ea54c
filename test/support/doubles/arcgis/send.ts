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
  switch (fault) {
    case 'status 500':
      return end(response.writeHead(500), 'Internal Server Error');
    case 'status 503':
      return end(response.writeHead(503, { 'retry-after': String(retryAfterS) }), 'Service Unavailable');
    case 'web page':
      return end(response.writeHead(200, { 'content-type': 'text/html' }), '<html><title>Maintenance</title></html>');
    case 'error in 200':
      return end(response.writeHead(200, json), JSON.stringify(error(500, 'Error performing query operation')));
    case 'status 400':
    case 'status 401':
    case 'status 403':
    case 'status 413':
    case 'status 504':
      return end(response.writeHead(Number(fault.slice(7)), { 'content-type': 'text/html' }), '<html>refused</html>');
    case 'error 400 in 200':
      return end(response.writeHead(200, json), JSON.stringify(error(400, 'Failed to execute query.')));
    case 'error 500 in 500':
      return end(response.writeHead(500, json), JSON.stringify(error(500, 'Error performing query operation')));
    case 'error 499 in 200':
      return end(response.writeHead(200, json), JSON.stringify(error(499, 'Token Required')));
    case 'login page':
      return end(response.writeHead(200, { 'content-type': 'text/html' }), loginPage);
    case 'redirect to login':
      return end(response.writeHead(302, { location: '/portal/signin?back=1' }));
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

const loginPage = '<html><title>Portal</title><form><input name="user"><input name="p" type="password"></form></html>';

function end(response: ServerResponse, body: string | Buffer = ''): Promise<void> {
  return new Promise((resolve) => {
    response.on('close', resolve);
    response.end(body);
  });
}
