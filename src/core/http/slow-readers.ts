import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
function reset(socket: Socket): void {
  // A socket whose end is on its way cannot be reset.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

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
