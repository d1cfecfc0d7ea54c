import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { RequestContext } from './request-context.ts';

/** Bytes of the largest body that a route takes. */
export const MOST_UPLOAD_BYTES = 256_000_000;

/** How much of a body is read after its answer. */
interface UnreadLimits {
  readonly mostBytes: number;
  readonly timeoutMs: number;
}

/**
 * Returns what reads and drops what comes of a body after its answer. Many clients read only when they have sent everything: closing the connection
 * meanwhile would reset it, and the answer would be lost. Beyond the limits the connection is cut (docs/decisions/0066).
 */
export function unreadBodyDrop(limits: UnreadLimits): (res: ServerResponse) => void {
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

function pauseMsFor(res: ServerResponse): number {
  const { locals } = res as Partial<Pick<Response, 'locals'>>;
  const { error } = (locals?.['requestContext'] ?? {}) as Partial<RequestContext>;
  return error?.reason === 'REFUSED_REQUESTS' ? PAUSE_MS : 0;
}

function drop(req: IncomingMessage, { mostBytes, timeoutMs, pauseMs }: UnreadLimits & { pauseMs: number }): void {
  const { socket } = req;
  const cut = (): void => {
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
  // A reader that stopped in the middle still listens, and would hold the rest back.
  req.removeAllListeners('readable');
  req.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) cut();
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
