// Send a day of costly lookups with an Idempotency-Key, and weigh the journal (LIMIT=1000)
/**
 * A client sends its hourly limit of costly lookups with an `Idempotency-Key` for each hour of a day, and the journal's file is
 * weighed: `make stress NAME=answers`. The 24 hours come one after another without a pause, so that no answer expires. LIMIT of the key
 * per hour (default 1000).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { atMost, tell } from './parts/figures-table.ts';
import { LoadClient } from './parts/load-client.ts';
import { realDataOrSample } from './parts/real-data-or-sample.ts';

const limitPerHour = Number(process.env['LIMIT'] ?? 1000);
const lookups = 24 * limitPerHour;
const CONNECTIONS = 8;
/** As docs/privacy.md promises: answers of one key, and a row for each lookup in usage and answers. */
const MOST_BYTES = 64 * 2 ** 20 + lookups * 1200;
/** SQLite's log beside the file: it is emptied after 1,000 pages, or later while somebody reads. */
const LOG_BYTES = 16 * 2 ** 20;

using data = realDataOrSample();
const [key] = (await issueKeys({ dataDir: data.folder.path }, { count: 1, limitPerHour: lookups })) as [string];
const statuses: Record<number, number> = {};
let bytesOfBodies = 0;
{
  await using service = await ServiceProcess.start(
    data.folder.path,
    {},
    { program: compiledService, dropsRequests: true },
  );
  using client = new LoadClient(service.url, { maxConnections: CONNECTIONS });
  let next = 0;
  const connection = async (): Promise<void> => {
    for (let n = next++; n < lookups; n = next++) {
      const address = data.addresses[n % data.addresses.length]!;
      const request = LoadClient.lookup(key, address, {
        query: '?detail=full&geometry=near',
        headers: [`Idempotency-Key: ${n}`],
      });
      const { status, body } = await client.ask(request);
      statuses[status] = (statuses[status] ?? 0) + 1;
      bytesOfBodies += body.length;
      // A service that is full says so; the client waits, and asks for the next.
      if (status === 503) await sleep(1000);
      if (n % 1000 === 0) console.log(n, statuses, `${megabytes(journalBytes())} MB`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}
console.log({ statuses, 'answers, MB': megabytes(bytesOfBodies), 'journal, MB': megabytes(journalBytes()) });
tell([
  atMost('bytes of the journal', journalBytes(), MOST_BYTES + LOG_BYTES),
  atMost('lookups without 200 or 404', lookups - (statuses[200] ?? 0) - (statuses[404] ?? 0), 0),
]);

function journalBytes(): number {
  const files = readdirSync(data.folder.path).filter((name) => name.startsWith('usage.sqlite'));
  return files.reduce((sum, name) => sum + statSync(join(data.folder.path, name)).size, 0);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
