import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseRedisUrl } from './redis-url.ts';
import { DAY_MS } from './shared/time.ts';

/** Settings from the environment (docs/api.md, Configuration). */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Most connections; a further one is closed at once. */
  readonly maxConnections: number;
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
  /** Lookups of one key that may be under way at once. */
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
  readonly usageRetentionDays: number;
  /** Rejected lookups after which a customer is suspended; 0: never. */
  readonly suspendAfterRejections: number;
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

/** Geocoding services, and where each is when `GEOCODER_URL` does not say; null: every installation has its own address. */
const geocoderUrls = {
  nominatim: null,
  pelias: null,
  photon: null,
  arcgis: null,
  google: 'https://maps.googleapis.com/maps/api/geocode/',
} as const;

export type ProviderName = keyof typeof geocoderUrls;

/** Geocoders, asked one after another until one knows the address. */
export interface GeocodingConfig {
  readonly order: readonly ('local' | ProviderName)[];
  /** Null when `order` is the embedded one only. */
  readonly remote: RemoteConfig | null;
}

export interface RemoteConfig {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly key: string | null;
  readonly timeoutMs: number;
  /** Requests per second. */
  readonly ratePerS: number;
}

/** The payment processor. */
export interface BillingConfig {
  readonly apiKey: string;
  /** Event name of the meter that counts lookups. */
  readonly meterEvent: string;
  /** Null: the processor's own address. */
  readonly apiBase: string | null;
  /** Null: its reports are not accepted. */
  readonly webhookSecret: string | null;
}

/** A bucket of an object store, Amazon S3 or one with the same interface. */
export interface BucketConfig {
  readonly name: string;
  /** Begins the name of every object; without slashes around it. */
  readonly prefix: string;
  /** Null: Amazon's own. */
  readonly endpoint: string | null;
  readonly region: string;
  /** The bucket's name is in the path of the address and not in its host. */
  readonly pathStyle: boolean;
  /** Null: the library looks in its usual places, for example the role of the machine. */
  readonly credentials: BucketCredentials | null;
}

export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder with package.json, found from the sources and from `dist/`. */
export const projectDir = findProjectDir(dirname(fileURLToPath(import.meta.url)));

/**
 * Reads the environment; no other code does. An empty variable counts as not set.
 * @throws Error that names the variable and what it takes.
 */
