import type { ReadSettings } from '../../core/settings/config.ts';
import { oneOf } from '../../core/settings/setting-groups.ts';

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
  readonly remote: {
    readonly provider: ProviderName;
    readonly baseUrl: string;
    readonly key: string | null;
    readonly timeoutMs: number;
    /** Requests per second. */
    readonly ratePerS: number;
  } | null;
}

/** Most time for one address, with all attempts. */
const GEOCODER_TIMEOUT_MS = 1500;

/** @throws Error without the key. */
export const geocoderSettings: ReadSettings<GeocodingConfig> = ({ text, integer }) => {
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
};

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
