import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A network that passes what a server sends in pieces, with a pause after each. */
export async function slowProxy(target: string, pauseMs: number): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const end of [client, upstream]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    void pass(upstream, client, pauseMs).catch(() => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pass(from: Socket, to: Socket, pauseMs: number): Promise<void> {
  for await (const piece of from as AsyncIterable<Buffer>) {
    to.write(piece);
    await sleep(pauseMs);
  }
  to.end();
}
