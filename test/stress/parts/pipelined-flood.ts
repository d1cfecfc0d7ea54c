/** A thread that sends a text on many connections at once, and reads what comes for a while (`Flood`). It posts the bytes that it has read. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openSocket } from '../../support/drivers/client-socket.ts';

export interface Flood {
  readonly url: string;
  readonly connections: number;
  readonly text: string;
  readonly forMs: number;
}

const { url, connections, text, forMs } = workerData as Flood;
const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(url)));
let bytes = 0;
for (const socket of sockets) {
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  socket.write(text);
}
await sleep(forMs);
for (const socket of sockets) socket.destroy();
parentPort!.postMessage(bytes);
