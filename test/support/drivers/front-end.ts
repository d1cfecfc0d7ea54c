import { CHOSEN_FEATURES } from './chosen-features.ts';
import type { KeyStore } from '../../../src/core/keys/key-store.ts';
import { issueKey } from '../../../src/core/keys/keys.ts';
import type { BatchStore } from '../../../src/features/batches/batch-store.ts';
import { readConfig } from '../../../src/config.ts';
import type { Config } from '../../../src/core/settings/config.ts';
import type { ServedFeature } from '../../../src/feature.ts';
import { batchSettings } from '../../../src/features/batches/settings.ts';
import { pageSettings, type PageSettings } from '../../../src/features/page/settings.ts';
import { loadFeatures } from '../../../src/features.ts';
import { createApp } from '../../../src/core/http/app.ts';
import { batchesPart, type Batches } from '../../../src/features/batches/runner.ts';
import { earlyRefusal } from '../../../src/core/http/early-refusal.ts';
import { createHttpServer, listen, stopServer, type ServerLimits } from '../../../src/core/http/server.ts';
import { refusablePaths } from '../../../src/core/http/routes.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import type { Services } from '../../../src/core/http/services.ts';
import { createServiceLogger } from '../../../src/core/settings/logger.ts';
import { openServices } from '../../../src/service.ts';
import { Opened } from '../../../src/core/parts/parts.ts';
import { noRows } from '../../../src/features/batches/rows/row.ts';
import type { LookupAnswer, LookupTask } from '../../../src/messages/lookup.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import { DAY_MS } from '../../../src/messages/time.ts';
import { temporaryFolder } from './folder.ts';
import { openJournalHere } from './journal-here.ts';
import { oncePerProcess } from './process-end.ts';
import { PATIENT_DEADLINE_MS, untilLogged } from './patience.ts';
import { PassThrough } from 'node:stream';

/** Also any part of the configuration. */
export interface FrontEndOptions extends Partial<Config> {
  /** Stands where the pool is: the HTTP side alone is under test. */
  readonly lookup?: (task: LookupTask) => Promise<LookupAnswer>;
  /** Lookups that are in the pool. */
  readonly pending?: () => number;
  /** What `/api/layers` and the page speak of. */
  readonly manifest?: SnapshotManifest;
  /** File of the page's base map. */
  readonly baseMap?: string;
  readonly limits?: Partial<ServerLimits>;
  readonly overrides?: Partial<Services>;
  /** Of features, by their names. */
  readonly parts?: Readonly<Record<string, unknown>>;
  /** Features besides those of the program. */
  readonly more?: readonly ServedFeature[];
}

type LogLine = Readonly<Record<string, unknown>>;

/** The services without threads for lookups, with a key, on a free port. */
export interface FrontEnd extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly keyId: string;
  readonly services: Services;
  readonly store: KeyStore;
  /** @throws Error where batches are left out. */
  batches(): BatchStore;
  /** Log lines so far. That of a request comes after its answer. */
  readonly lines: readonly LogLine[];
  /** Waits for a line. */
  loggedLine(isIt: (line: LogLine) => boolean): Promise<LogLine>;
  /** `POST /api/lookup` with the key and a JSON body. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, query?: string): Promise<Response>;
}

/** Of a snapshot in service, without data sets. */
export const emptyManifest: SnapshotManifest = {
  ...{ format: 1, id: 's', createdAt: '2026-01-01T00:00:00Z', sample: true, definitions: '' },
  checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
  dataSets: {},
  // Without one the service is not ready.
  gazetteer: {
    ...{ title: 'Register', publisher: 'Nobody', licence: '', attribution: 'a statement', asOf: '2026-01-01' },
    ...{ importedAt: '2026-01-01T00:00:00Z', normaliser: 1, addressRows: 1, civicPoints: 1, outliers: 0, streets: 1 },
    ...{ dropped: {}, sample: true },
  },
  cells: null,
};

