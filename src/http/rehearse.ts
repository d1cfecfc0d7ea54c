import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Registry } from 'prom-client';
import { createLogger } from 'winston';
import { Authenticator } from '../accounts/authenticator.ts';
import { createKey, hashKey } from '../accounts/key-format.ts';
import type { KeyRecord } from '../accounts/key-store.ts';
import { MeteredLookup, type MeteringContext } from '../accounts/metered-lookup.ts';
import type { Journal } from '../accounts/usage/journal.ts';
import { Quota } from '../accounts/quota.ts';
import { requestCounter } from './request-metrics.ts';
import { before } from '../pool/before.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import { createApp, type AppContext } from './app.ts';
import { PROBE } from './health.ts';
import { createHttpServer, listen } from './server.ts';

/** Time after which the service starts without waiting for the warm-up lookup. */
const DEADLINE_MS = 5000;

export interface Rehearsal {
  readonly app: AppContext;
  readonly metering: MeteringContext;
  readonly snapshots: Pick<SnapshotService, 'probe'>;
  readonly journal: Journal;
}

/**
 * Makes a warm-up lookup over HTTP, on a separate port and through the same code as a caller's lookup, so that the
 * first caller does not wait for code to load and compile (20 ms). It has its own key, limit, log and metrics, and
 * records nothing. Never fails.
 */
export async function rehearse({ app: context, metering, snapshots, journal }: Rehearsal): Promise<void> {
  const key = createKey();
  const metrics = new Registry();
  const app = createApp({
    ...context,
    metrics,
    requests: requestCounter(metrics),
    logger: createLogger({ silent: true }),
    authenticator: new Authenticator({ find: () => Promise.resolve(recordOf(key)) }),
    lookups: new MeteredLookup({
      ...metering,
      quota: new Quota(),
      pool: { lookup: () => snapshots.probe(PROBE) },
      journal: { do: () => journal.do('probe', null) },
    }),
  });
  const server = createHttpServer(app, { maxConnections: 1, door: () => false });
  try {
    const url = await listen(server, { host: '127.0.0.1', port: 0 });
    await before(post(`${url}/api/lookup`, key), DEADLINE_MS, () => new Error('no answer in time'));
  } catch (cause) {
    context.logger.warn('the warm-up lookup failed', { detail: String(cause) });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function recordOf(key: string): KeyRecord {
  const createdAt = new Date().toISOString();
  return {
    id: 'rehearsal',
    name: 'rehearsal',
    limitPerHour: null,
    customer: null,
    createdAt,
    expiresAt: null,
    revokedAt: null,
    secrets: [{ hash: hashKey(key), createdAt, expiresAt: null }],
  };
}

async function post(url: string, key: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  request.end(JSON.stringify({ address: 'rehearsal' }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
}