export function readConfig(env: Environment = process.env): Config {
  const text = (name: string): string | undefined => env[name]?.trim() || credential(env, name);
  const integer = (name: string, fallback: number, [least, most]: readonly [number, number]): number => {
    const given = text(name);
    if (given === undefined) return fallback;
    const value = /^\d{1,12}$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${given}"`);
  };
  const workerThreads = integer('WORKER_THREADS', Math.max(1, availableParallelism() - 1), [1, 256]);
  const maxPending = integer('MAX_PENDING', 64 * workerThreads, [1, 100_000]);
  return {
    host: text('HOST') ?? '127.0.0.1',
    port: integer('PORT', 8080, [0, 65535]),
    maxConnections: integer('MAX_CONNECTIONS', 20_000, [1, 1_000_000]),
    adminHost: text('ADMIN_HOST') ?? '127.0.0.1',
    adminPort: integer('ADMIN_PORT', 9090, [0, 65535]),
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    minFreeDiskBytes: integer('MIN_FREE_DISK_MB', 1024, [0, 100_000_000]) * 1024 ** 2,
    batches: {
      diskBytes: integer('BATCH_DISK_MB', 100_000, [1, 100_000_000]) * 1024 ** 2,
      diskBytesPerKey: integer('BATCH_DISK_MB_PER_KEY', 20_000, [1, 100_000_000]) * 1024 ** 2,
      retentionMs: integer('BATCH_RETENTION_DAYS', 7, [1, 365]) * DAY_MS,
    },
    workerThreads,
    fileThreads: integer('WORKER_THREADS', availableParallelism(), [1, 256]),
    maxPending,
    maxInFlightPerKey: integer('MAX_IN_FLIGHT_PER_KEY', maxPending, [1, 100_000]),
    lookupDeadlineMs: integer('LOOKUP_DEADLINE_MS', 2000, [10, 600_000]),
    geocoding: readGeocoding(text, integer),
    redisUrl: redisUrl(text('REDIS_URL')),
    bucket: readBucket(text),
    rateLimitPerHour: integer('RATE_LIMIT_PER_HOUR', 1000, [1, 1_000_000_000]),
    suggestPerHour: integer('SUGGEST_PER_HOUR', 20_000, [1, 1_000_000_000]),
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, [0, 16]),
    billing: billing(text),
    usageRetentionDays: integer('USAGE_RETENTION_DAYS', 400, [36, 36_500]),
    suspendAfterRejections: integer('SUSPEND_AFTER_REJECTIONS', 10, [0, 1_000_000]),
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', logLevels),
    logAddresses: oneOf('LOG_ADDRESSES', text('LOG_ADDRESSES') ?? '0', ['0', '1'] as const) === '1',
    baseMap: text('BASEMAP') === undefined ? null : resolve(text('BASEMAP')!),
    tileUrl: tileUrl(text('TILE_URL')),
    tileAttribution: text('TILE_ATTRIBUTION') ?? '',
    layersDir: join(projectDir, 'layers'),
    systemd: {
      isListening: text('NOTIFY_SOCKET') !== undefined,
      watchdogMs: text('WATCHDOG_USEC') === undefined ? null : integer('WATCHDOG_USEC', 0, [1000, 1e12]) / 1000,
    },
  };
}