/** An answer as the contract has it. */
export const okAnswer: LookupAnswer = { json: JSON.stringify(readExamples().lookup), geocodeMs: 1, layersMs: 2 };

/** Batches that are accepted stay as they are. */
const idle: Batches['runner'] = {
  wake: () => undefined,
  stop: () => undefined,
  status: () => ({ rows: noRows, failures: 0, ended: {} }),
};

/** Room for any batch. */
export const roomy: ReturnType<typeof batchSettings> = {
  diskBytes: 1e12,
  diskBytesPerKey: 1e12,
  retentionMs: 7 * DAY_MS,
  fileThreads: 1,
};

function configIn(
  dataDir: string,
  { baseMap = null, ...given }: Partial<Config> & { baseMap?: string | null },
): Config {
  const { maxPending = 1000 } = given;
  const ground: PageSettings = { baseMap, tileUrl: null, tileAttribution: 'test tiles' };
  const read = readConfig({ DATA_DIR: dataDir, ...CHOSEN_FEATURES });
  return {
    ...read,
    maxPending,
    maxInFlightPerKey: maxPending * 2,
    lookupDeadlineMs: PATIENT_DEADLINE_MS,
    minFreeDiskBytes: 0,
    ...given,
    ofFeatures: new Map([
      ...read.ofFeatures,
      [batchSettings, roomy],
      [pageSettings, ground],
      ...(given.ofFeatures ?? []),
    ]),
  };
}

function snapshotsOf({
  lookup = () => Promise.resolve(okAnswer),
  pending,
  manifest = emptyManifest,
}: Pick<FrontEndOptions, 'lookup' | 'pending' | 'manifest'>): Services['snapshots'] {
  return {
    manifest,
    refused: null,
    pool: {
      lookup: async (task) => ({ vintage: manifest.id, ...(await lookup(task)) }),
      lookupRows: () => Promise.reject(new Error('it has no threads')),
      get status() {
        return { threads: 1, costlyThreads: 1, pending: { plain: pending?.() ?? 0, costly: 0 } };
      },
    },
    reload: () => Promise.resolve(),
  };
}

/** No lookups in the background. */
export const NO_EXAMPLES = { examples: { all: [] } };

export async function startFrontEnd(options: FrontEndOptions = {}): Promise<FrontEnd> {
  const { limits, overrides, parts, more = [], ...given } = options;
  const folder = temporaryFolder();
  const { lines, logger } = capturingLogger();
  const config = configIn(folder.path, given);
  const opened = new Opened();
  const features = [...(await loadFeatures(config.features)), ...more];
  const services = await openServices(
    config,
    {
      logger,
      overrides: {
        snapshots: snapshotsOf(options),
        journal: await sharedJournal(),
        ...overrides,
      },
      // No lookups but those that a test asks for.
      parts: { ...NO_EXAMPLES, ...parts },
    },
    features,
    opened,
  );
  const batches = services.parts.has(batchesPart) ? services.parts.of(batchesPart) : null;
  batches?.runner.stop();
  if (batches) services.parts.set(batchesPart, { ...batches, runner: idle });
  const { key, record } = await issueKey(services.keys, { name: 'test' });
  const refuseEarly = earlyRefusal({ ...services, refusable: refusablePaths(features) });
  const server = createHttpServer(createApp(services, features), { ...limits, refuseEarly });
  const url = await listen(server, { host: '127.0.0.1', port: 0 });
  for (const feature of features) feature.listens?.(services, url);
  return {
    url,
    key,
    keyId: record.id,
    services,
    store: services.keys,
    batches: () => services.parts.of(batchesPart).store,
    lines,
    loggedLine: (isIt) => untilLogged(lines, isIt),
    post: (body, headers = {}, query = '') =>
      fetch(`${url}/api/lookup${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await stopServer(server, { lastCallMs: 0, quietMs: 0, drainMs: 100 });
      await opened[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const sharedJournal = oncePerProcess(
  () => openJournalHere(temporaryFolder().path),
  (journal) => journal[Symbol.asyncDispose](),
);

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
