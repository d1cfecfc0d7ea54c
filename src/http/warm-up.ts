import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { Registry } from 'prom-client';
import { Authenticator } from '../accounts/authenticator.ts';
import { createKey, hashKey } from '../accounts/key-format.ts';
import { NO_LIMITS, type FoundKey } from '../accounts/key-store.ts';
import { MeteredLookup, type MeteringContext } from '../accounts/metered-lookup.ts';
import type { Journal } from '../accounts/usage/journal.ts';
import { Quotas } from '../accounts/quotas.ts';
import { requestCounter } from './request-metrics.ts';
import { createServiceLogger } from '../logger.ts';
import { before } from '../pool/before.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import { createApp, type AppContext } from './app.ts';
import { PROBE } from './health.ts';
import { createHttpServer, listen } from './server.ts';

/** The service starts without a warm-up that takes longer. */
const DEADLINE_MS = 5000;

export interface WarmUpOptions {
  readonly app: AppContext;
  readonly metering: MeteringContext;
  readonly snapshots: Pick<SnapshotService, 'lookup'>;
  readonly journal: Pick<Journal, 'do'>;
}

/**
 * Sends one lookup over HTTP through all that a caller's lookup goes through, on a port of its own: the first caller then does not wait
 * for what is loaded and compiled at the first time (20 ms). The warm-up has a key, a limit, a log and metrics of its own, and nothing
 * of it is recorded. Never fails: a failure is logged.
 * @returns its milliseconds; null when it failed.
 */
export async function warmUp({ app: context, metering, snapshots, journal }: WarmUpOptions): Promise<number | null> {
  const startMs = performance.now();
  const key = createKey();
  const metrics = new Registry();
  const app = createApp({
    ...context,
    metrics,
    requests: requestCounter(metrics),
    logger: createServiceLogger('error', new PassThrough().resume()),
    keyUse: { note: () => undefined },
    authenticator: new Authenticator({ find: () => Promise.resolve(recordOf(key)) }),
    lookups: new MeteredLookup({
      ...metering,
      quotas: new Quotas(),
      pool: { lookup: () => snapshots.lookup(PROBE) },
      journal: {
        do: async () => {
          await journal.do('probe', null);
          return { month: '', lookups: 0, isRecorded: true };
        },
      },
    }),
  });
  const server = createHttpServer(app, { maxConnections: 1, refuseEarly: () => false });
  try {
    const url = await listen(server, { host: '127.0.0.1', port: 0 });
    await before(post(`${url}/api/lookup`, key), DEADLINE_MS, () => new Error('no answer in time'));
    return Math.round(performance.now() - startMs);
  } catch (cause) {
    context.logger.warn('the warm-up lookup failed', { detail: String(cause) });
    return null;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function recordOf(key: string): FoundKey {
  const createdAt = new Date().toISOString();
  return {
    isSuspended: false,
    id: 'warm-up',
    name: 'warm-up',
    limitPerHour: null,
    customer: null,
    limits: NO_LIMITS,
    createdAt,
    expiresAt: null,
    revokedAt: null,
    secrets: [{ hash: hashKey(key), createdAt, expiresAt: null }],
  };
}

async function post(url: string, key: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  request.end(JSON.stringify({ address: 'warm-up' }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
}
