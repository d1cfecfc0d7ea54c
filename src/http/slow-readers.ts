import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends the connection of a client that does not read: its answers would stay in memory for as long as it likes. It has this time to take
 * in an answer that is complete here, and the same time before for one that is made as the client takes it in.
 */
export function endSlowReader(req: IncomingMessage, res: ServerResponse, timeoutMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  const restart = (): void => {
    clearTimeout(timer);
    // The socket of the request: a response that waits for an earlier one on its connection has none.
    timer = setTimeout(reset, timeoutMs, req.socket).unref();
  };
  res.once('pipe', restart);
  res.once('prefinish', restart);
  res.once('close', () => {
    clearTimeout(timer);
  });
}

/** After a plain close the kernel would keep what was not read, and go on asking whether it may send. */
function reset(socket: Socket): void {
  // A socket whose end is on its way cannot be reset.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
