/** Settings that belong together, and those with a form of their own. `config.ts` reads the environment for them. */
import { parseRedisUrl } from './redis-url.ts';
import type { ReadInteger, ReadText } from './settings-reader.ts';
import { messageOf } from '../../words.ts';

/** Geocoding services, and where each is when `GEOCODER_URL` does not say; null: every installation has its own address. */
const geocoderUrls = {
  nominatim: null,
  pelias: null,
  photon: null,
  arcgis: null,
  google: 'https://maps.googleapis.com/maps/api/geocode/',
} as const;

export type ProviderName = keyof typeof geocoderUrls;

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

/** Geocoders, asked one after another until one knows the address. */
export interface GeocodingConfig {
  readonly order: readonly ('local' | ProviderName)[];
  /** Null when `order` is the embedded one only. */
  readonly remote: {
    readonly provider: ProviderName;
    readonly baseUrl: string;
    readonly key: string | null;
    readonly timeoutMs: number;
    /** Requests per second. */
    readonly ratePerS: number;
  } | null;
}

/** Says whether lookups of addresses need the address register of the snapshot. */
export function needsRegister({ order }: Pick<GeocodingConfig, 'order'>): boolean {
  return order.includes('local');
}

/** Most time for one address, with all attempts. */
const GEOCODER_TIMEOUT_MS = 1500;

/** @throws Error without the key. */
export function readGeocoding(text: ReadText, integer: ReadInteger): GeocodingConfig {
  const order = text('GEOCODER', 'local')
    .split(',')
    .map((name) => oneOf('GEOCODER', name.trim(), geocoderNames));
  if (new Set(order).size < order.length) throw new Error('GEOCODER names a geocoder twice');
  const [provider, ...others] = order.filter((name) => name !== 'local');
  if (others.length > 0)
    throw new Error('GEOCODER must be one geocoder, or "local" and one other in the order in which they are asked');
  const ratePerS = integer('GEOCODER_RATE_PER_S', 10, [1, 10_000]);
  const key = text('GEOCODER_KEY') ?? null;
  const url = text('GEOCODER_URL');
  if (provider === undefined) return { order, remote: null };
  if (provider === 'google' && key === null) throw new Error('GEOCODER_KEY must be set when GEOCODER is google');
  return {
    order,
    remote: { provider, baseUrl: geocoderUrl(provider, url), key, timeoutMs: GEOCODER_TIMEOUT_MS, ratePerS },
  };
}

function geocoderUrl(provider: ProviderName, given: string | undefined): string {
  const baseUrl = given ?? geocoderUrls[provider];
  if (baseUrl === null || !URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new Error(`GEOCODER_URL must be the http(s) address of your ${provider} service`);
  }
  if (notForServices.has(new URL(baseUrl).hostname)) {
    throw new Error(
      'GEOCODER_URL is a public instance whose terms do not allow services like this: use your own instance',
    );
  }
  return baseUrl;
}

/** Public instances run by volunteers, whose usage policies forbid services like this one. */
const notForServices: ReadonlySet<string> = new Set(['nominatim.openstreetmap.org', 'photon.komoot.io']);

const geocoderNames = ['local', ...(Object.keys(geocoderUrls) as ProviderName[])] as const;

/** @throws Error that contains none of the secrets. */
export function billing(text: ReadText): BillingConfig | null {
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
export function redisUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  try {
    parseRedisUrl(given);
    return given;
  } catch (cause) {
    throw new Error(`REDIS_URL ${messageOf(cause)}`, { cause });
  }
}

/** Returns the address of the service for browsers without a slash at its end; null: it is not given. @throws Error when it is none. */
export function publicUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (isBrowserUrl(given) && new URL(given).href === `${new URL(given).origin}/`) return new URL(given).origin;
  throw new Error('PUBLIC_URL must be the https address of this service without a path, such as https://land.example');
}

/** Returns an https URL, or an address of mail with `mailto:` before it; null: it is not given. @throws Error when it is neither. */
export function contact(given: string | undefined): string | null {
  if (given === undefined) return null;
  const asUrl = given.includes(':') ? given : `mailto:${given}`;
  if (isWebOrMail(asUrl)) return asUrl;
  throw new Error('CONTACT must be an https URL or an address of mail, such as help@example.ca');
}

/** An address of mail as browsers take it, without the rarer forms that it may have. */
const MAIL = /^mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+$/;

/** Says whether it is an https URL without a user, or `mailto:` and one address. */
export function isWebOrMail(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : null;
  return MAIL.test(given) || (url?.protocol === 'https:' && url.username === '');
}

/** Says whether a URL is one by https, or without it on the machine itself. */
export function isBrowserUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname } = new URL(given);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname.replace(/^\[|\]$/g, '')));
}

/** Hosts that are this machine itself. */
export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

export function oneOf<const T extends string>(name: string, given: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === given);
  if (choice !== undefined) return choice;
  throw new Error(`${name} must be one of ${choices.join(', ')}, not "${given}"`);
}
