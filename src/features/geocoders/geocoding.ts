import { geocoderSettings, type GeocodingConfig, type ProviderName } from './settings.ts';
import { settingsOf } from '../../core/settings/config.ts';
import type { Geocoding, GeocoderState, OpenGeocoding } from '../../core/lookup/geocoding.ts';
import type { RefusalReason } from '../../messages/reasons.ts';
import type { LookupAnswer, LookupTask } from '../../messages/lookup.ts';
import type { Caller, Lookups } from '../../core/pool/gate.ts';
import { AppError } from '../../messages/problems.ts';
import { RemoteGeocoder } from './remote-geocoder.ts';
import { messageOf } from '../../words.ts';
import type { Provider } from './provider.ts';
import { arcgis } from './providers/arcgis.ts';
import { google } from './providers/google.ts';
import { nominatim } from './providers/nominatim.ts';
import { pelias } from './providers/pelias.ts';
import { photon } from './providers/photon.ts';

/**
 * Refusals that mean "not in my data", after which the next geocoder is asked. An address that is ambiguous or not
 * civic stays refused.
 */
const asksNext: readonly unknown[] = [
  'STREET_NOT_FOUND',
  'CIVIC_NOT_ON_STREET',
  'MUNICIPALITY_NOT_FOUND',
  'LOW_CONFIDENCE',
] satisfies RefusalReason[];

/** A civic address that any geocoder may be asked for. */
const PROBE_ADDRESS = '100 Queen St W, Toronto, ON';

/** Pause between attempts to reach a remote geocoder that has never answered. */
const PROBE_INTERVAL_MS = 5000;

/** Gets the changes of a remote geocoder: `untried` when it has never answered and failed just now. */
type OnGeocoderState = (state: 'untried' | 'open' | 'halfOpen' | 'close', detail: string | null) => void;

const HELP = 'the geocoder of GEOCODER has never answered: check GEOCODER_URL, GEOCODER_KEY and the network';

type AddressTask = LookupTask & { readonly kind: 'address' };

/**
 * Looks up addresses through the pool and the configured geocoders: the embedded one, a remote one, or one after the
 * other.
 */
export class Geocoders implements Geocoding {
  readonly #pool: Lookups;
  readonly #order: GeocodingConfig['order'];
  readonly #remote: RemoteGeocoder | null;
  readonly #onState: OnGeocoderState;
  /** The last failure of a probe, so that the log gets each one once. */
  #fault = '';
  #probedAtMs: number | null = null;

  constructor(pool: Lookups, { order, remote }: GeocodingConfig, onState: OnGeocoderState = () => undefined) {
    this.#onState = onState;
    this.#pool = pool;
    this.#remote = remote && new RemoteGeocoder({ ...remote, provider: providers[remote.provider], onState });
    this.#order = order;
  }

  /**
   * Does the same as `LookupPool.lookup`. An address goes to the next geocoder while each says that it does not have
   * it.
   */
  async lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer> {
    // Where only the embedded one is configured, its answer or refusal is the last.
    if (task.kind !== 'address' || !this.#remote) return this.#pool.lookup(task, caller);
    let refused: unknown = null;
    for (const name of this.#order) {
      try {
        return await (name === 'local' ? this.#pool.lookup(task, caller) : this.#byRemote(task, caller));
      } catch (cause) {
        // Keeps the first refusal, which has the suggestions.
        refused ??= cause;
        if (!isNotFound(cause)) throw cause;
      }
    }
    throw refused;
  }

  /**
   * Returns the state of the remote geocoder, which is asked for an address unless it has answered before. Only the first time it waits for that
   * answer: a proxy that asks `/readyz` must not. Never fails.
   */
  async state(): Promise<GeocoderState> {
    if (!this.#remote) return { words: 'local', obstacle: null };
    if (!this.#remote.hasAnswered) {
      const isFirst = this.#probedAtMs === null;
      const probed = this.#tryRemote(this.#remote);
      if (isFirst) await probed;
    }
    if (this.#remote.hasAnswered)
      return { words: this.#remote.isResting ? 'does not answer, requests pause' : 'ok', obstacle: null };
    // One that is asked second only adds to the register.
    const isNeeded = this.#order[0] !== 'local';
    return {
      words: 'has not answered yet',
      obstacle: isNeeded ? { reason: 'GEOCODER_UNREACHABLE', help: HELP } : null,
    };
  }

  [Symbol.dispose](): void {
    this.#remote?.[Symbol.dispose]();
  }

  /** Asks it, unless it was asked a moment ago. */
  async #tryRemote(remote: RemoteGeocoder): Promise<void> {
    const nowMs = performance.now();
    if (this.#probedAtMs !== null && nowMs - this.#probedAtMs < PROBE_INTERVAL_MS) return;
    this.#probedAtMs = nowMs;
    await remote.geocode(PROBE_ADDRESS).catch(this.#tellFault);
  }

  readonly #tellFault = (cause: unknown): void => {
    const fault = messageOf(cause);
    if (fault !== this.#fault) this.#onState('untried', fault);
    this.#fault = fault;
  };

  async #byRemote({ address, traceParent, ...task }: AddressTask, caller: Caller): Promise<LookupAnswer> {
    const start = performance.now();
    const result = await this.#remote!.geocode(address, traceParent);
    if ('found' in result) {
      const geocodeMs = performance.now() - start;
      return this.#pool.lookup({ ...task, kind: 'place', geocode: result.found, geocodeMs }, caller);
    }
    const { reason, detail: why, suggestions } = result.refused;
    const code = reason === 'OUT_OF_AREA' ? 'OUTSIDE_ONTARIO' : 'ADDRESS_NOT_FOUND';
    throw new AppError(code, why, { extras: { reason, suggestions } });
  }
}

function isNotFound(cause: unknown): boolean {
  return cause instanceof AppError && cause.code === 'ADDRESS_NOT_FOUND' && asksNext.includes(cause.extras['reason']);
}

export const providers: Readonly<Record<ProviderName, Provider>> = { nominatim, pelias, photon, arcgis, google };

export const openGeocoders: OpenGeocoding = (lookups, config, logger) =>
  new Geocoders(lookups, settingsOf(config, geocoderSettings), (state, detail) => {
    logger?.warn('geocoder circuit', { state, ...(detail === null ? {} : { detail }) });
  });
