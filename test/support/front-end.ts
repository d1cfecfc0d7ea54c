import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Registry } from 'prom-client';
import { Budget } from '../../src/accounts/budget.ts';
import { Authenticator } from '../../src/accounts/authenticator.ts';
import { Idempotency } from '../../src/accounts/idempotency.ts';
import type { KeyStore } from '../../src/accounts/key-store.ts';
import { issueKey } from '../../src/accounts/keys.ts';
import { MeteredLookup, type MeteringContext } from '../../src/accounts/metered-lookup.ts';
import { Quotas } from '../../src/accounts/quotas.ts';
import { Journal } from '../../src/accounts/usage/journal.ts';
import { keysInFile } from '../../src/accounts/open-key-store.ts';
import type { LookupAnswer, LookupTask } from '../../src/shared/contract/lookup.ts';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { furtherKeysOf } from '../../src/shared/further-keys.ts';
import { projectDir } from '../../src/config.ts';
import { createServiceLogger } from '../../src/logger.ts';
import type { BatchRoomLimits } from '../../src/batches/machine/batch-room.ts';
import type { SnapshotManifest } from '../../src/shared/contract/manifest.ts';
import { Admission } from '../../src/http/admission.ts';
import { createApp, type AppContext } from '../../src/http/app.ts';
import { BadKeyLimit } from '../../src/http/bad-key-limit.ts';
import { UPLOADS, type BatchContext } from '../../src/http/batches/batch-context.ts';
import { Slots } from '../../src/http/slots.ts';
import { MachineBatchStore } from '../../src/batches/machine/machine-batch-store.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import { earlyRefusal } from '../../src/http/early-refusal.ts';
import { makeServiceDocuments, readExamples } from '../../src/http/service-documents.ts';
import { Health, type HealthOptions } from '../../src/http/health.ts';
import { createHttpServer, listen, stopServer, type ServerLimits } from '../../src/http/server.ts';
import type { StripeWebhookContext } from '../../src/http/stripe-webhook-route.ts';
import type { SignupContext } from '../../src/http/signup/signup-route.ts';
import { requestCounter } from '../../src/http/request-metrics.ts';
import { Webhooks, type EndedBatch, type WebhooksOptions } from '../../src/webhooks/webhooks.ts';
import { temporaryFolder } from './folder.ts';

export interface FrontEndOptions {
  /** Stands where the pool is: the HTTP side alone is under test. */
  readonly lookup?: (task: LookupTask) => Promise<LookupAnswer>;
  readonly quotas?: Quotas;
  readonly health?: Partial<HealthOptions>;
  readonly limitPerHour?: number;
  readonly suggestPerHour?: number;
  readonly logAddresses?: boolean;
  readonly trustProxyHops?: number;
  /** What `/api/layers` and the page speak of. */
  readonly manifest?: SnapshotManifest;
  readonly tileUrl?: string | null;
  readonly baseMap?: string | null;
  readonly webhook?: StripeWebhookContext;
  readonly signup?: SignupContext;
  readonly limits?: Partial<ServerLimits>;
  readonly webhooks?: Partial<WebhooksOptions<EndedBatch>>;
  readonly account?: Partial<AppContext['account']>;
  /** Where keys are; a file of its own unless it is given. */
  readonly store?: KeyStore;
  /** Whether there is the page `/account`. */
  readonly hasAccountPage?: boolean;
  /** Lookups that the pool takes. */
  readonly maxPending?: number;
  /** Lookups of one key at once; twice `maxPending` unless a test is about it. */
  readonly maxInFlight?: number;
  /** Lookups that are in the pool. */
  readonly pending?: () => number;
  readonly batchLimits?: Partial<BatchRoomLimits>;
}

/** The HTTP side over a function instead of the pool, with a key, on a free port. */
export interface FrontEnd extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly keyId: string;
  readonly store: KeyStore;
  readonly batches: MachineBatchStore;
  readonly health: Health;
  readonly webhooks: Webhooks;
  readonly metrics: Registry;
  /** Of the app, and of its lookups. */
  readonly app: AppContext;
  readonly metering: MeteringContext;
  /** Log lines so far. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** `POST /api/lookup` with the key and a JSON body. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, query?: string): Promise<Response>;
}

const emptyManifest: SnapshotManifest = {
  ...{ format: 1, id: 's', createdAt: '2026-01-01T00:00:00Z', sample: true, definitions: '' },
  checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
  dataSets: {},
  gazetteer: null,
  cells: null,
};

/** An answer as the contract has it. */
export const okAnswer: LookupAnswer = { json: JSON.stringify(readExamples().lookup), geocodeMs: 1, layersMs: 2 };

function batchStoreIn(folder: string, limits: Partial<BatchRoomLimits> = {}): MachineBatchStore {
  const bytes = { diskBytes: 1e12, diskBytesPerKey: 1e12, minFreeDiskBytes: 0 };
  return new MachineBatchStore({ dir: join(folder, 'batches'), retentionMs: 7 * DAY_MS, ...bytes, ...limits });
}

