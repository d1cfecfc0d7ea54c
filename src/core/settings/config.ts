import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { releasedLayers } from '../../project/project.ts';
import { billing, contact, oneOf, publicUrl, redisUrl, type BillingConfig } from './setting-groups.ts';
import type { Setting, SettingsReader } from './settings-reader.ts';

/** Settings from the environment (docs/api.md, Configuration). */
export interface Config {
  /** Names of the features that are there. */
  readonly features: readonly string[];
  /** Names of the others, which FEATURES leaves out. */
  readonly leftOut: readonly string[];
  /** Settings of these features, by what reads them. */
  readonly ofFeatures: ReadonlyMap<ReadSettings<unknown>, unknown>;
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  readonly dataDir: string;
  /** Free disk that an import leaves, so that lookups can still be recorded. */
  readonly minFreeDiskBytes: number;
  readonly workerThreads: number;
  /** Lookups that may wait for a thread before 503, for the whole process. */
  readonly maxPending: number;
  /** Lookups of a key without a cap of its own that may be under way at once. */
  readonly maxInFlightPerKey: number;
  readonly lookupDeadlineMs: number;
  /** Names of the geocoders, in the order in which they are asked; the embedded one is "local". */
  readonly geocoders: readonly string[];
  readonly redisUrl: string | null;
  readonly rateLimitPerHour: number;
  readonly trustProxyHops: number;
  /** Null: usage is only recorded. */
  readonly billing: BillingConfig | null;
  /** Address of the service for browsers, without a slash at its end; null: it is not given. */
  readonly publicUrl: string | null;
  /** Where the operator can be asked, for a key or about a fault: an https URL, or `mailto:` with an address; null: it is not given. */
  readonly contact: string | null;
  readonly usageRetentionDays: number;
  readonly logLevel: LogLevel;
  readonly logAddresses: boolean;
  /** Folder of the layer definitions. */
  readonly layersDir: string;
  /** The operator's own definitions, read after the release's; null: none. */
  readonly ownLayersDir: string | null;
  /** Set by systemd for a unit of `Type=notify`: see sd_notify(3) and sd_watchdog_enabled(3). */
  readonly systemd: { readonly isListening: boolean; readonly watchdogMs: number | null };
}

export interface SettingsRead {
  /** Whole only when there is no fault. */
  readonly draft: Partial<Config>;
  /** With where each is from. */
  readonly settings: readonly Setting[];
  /** Names that are mistyped, removed or unknown, bad values, and settings of features that are left out. */
  readonly faults: readonly string[];
}

/** What the options of a command say of a server. */
export interface GivenClient {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** Where a command that asks a server finds it. */
export interface ClientConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/** Name of the geocoder in the lookup threads, which asks the address register of the snapshot. */
const EMBEDDED = 'local';

/** Says whether lookups of addresses need the address register of the snapshot. */
export function needsRegister({ geocoders }: Pick<Config, 'geocoders'>): boolean {
  return geocoders.includes(EMBEDDED);
}

/** Says whether lookups of addresses may wait for a remote geocoder, which has a queue of its own and refuses what does not fit in. */
export function asksRemote({ geocoders }: Pick<Config, 'geocoders'>): boolean {
  return geocoders.some((name) => name !== EMBEDDED);
}

const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** Reads settings that belong to a feature. @throws Error that names a setting and what it takes. */
export type ReadSettings<Settings> = (reader: SettingsReader) => Settings;

/** Returns the settings of a feature that is there. */
export function settingsOf<Settings>(
  { ofFeatures }: Pick<Config, 'ofFeatures'>,
  read: ReadSettings<Settings>,
): Settings {
  if (!ofFeatures.has(read)) throw new Error('the settings of a feature that is left out');
  return ofFeatures.get(read) as Settings;
}

/** Returns the names that FEATURES gives: all without it, none when it is empty. One that is not there is a fault of the settings. */
export function featuresIn(reader: SettingsReader, all: readonly { readonly name: string }[]): readonly string[] {
  const given = reader.list('FEATURES');
  if (given === null) return all.map(({ name }) => name);
  reader.attempt(() => {
    const unknown = given.find((name) => !all.some((one) => one.name === name));
    if (unknown === undefined) return;
    throw new Error(
      `FEATURES names "${unknown}", which is no feature: there are ${all.map(({ name }) => name).join(', ')}`,
    );
  });
  return given;
}

/** Reads all settings. @param all features that there are. @throws Error that names a setting and what it takes. */
export function configOf(
  reader: SettingsReader,
  all: readonly {
    readonly name: string;
    readonly settings?: ReadSettings<unknown>;
    readonly geocoding?: { readonly order: ReadSettings<readonly string[]> };
  }[],
): Config {
  const { text, integer, attempt } = reader;
  const features = featuresIn(reader, all);
  const workerThreads = integer('WORKER_THREADS', Math.max(1, availableParallelism() - 1), [1, 256]);
  const maxPending = integer('MAX_PENDING', 64 * workerThreads, [1, 100_000]);
  const geocodersIn = all.find(({ name, geocoding }) => geocoding && features.includes(name))?.geocoding?.order;
  const own = all.flatMap(({ name, settings }) => (settings && features.includes(name) ? settings : []));
  return {
    features,
    leftOut: all.map(({ name }) => name).filter((name) => !features.includes(name)),
    ofFeatures: new Map(own.map((read) => [read, attempt(() => read(reader))])),
    host: text('HOST', '127.0.0.1'),
    port: integer('PORT', 8080, [0, 65535]),
    adminHost: text('ADMIN_HOST', '127.0.0.1'),
    adminPort: integer('ADMIN_PORT', 9090, [0, 65535]),
    dataDir: resolve(text('DATA_DIR', 'data')),
    minFreeDiskBytes: integer('MIN_FREE_DISK_MB', 1024, [0, 100_000_000]) * 1024 ** 2,
    workerThreads,
    maxPending,
    maxInFlightPerKey: maxPending,
    lookupDeadlineMs: integer('LOOKUP_DEADLINE_MS', 2000, [10, 600_000]),
    geocoders: geocodersIn ? attempt(() => geocodersIn(reader)) : [EMBEDDED],
    redisUrl: attempt(() => redisUrl(text('REDIS_URL'))),
    rateLimitPerHour: integer('RATE_LIMIT_PER_HOUR', 1000, [1, 1_000_000_000]),
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, [0, 16]),
    billing: attempt(() => billing(text)),
    publicUrl: attempt(() => publicUrl(text('PUBLIC_URL'))),
    contact: attempt(() => contact(text('CONTACT'))),
    usageRetentionDays: integer('USAGE_RETENTION_DAYS', 400, [36, 36_500]),
    logLevel: attempt(() => oneOf('LOG_LEVEL', text('LOG_LEVEL', 'info'), logLevels)),
    logAddresses: attempt(() => oneOf('LOG_ADDRESSES', text('LOG_ADDRESSES', '0'), ['0', '1'])) === '1',
    layersDir: releasedLayers,
    ownLayersDir: text('LAYERS_DIR') === undefined ? null : resolve(text('LAYERS_DIR')!),
    systemd: {
      isListening: text('NOTIFY_SOCKET') !== undefined,
      watchdogMs: text('WATCHDOG_USEC') === undefined ? null : integer('WATCHDOG_USEC', 0, [1000, 1e12]) / 1000,
    },
  };
}
