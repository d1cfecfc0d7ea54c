import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  billing,
  bucketAt,
  oneOf,
  readBucket,
  readGeocoding,
  redisUrl,
  tileUrl,
  webhookAllow,
  type BillingConfig,
  type BucketConfig,
  type GeocodingConfig,
} from './settings/setting-groups.ts';
import { requireNoRemoved, unknownNames } from './settings/setting-names.ts';
import { SettingsReader, type Environment, type Setting, type SettingsFile } from './settings/settings-reader.ts';
import { readSignup, type SignupConfig } from './settings/signup-settings.ts';
import { DAY_MS } from './shared/time.ts';

/** Settings from the environment (docs/api.md, Configuration). */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  readonly adminPort: number;
  readonly dataDir: string;
  /** Free disk that an import leaves, so that lookups can still be recorded. */
  readonly minFreeDiskBytes: number;
  readonly batches: BatchConfig;
  readonly workerThreads: number;
  /** The same for a command that looks up a file: all cores, because it serves no HTTP beside. */
  readonly fileThreads: number;
  /** Lookups that may wait for a thread before 503, for the whole process. */
  readonly maxPending: number;
  /** Lookups of a key without a cap of its own that may be under way at once. */
  readonly maxInFlightPerKey: number;
  readonly lookupDeadlineMs: number;
  readonly geocoding: GeocodingConfig;
  readonly redisUrl: string | null;
  /** Where many machines keep batches; null: each keeps its own. */
  readonly bucket: BucketConfig | null;
  readonly rateLimitPerHour: number;
  /** Requests for suggestions per hour and key. */
  readonly suggestPerHour: number;
  readonly trustProxyHops: number;
  /** Null: usage is only recorded. */
  readonly billing: BillingConfig | null;
  /** Null: nobody signs up, an operator makes keys. */
  readonly signup: SignupConfig | null;
  readonly usageRetentionDays: number;
  /** Networks and hosts inside the operator's own network that may receive webhooks. */
  readonly webhookAllow: readonly string[];
  readonly logLevel: LogLevel;
  readonly logAddresses: boolean;
  /** File of the page's base map; null: none. */
  readonly baseMap: string | null;
  /** Template of the base map's tiles with {z}, {x} and {y}; null: the page's map has no base map. */
  readonly tileUrl: string | null;
  /** Attribution that the tiles' publisher requires on the map. */
  readonly tileAttribution: string;
  /** Folder of the layer definitions. */
  readonly layersDir: string;
  /** The operator's own definitions, read after the release's; null: none. */
  readonly ownLayersDir: string | null;
  /** Set by systemd for a unit of `Type=notify`: see sd_notify(3) and sd_watchdog_enabled(3). */
  readonly systemd: { readonly isListening: boolean; readonly watchdogMs: number | null };
}

/** Batches on this machine's disk. */
export interface BatchConfig {
  /** Most bytes of all batches. */
  readonly diskBytes: number;
  readonly diskBytesPerKey: number;
  /** Time for which results are kept. */
  readonly retentionMs: number;
}

const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** The folder with package.json, found from the sources and from `dist/`. */
export const projectDir = findProjectDir(dirname(fileURLToPath(import.meta.url)));

/** Where `npm run build` puts what runs and what browsers get. */
export const builtDir = join(projectDir, 'dist');

/** Whether this process runs from the sources, and not from what was built. */
export const runsFromSources = import.meta.url.endsWith('.ts');

/** Returns the version of the program. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/**
 * Reads the environment; no other code does. An empty variable counts as not set.
 * @throws Error that names the variable and what it takes.
 */
export function readConfig(env: Environment = process.env): Config {
  return readSettings(env).config;
}

/** Names of all settings. */
export function settingNames(): readonly string[] {
  const reader = new SettingsReader({});
  configOf(reader);
  return [...reader.settings.map(({ name }) => name), 'CREDENTIALS_DIRECTORY'];
}

/**
 * Reads the environment, and returns where each setting is from too.
 * @throws Error that names a setting that is mistyped, removed, or has a bad value.
 */
export function readSettings(
  env: Environment = process.env,
  file: SettingsFile | null = null,
): { readonly config: Config; readonly settings: readonly Setting[] } {
  const isSet = (values: Environment): string[] => Object.keys(values).filter((name) => values[name]?.trim());
  requireNoRemoved([...isSet(env), ...isSet(file?.values ?? {})]);
  const [mistyped] = unknownNames(Object.keys(env), settingNames()).filter(({ meant }) => meant !== null);
  if (mistyped)
    throw new Error(
      `${mistyped.given} is no setting: correct it to ${mistyped.meant}, or remove it from the environment`,
    );
  const reader = new SettingsReader(env, file);
  return { config: configOf(reader), settings: reader.settings };
}

