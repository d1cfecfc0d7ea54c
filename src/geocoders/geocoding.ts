import type { GeocodingConfig } from '../setting-groups.ts';
import type { RefusalReason } from '../shared/wire/problem.ts';
import type { LookupAnswer, LookupTask } from '../shared/contract/lookup.ts';
import type { Caller, Lookups } from '../pool/caller.ts';
import { AppError } from '../shared/problems.ts';
import { providers } from './providers/all.ts';
import { RemoteGeocoder, type RemoteGeocoderOptions } from './remote-geocoder.ts';

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

type AddressTask = LookupTask & { readonly kind: 'address' };

/**
 * Looks up addresses through the pool and the configured geocoders: the embedded one, a remote one, or one after the
 * other.
 */
export class Geocoding implements Lookups, Disposable {
  readonly #pool: Lookups;
  readonly #steps: readonly ((task: AddressTask, caller: Caller) => Promise<LookupAnswer>)[];
  readonly #remote: RemoteGeocoder | null;

  constructor(
    pool: Lookups,
    { order, remote }: GeocodingConfig,
    onState: NonNullable<RemoteGeocoderOptions['onState']> = () => undefined,
  ) {
    this.#pool = pool;
    this.#remote = remote && new RemoteGeocoder({ ...remote, provider: providers[remote.provider], onState });
    this.#steps = order.map((name) =>
      name === 'local' ? (task, caller) => pool.lookup(task, caller) : (task, caller) => this.#byRemote(task, caller),
    );
  }

  /**
   * Does the same as `LookupPool.lookup`. An address goes to the next geocoder while each says that it does not have
   * it.
   */
  async lookup(task: LookupTask, caller: Caller): Promise<LookupAnswer> {
    if (task.kind !== 'address') return this.#pool.lookup(task, caller);
    let refused: unknown = null;
    for (const step of this.#steps) {
      try {
        return await step(task, caller);
      } catch (cause) {
        // Keeps the first refusal, which has the suggestions.
        refused ??= cause;
        if (!isNotFound(cause)) throw cause;
      }
    }
    throw refused;
  }

  [Symbol.dispose](): void {
    this.#remote?.[Symbol.dispose]();
  }

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
