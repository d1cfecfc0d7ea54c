import type { UnavailableReason } from '../../messages/reasons.ts';
import type { Lookups } from '../pool/gate.ts';
import type { Config } from '../settings/config.ts';
import type { ServiceLogger } from '../settings/logger.ts';

/** Looks up for a caller: addresses through the geocoders of the service, everything else as the lookups below it. */
export interface Geocoding extends Lookups, Disposable {
  /** How the geocoders do that are asked besides the embedded one. Never fails. */
  state(): Promise<GeocoderState>;
}

export interface GeocoderState {
  /** In words. */
  readonly words: string;
  /** Why no address can be looked up, and what an operator does about it; null: addresses can. */
  readonly obstacle: { readonly reason: UnavailableReason; readonly help: string } | null;
}

/** Puts geocoders beside the embedded one, as the settings say. @param logger gets their changes; without it nobody does. */
export type OpenGeocoding = (lookups: Lookups, config: Config, logger?: Pick<ServiceLogger, 'warn'>) => Geocoding;

/** The embedded geocoder alone. */
export const openEmbedded: OpenGeocoding = (lookups) => ({
  lookup: (task, caller) => lookups.lookup(task, caller),
  state: () => Promise.resolve({ words: 'local', obstacle: null }),
  [Symbol.dispose]: () => undefined,
});
