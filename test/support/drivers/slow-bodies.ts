/** The routes with a body that they read as a whole, and a client that sends one slowly through a proxy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from './billing.ts';
import { openSocket, readToEnd, statusesIn } from './client-socket.ts';
import type { Proxy } from './proxies.ts';
import type { SignupSide } from './signup.ts';

export const KIB = 1024;
export const ADDRESS = '{"address":"1 Main St, Toronto, ON"}';
const SQUARE =
  '{"geometry":{"type":"Polygon","coordinates":[[[-79.3,44.3],[-79.29,44.3],[-79.29,44.31],[-79.3,44.31],[-79.3,44.3]]]}}';
const EVENT = '{"id":"evt_1","object":"event","type":"ping","livemode":false,"data":{"object":{"id":"x"}}}';

export interface BodyOf {
  readonly method: string;
  readonly path: string;
  readonly content: string;
  readonly mostBytes: number;
  readonly status: number;
}

/** Each route with a body that it reads as a whole. */
export const routesWithBody: readonly BodyOf[] = [
  { method: 'POST', path: '/api/lookup', content: ADDRESS, mostBytes: 8 * KIB, status: 200 },
  { method: 'POST', path: '/api/lookup/point', content: '{"lat":44.3,"lon":-79.3}', mostBytes: 8 * KIB, status: 200 },
  { method: 'POST', path: '/api/lookup/area', content: SQUARE, mostBytes: 512 * KIB, status: 200 },
  {
    ...{ method: 'POST', path: '/mcp', mostBytes: 576 * KIB, status: 200 },
    content: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  },
  { method: 'PATCH', path: '/api/account', content: '{"budgetPerMonth":50000}', mostBytes: 8 * KIB, status: 200 },
  { method: 'POST', path: '/api/account/keys', content: '{"name":"x"}', mostBytes: 8 * KIB, status: 201 },
  { method: 'POST', path: '/webhooks/stripe', content: EVENT, mostBytes: 256 * KIB, status: 204 },
];

/** JSON of so many bytes. */
export const padded = (content: string, bytes: number): string => content.padEnd(bytes, ' ');

export function headersOf({ front, processor }: SignupSide, body: string): Record<string, string> {
  const { secret } = processor.sent;
  const signature = clientOf(processor).webhooks.generateTestHeaderString({ payload: body, secret });
  return {
    ...{ Authorization: `Bearer ${front.key}`, 'Content-Type': 'application/json', 'Stripe-Signature': signature },
    Accept: 'application/json, text/event-stream',
  };
}

const PIECES = 12;

/** Sends the largest body of a route in pieces over some time. Calls `beforeLast` when all but the last of them are sent. @returns the statuses of the answer. */
export async function sendSlowly(
  proxy: Proxy,
  side: SignupSide,
  route: BodyOf,
  { ms, beforeLast = () => undefined }: { readonly ms: number; readonly beforeLast?: () => void },
): Promise<number[]> {
  const body = padded(route.content, route.mostBytes);
  const socket = await openSocket(proxy.url, { ca: proxy.ca });
  const lines = Object.entries({
    ...headersOf(side, body),
    'Content-Length': String(body.length),
    Connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const answer = readToEnd(socket);
  socket.write(`${route.method} ${route.path} HTTP/1.1\r\nHost: x\r\n${head}\r\n`);
  const bytes = Math.ceil(body.length / PIECES);
  for (let n = 0; n < PIECES; n++) {
    await sleep(ms / PIECES);
    if (n === PIECES - 1) beforeLast();
    socket.write(body.slice(n * bytes, (n + 1) * bytes));
  }
  return statusesIn(await answer);
}
