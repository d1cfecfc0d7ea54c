import type { Response } from 'express';

/** Sends JSON that a worker has written. */
export function sendJson(res: Response, json: string): void {
  // Not `res.set`, which would add a charset that JSON does not have.
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(json));
  res.status(200).end(json);
}
