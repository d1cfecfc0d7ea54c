/** Clients that send a body slowly, do not read their answer, or go on sending after it: how long each may hold its connection. */
import type { ServerResponse, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Loop } from '../loop/loop.ts';
import { badRequest } from '../../messages/problems.ts';
import { lastExchangeOf, refuseSocket } from './connections.ts';
import type { Response } from 'express';
import type { RequestContext } from './request-context.ts';

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

/** Longest time in ms in which a client must take in the rest of an answer that is complete here. */
export const READ_TIMEOUT_MS = 30_000;

/**
 * Returns what watches an answer, and ends the connection of a client that does not read it: its answers would stay in memory for as long as it
 * likes. It has this time to take in an answer that is complete here, and the same time before for one that is made as the client takes it in.
 */
export function slowReaderWatch(timeoutMs: number): (res: ServerResponse) => void {
  const timers = new Map<ServerResponse, NodeJS.Timeout>();
  function restart(res: ServerResponse): void {
    const timer = timers.get(res);
    if (timer) clearTimeout(timer);
    else res.once('close', forget);
    // The socket of the request: a response that waits for an earlier one on its connection has none.
    timers.set(res, setTimeout(reset, timeoutMs, res.req.socket).unref());
  }
  function forget(this: ServerResponse): void {
    clearTimeout(timers.get(this));
    timers.delete(this);
  }
  function pipe(this: ServerResponse): void {
    restart(this);
  }
  // Nearly all answers have gone when the turn of the event loop ends, and need no timer.
  let completed: ServerResponse[] = [];
  function complete(this: ServerResponse): void {
    if (completed.push(this) > 1) return;
    setImmediate(() => {
      const turn = completed;
      completed = [];
      for (const res of turn) if (!res.writableFinished && !res.destroyed) restart(res);
    });
  }
  return (res) => {
    res.on('pipe', pipe).on('prefinish', complete);
  };
}

/** After a plain close the kernel would keep what was not read, and go on asking whether it may send. */
export function reset(socket: Socket): void {
  // A socket whose end is on its way cannot be reset.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Bytes of the largest body that a route takes. */
export const MOST_UPLOAD_BYTES = 256_000_000;

/**
 * Returns what reads and drops what comes of a body after its answer. Many clients read only when they have sent everything: closing the connection
 * meanwhile would reset it, and the answer would be lost. Beyond the limits the connection is cut (docs/decisions/0066).
 */
export function unreadBodyDrop(limits: {
  readonly mostBytes: number;
  readonly timeoutMs: number;
}): (res: ServerResponse) => void {
  function dropIfUnread(this: ServerResponse): void {
    if (!this.req.complete && !this.req.socket.destroyed) drop(this.req, { ...limits, pauseMs: pauseMsFor(this) });
  }
  return (res) => {
    // Before the listener of Node.js, which closes a connection that is not kept.
    res.prependListener('finish', dropIfUnread);
  };
}

/** Pause in ms after each 64 KiB that come from a client that sends too much for nothing: it would keep the main thread busy with reading. */
const PAUSE_MS = 20;

/** So many pieces of a body that is refused have at least so many bytes each, on average: one of a byte takes the main thread as long as one of a kilobyte. */
const PIECES = 1024;
const LEAST_PIECE_BYTES = 16;

function pauseMsFor(res: ServerResponse): number {
  const { locals } = res as Partial<Pick<Response, 'locals'>>;
  const { error } = (locals?.['requestContext'] ?? {}) as Partial<RequestContext>;
  return error?.reason === 'REFUSED_REQUESTS' ? PAUSE_MS : 0;
}

function drop(
  req: IncomingMessage,
  { mostBytes, timeoutMs, pauseMs }: Parameters<typeof unreadBodyDrop>[0] & { pauseMs: number },
): void {
  const { socket } = req;
  const cut = (): void => {
    // Node.js then makes nothing of what its parser still finds in what was read.
    (req as IncomingMessage & { _dumped: boolean })._dumped = true;
    socket.destroy();
  };
  const timer = setTimeout(cut, timeoutMs).unref();
  const closeNow = socket.destroySoon.bind(socket);
  let isLast = false;
  // Node.js calls this for the last answer of a connection. Our end says so to the client, which may still send.
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
  };
  let leftBytes = mostBytes;
  let [pieces, bytes] = [0, 0];
  // A reader that stopped in the middle still listens, and would hold the rest back.
  req.removeAllListeners('readable');
  req.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length;
    bytes += chunk.length;
    const isTiny = ++pieces === PIECES && bytes < PIECES * LEAST_PIECE_BYTES;
    if (pieces === PIECES) [pieces, bytes] = [0, 0];
    if (leftBytes < 0 || isTiny) cut();
    else if (pauseMs > 0) {
      req.pause();
      setTimeout(() => req.resume(), pauseMs);
    }
  });
  req.once('end', () => {
    clearTimeout(timer);
    socket.destroySoon = closeNow;
    if (isLast) closeNow();
  });
  req.resume();
}
