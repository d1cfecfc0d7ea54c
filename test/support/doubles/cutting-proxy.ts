import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Cuts a connection after so many bytes of its client or of the server, as often as there are entries. */
  readonly cuts: { readonly side: 'client' | 'server'; readonly afterBytes: number }[];
  /** Requests that begin so go no further; null: all do. */
  held: RegExp | null;
  /** Connections that were cut. */
  readonly cutCount: () => number;
  /** Bytes of the server that went to clients. */
  readonly passedBytes: () => number;
}

/** A network that breaks: it passes bytes to a real service and back, and cuts connections in the middle. */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const cuts: CuttingProxy['cuts'] = [];
  const settings = { held: null as RegExp | null };
  const sockets = new Set<Socket>();
  let cutCount = 0;
  let passedBytes = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const ends = [client, upstream] as const;
    for (const end of ends) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => {
        sockets.delete(end);
        for (const other of ends) other.destroy();
      });
    }
    const pass = (from: Socket, to: Socket, side: 'client' | 'server'): void => {
      let bytes = 0;
      from.on('data', (chunk: Buffer) => {
        if (side === 'client' && settings.held?.test(chunk.toString('latin1')) === true) return;
        bytes += chunk.length;
        const cut = cuts.findIndex((one) => one.side === side && bytes >= one.afterBytes);
        if (cut === -1) {
          if (side === 'server') passedBytes += chunk.length;
          if (!to.write(chunk)) from.pause();
          return;
        }
        cuts.splice(cut, 1);
        cutCount++;
        if (side === 'server') passedBytes += Math.ceil(chunk.length / 2);
        // What is above the bytes is lost, half a row among it.
        to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => from.destroy());
      });
      to.on('drain', () => from.resume());
    };
    pass(client, upstream, 'client');
    pass(upstream, client, 'server');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(settings, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts,
    cutCount: () => cutCount,
    passedBytes: () => passedBytes,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}
