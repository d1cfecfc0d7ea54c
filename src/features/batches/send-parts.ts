import type { ServerResponse } from 'node:http';
import { READ_TIMEOUT_MS, reset } from '../../core/http/slow-clients.ts';

/**
 * Sends a long answer as the client takes it in. The connection of a client that does not take in what is buffered (64 KiB, or one part when
 * that is more) within the time is ended. `first` is the part that was already made. @throws what the parts throw.
 */
export async function sendParts(
  res: ServerResponse,
  first: string | Uint8Array,
  {
    rest,
    timeoutMs = READ_TIMEOUT_MS,
  }: { readonly rest: AsyncIterator<string | Uint8Array>; readonly timeoutMs?: number },
): Promise<void> {
  for (let part: string | Uint8Array | null = first; part !== null && !res.destroyed;) {
    if (!res.write(part)) await drained(res, timeoutMs);
    const next: IteratorResult<string | Uint8Array, unknown> = await rest.next();
    part = next.done === true ? null : next.value;
  }
}

/** Resolves when the client has taken in what is buffered, or when the connection is ended. */
function drained(res: ServerResponse, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = res;
    const timer = setTimeout(() => {
      if (socket) reset(socket);
    }, timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      res.off('drain', end);
      res.off('close', end);
      resolve();
    };
    res.once('drain', end);
    res.once('close', end);
    if (res.destroyed) end();
  });
}
