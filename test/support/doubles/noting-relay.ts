import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Longer than the beginning of a request line of the tests. */
const LONGEST_LINE = 200;

/** A network before a server that notes whose header has come through, while the rest of the request may still be on its way. */
export interface NotingRelay extends AsyncDisposable {
  readonly url: string;
  /** Paths of requests, in the order in which they came through. */
  readonly heard: readonly string[];
}

/** @param target URL of the server. */
export async function notingRelay(target: string): Promise<NotingRelay> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const heard: string[] = [];
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
    let last = '';
    client.on('data', (chunk: Buffer) => {
      const text = last + chunk.toString('latin1');
      const lines = [...text.matchAll(/(?:GET|HEAD|POST|PATCH) (\S+) HTTP\/1\.1\r\n/g)];
      heard.push(...lines.map(([, path]) => path!));
      const end = lines.at(-1);
      last = text.slice(Math.max(end ? end.index + end[0].length : 0, text.length - LONGEST_LINE));
    });
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
