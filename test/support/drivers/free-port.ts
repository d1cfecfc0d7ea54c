import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that Linux gives to clients and to servers that ask for any (`ip_local_port_range`): these take no port that was given here. */
const FROM = 15_000;
const TO = 32_000;

/** What this process was given: nothing may listen on it yet. */
const given = new Set<number>();

/** A port of the loopback address that is free. Only another process of tests may draw the same in between, which is rare. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () =>
      server.close(() => {
        resolve(true);
      }),
    );
  });
}