function batchContext(store: MachineBatchStore): BatchContext {
  return {
    ...{ store, catalogue: { answers: [], further: [] }, callbackAllowList: [], uploads: new Slots(UPLOADS) },
    snapshotInService: () => 's',
    attributionOf: () => ['a statement'],
    onAccepted: () => undefined,
  };
}

function accountOf({ account }: FrontEndOptions) {
  return {
    ...{ isShared: false, price: null, portal: null, ...account },
  };
}

function mapOf({ tileUrl = null, baseMap = null }: FrontEndOptions) {
  return { tileUrl, tileAttribution: 'test tiles', baseMap };
}

function switchesOf(options: FrontEndOptions) {
  const { logAddresses = false, trustProxyHops = 0, webhook = null, signup = null, hasAccountPage = false } = options;
  return { logAddresses, trustProxyHops, webhook, signup, hasAccountPage };
}

export async function startFrontEnd(options: FrontEndOptions = {}): Promise<FrontEnd> {
  const journal = await sharedJournal();
  const { lookup = () => Promise.resolve(okAnswer), quotas = new Quotas() } = options;
  const { limitPerHour = 1000, suggestPerHour = 1000 } = options;
  const folder = temporaryFolder();
  const ownStore = keysInFile(join(folder.path, 'accounts.sqlite'));
  const store: KeyStore = options.store ?? ownStore;
  const batches = batchStoreIn(folder.path, options.batchLimits);
  const { key, record } = await issueKey(store, { name: 'test' });
  const { lines, logger } = capturingLogger();
  const status = () => ({ threads: 1, costlyThreads: 1, pending: { plain: options.pending?.() ?? 0, costly: 0 } });
  const pool = { lookup, status };
  const manifest = options.manifest ?? emptyManifest;
  const health = new Health({
    snapshots: { ...pool, manifest, refused: null },
    hungThreads: { count: 0 },
    quota: quotas.of('lookups'),
    journal: { fault: null },
    keys: store,
    geocoding: { needs: { register: false, remote: false }, remoteState: () => Promise.resolve('none') },
    logger,
    ...options.health,
  });
  const webhooks = await Webhooks.start({
    ...{ dataDir: folder.path, secrets: store, allow: [], logger },
    describe: (batch) => batch,
    isClockTrusted: () => true,
    ...options.webhooks,
  });
  const metrics = new Registry();
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const authenticator = new Authenticator(store);
  const { maxPending = 1000, maxInFlight = maxPending * 2 } = options;
  const admission = new Admission({ pool, maxPending, maxInFlight, deadlineMs: 1000 });
  const requests = requestCounter(metrics);
  const budget = new Budget({ journalId: journal.id, redis: null });
  const metering: MeteringContext = {
    ...{ pool: admission, quotas, journal, limitPerHour },
    budget,
    idempotency: new Idempotency(journal, null),
    lookupDeadlineMs: 1000,
  };
  const app: AppContext = {
    ...{ authenticator, admission, requests, health, metrics, logger },
    badKeys: new BadKeyLimit(),
    batches: batchContext(batches),
    ...{ quotas, suggestPerHour },
    webhooks,
    account: { ...accountOf(options), keys: store, journal, batches, maxInFlight, budget },
    keyUse: { note: () => undefined },
    furtherKeys: furtherKeysOf(catalogue),
    documents: makeServiceDocuments(
      { ...mapOf(options), rateLimitPerHour: limitPerHour, suggestPerHour, signup: null },
      catalogue,
      () => manifest,
    ),
    lookups: new MeteredLookup(metering),
    ...switchesOf(options),
  };
  const refuseEarly = earlyRefusal({ admission, authenticator, logger, requests });
  const server = createHttpServer(createApp(app), { maxConnections: 1000, ...options.limits, refuseEarly });
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  return {
    ...{ url, key, keyId: record.id, store, batches, health, webhooks, metrics, app, metering, lines },
    post: (body, headers = {}, query = '') =>
      fetch(`${url}/api/lookup${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await stopServer(server, { lastCallMs: 0, quietMs: 0, drainMs: 100 });
      await batches[Symbol.asyncDispose]();
      await webhooks[Symbol.asyncDispose]();
      await ownStore[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** A thread takes a while to start, so one serves all tests of the process. */
let journalOpened: Promise<Journal> | undefined;

export function sharedJournal(): Promise<Journal> {
  journalOpened ??= Journal.open({ dataDir: temporaryFolder().path });
  return journalOpened;
}

/** A logger, and the lines that it got. */
export function capturingLogger() {
  const lines: Record<string, unknown>[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trimEnd().split('\n')) lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  const logger = createServiceLogger('info', stream);
  return { lines, logger };
}