function configOf({ text, integer }: SettingsReader): Config {
  const workerThreads = integer('WORKER_THREADS', Math.max(1, availableParallelism() - 1), [1, 256]);
  const diskBytes = integer('BATCH_DISK_MB', 100_000, [1, 100_000_000]) * 1024 ** 2;
  const maxPending = integer('MAX_PENDING', 64 * workerThreads, [1, 100_000]);
  return {
    host: text('HOST', '127.0.0.1'),
    port: integer('PORT', 8080, [0, 65535]),
    adminHost: text('ADMIN_HOST', '127.0.0.1'),
    adminPort: integer('ADMIN_PORT', 9090, [0, 65535]),
    dataDir: resolve(text('DATA_DIR', 'data')),
    minFreeDiskBytes: integer('MIN_FREE_DISK_MB', 1024, [0, 100_000_000]) * 1024 ** 2,
    batches: {
      diskBytes,
      diskBytesPerKey: Math.floor(diskBytes / 5),
      retentionMs: integer('BATCH_RETENTION_DAYS', 7, [1, 365]) * DAY_MS,
    },
    workerThreads,
    fileThreads: integer('WORKER_THREADS', availableParallelism(), [1, 256]),
    maxPending,
    maxInFlightPerKey: maxPending,
    lookupDeadlineMs: integer('LOOKUP_DEADLINE_MS', 2000, [10, 600_000]),
    geocoding: readGeocoding(text, integer),
    redisUrl: redisUrl(text('REDIS_URL')),
    bucket: readBucket(text),
    rateLimitPerHour: integer('RATE_LIMIT_PER_HOUR', 1000, [1, 1_000_000_000]),
    suggestPerHour: integer('SUGGEST_PER_HOUR', 20_000, [1, 1_000_000_000]),
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, [0, 16]),
    billing: billing(text),
    signup: readSignup(text, text('HOST', '127.0.0.1')),
    usageRetentionDays: integer('USAGE_RETENTION_DAYS', 400, [36, 36_500]),
    webhookAllow: webhookAllow(text('WEBHOOK_ALLOW')),
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL', 'info'), logLevels),
    logAddresses: oneOf('LOG_ADDRESSES', text('LOG_ADDRESSES', '0'), ['0', '1'] as const) === '1',
    baseMap: text('BASEMAP') === undefined ? null : resolve(text('BASEMAP')!),
    tileUrl: tileUrl(text('TILE_URL')),
    tileAttribution: text('TILE_ATTRIBUTION', ''),
    layersDir: join(projectDir, 'layers'),
    ownLayersDir: text('LAYERS_DIR') === undefined ? null : resolve(text('LAYERS_DIR')!),
    systemd: {
      isListening: text('NOTIFY_SOCKET') !== undefined,
      watchdogMs: text('WATCHDOG_USEC') === undefined ? null : integer('WATCHDOG_USEC', 0, [1000, 1e12]) / 1000,
    },
  };
}

/** Where a command that asks a server finds it. */
export interface ClientConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/**
 * Returns the server and the key of a command: what its options say, else `LAND_LOOKUP_URL` and `LAND_LOOKUP_KEY`.
 * @throws Error without a key, or when the URL is none. No message contains the key.
 */
export function readClientConfig(
  given: { readonly url?: string; readonly key?: string },
  env: Environment = process.env,
): ClientConfig {
  const url = given.url ?? (env['LAND_LOOKUP_URL']?.trim() || 'http://127.0.0.1:8080');
  const key = given.key ?? env['LAND_LOOKUP_KEY']?.trim() ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error('--url (or LAND_LOOKUP_URL) must be the http(s) address of a land-lookup service');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('give an API key: --key KEY, or LAND_LOOKUP_KEY');
  return { url: url.replace(/\/+$/, ''), key };
}

/**
 * Returns the bucket that a command names by its address, `s3://bucket/prefix`.
 * @throws Error when it is no such address. No message contains a secret.
 */
export function readBucketConfig(url: string, env: Environment = process.env): BucketConfig {
  return bucketAt('the object store', url, new SettingsReader(env).text);
}

/**
 * Takes from this process's environment what would open the network to GDAL and PROJ: exceptions from the proxy that closes it
 * (docs/decisions/0073). Call it on the main thread before a thread loads GDAL; other threads have copies of the environment.
 */
export function closeNetworkOfLibraries(env: NodeJS.ProcessEnv = process.env): void {
  delete env['no_proxy'];
  delete env['NO_PROXY'];
  env['PROJ_NETWORK'] = 'OFF';
}

function findProjectDir(start: string): string {
  for (let dir = start; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json'))) return dir;
    if (dir === dirname(dir)) throw new Error(`no package.json above ${start}`);
  }
}