/** Values that a process of systemd reads from files that only it can see (systemd.exec, LoadCredential). */
const SECRETS: ReadonlySet<string> = new Set([
  ...['STRIPE_API_KEY', 'STRIPE_WEBHOOK_SECRET', 'REDIS_URL', 'GEOCODER_KEY'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
]);

/** @throws Error when the file is there and cannot be read. */
function credential(env: Environment, name: string): string | undefined {
  const folder = env['CREDENTIALS_DIRECTORY'];
  if (!folder || !SECRETS.has(name)) return undefined;
  const file = join(folder, `secrets_${name}`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined;
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

function oneOf<const T extends string>(name: string, given: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === given);
  if (choice !== undefined) return choice;
  throw new Error(`${name} must be one of ${choices.join(', ')}, not "${given}"`);
}

/** @throws Error without the key. */
function readGeocoding(text: ReadText, integer: ReadInteger): GeocodingConfig {
  const order = (text('GEOCODER') ?? 'local').split(',').map((name) => oneOf('GEOCODER', name.trim(), geocoderNames));
  if (new Set(order).size < order.length) throw new Error('GEOCODER names a geocoder twice');
  const [provider, ...others] = order.filter((name) => name !== 'local');
  if (others.length > 0)
    throw new Error('GEOCODER must be one geocoder, or "local" and one other in the order in which they are asked');
  const timeoutMs = integer('GEOCODER_TIMEOUT_MS', 1500, [50, 8000]);
  const ratePerS = integer('GEOCODER_RATE_PER_S', 10, [1, 10_000]);
  const key = text('GEOCODER_KEY') ?? null;
  const url = text('GEOCODER_URL');
  if (provider === undefined) return { order, remote: null };
  const baseUrl = url ?? geocoderUrls[provider];
  if (baseUrl === null || !URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new Error(`GEOCODER_URL must be the http(s) address of your ${provider} service`);
  }
  if (notForServices.has(new URL(baseUrl).hostname)) {
    throw new Error(
      'GEOCODER_URL is a public instance whose terms do not allow services like this: use your own instance',
    );
  }
  return { order, remote: { provider, baseUrl, key, timeoutMs, ratePerS } };
}

/** Public instances run by volunteers, whose usage policies forbid services like this one. */
const notForServices: ReadonlySet<string> = new Set(['nominatim.openstreetmap.org', 'photon.komoot.io']);

const geocoderNames = ['local', ...(Object.keys(geocoderUrls) as ProviderName[])] as const;

type ReadText = (name: string) => string | undefined;
type ReadInteger = (name: string, fallback: number, range: readonly [number, number]) => number;

/** @throws Error that contains none of the secrets. */
function billing(text: ReadText): BillingConfig | null {
  const apiKey = text('STRIPE_API_KEY');
  const meterEvent = text('STRIPE_METER_EVENT');
  const apiBase = text('STRIPE_API_BASE') ?? null;
  const webhookSecret = text('STRIPE_WEBHOOK_SECRET') ?? null;
  if (apiBase !== null && !(URL.canParse(apiBase) && /^https?:$/.test(new URL(apiBase).protocol))) {
    throw new Error('STRIPE_API_BASE must be a URL that begins with https:// or http://');
  }
  if (apiKey === undefined) return null;
  if (/[^\x21-\x7e]/.test(apiKey)) throw new Error('STRIPE_API_KEY must be visible ASCII characters');
  if (meterEvent === undefined) throw new Error('STRIPE_METER_EVENT must be set when STRIPE_API_KEY is');
  if (meterEvent.length > 100)
    throw new Error('STRIPE_METER_EVENT must be the event name of a meter, at most 100 characters');
  return { apiKey, meterEvent, apiBase, webhookSecret };
}

/** @throws Error without the URL's text, which may hold a password. */
function redisUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  try {
    parseRedisUrl(given);
    return given;
  } catch (cause) {
    throw new Error(`REDIS_URL ${cause instanceof Error ? cause.message : 'is not valid'}`, { cause });
  }
}

/** @throws Error that contains none of the secrets. */
function readBucket(text: ReadText): BucketConfig | null {
  const address = bucketAddress(text);
  const credentials = bucketCredentials(text);
  const region = text('AWS_REGION') ?? 'us-east-1';
  const store = text('BATCH_STORE');
  if (store === undefined) return null;
  const [, name, prefix = ''] = BUCKET.exec(store) ?? [];
  if (name === undefined) throw new Error('BATCH_STORE must be s3://bucket or s3://bucket/prefix');
  if (text('REDIS_URL') !== undefined) return { name, prefix, region, ...address, credentials };
  throw new Error('BATCH_STORE needs REDIS_URL, which has the queue of the batches');
}

/** `s3://bucket`, `s3://bucket/prefix/of/names`. */
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.-]+(?:\/[\w.-]+)*))?\/?$/;

function bucketAddress(text: ReadText): Pick<BucketConfig, 'endpoint' | 'pathStyle'> {
  const endpoint = text('S3_ENDPOINT') ?? null;
  const isUrl = endpoint === null || (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol));
  if (!isUrl) throw new Error('S3_ENDPOINT must be a URL that begins with https:// or http://');
  const usual = endpoint === null ? '0' : '1';
  return { endpoint, pathStyle: oneOf('S3_PATH_STYLE', text('S3_PATH_STYLE') ?? usual, ['0', '1'] as const) === '1' };
}

/** Null without any: the library then looks in its usual places. */
function bucketCredentials(text: ReadText): BucketCredentials | null {
  const accessKeyId = text('AWS_ACCESS_KEY_ID');
  const secretAccessKey = text('AWS_SECRET_ACCESS_KEY');
  const sessionToken = text('AWS_SESSION_TOKEN');
  if (text('BATCH_STORE') !== undefined && (accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together');
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function tileUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  const isTemplate = ['{z}', '{x}', '{y}'].every((place) => given.includes(place));
  if (isTemplate && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given;
  throw new Error('TILE_URL must be an http(s) URL with {z}, {x} and {y} in it');
}

function findProjectDir(start: string): string {
  for (let dir = start; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json'))) return dir;
    if (dir === dirname(dir)) throw new Error(`no package.json above ${start}`);
  }
}
