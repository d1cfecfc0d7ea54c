import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Loop } from '../loop/loop.ts';
import { badRequest } from '../../messages/problems.ts';
import { lastExchangeOf, refuseSocket } from './refused-sockets.ts';

/** Bytes that an upload must bring in each window of the time that other requests have in all: with 30 s, 4 KiB per second. */
const LEAST_BYTES = 128 * 1024;

const uploads = new WeakMap<IncomingMessage, { bytes: number; sinceMs: number }>();

/** Gives a request the time that an upload needs, as long as its bytes come. */
export function takesUpload(req: IncomingMessage): void {
  uploads.set(req, { bytes: req.socket.bytesRead, sinceMs: performance.now() });
}

/**
 * Ends requests whose body comes too slowly: 400, and the connection is closed. Node.js has one time for all requests (`requestTimeout`), and
 * the one that uploads need would let every other body take as long (docs/decisions/0066).
 * @param timeoutMs time from the header of a request to the end of its body.
 */
export function endSlowSenders(
  server: Server,
  { timeoutMs, checkEveryMs }: { timeoutMs: number; checkEveryMs: number },
): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const endLate = (): void => {
    const nowMs = performance.now();
    for (const socket of sockets) {
      if (!isLate(socket, nowMs, timeoutMs)) continue;
      sockets.delete(socket);
      refuseSocket(socket, badRequest('the request did not arrive in time', { reason: 'TOO_SLOW' }));
    }
  };
  const checking = new Loop({ everyMs: checkEveryMs, turn: endLate });
  server.once('close', () => {
    checking.stop();
  });
}

function isLate(socket: Socket, nowMs: number, timeoutMs: number): boolean {
  const last = lastExchangeOf(socket);
  // What comes after the answer has its own limits.
  if (!last || last.req.complete || last.res.writableFinished) return false;
  const progress = uploads.get(last.req);
  if (!progress) return nowMs - last.startMs > timeoutMs;
  if (nowMs - progress.sinceMs <= timeoutMs) return false;
  // Bytes that wait here are not late.
  const isSlow = socket.bytesRead - progress.bytes < LEAST_BYTES && last.req.readableLength === 0;
  progress.bytes = socket.bytesRead;
  progress.sinceMs = nowMs;
  return isSlow;
}
