import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** What this process was given: the system may give a port again as soon as nothing listens on it. */
const given = new Set<number>();

/** A port of the loopback address that is free. Another process may take it in between; on a machine of tests that is rare enough. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}
