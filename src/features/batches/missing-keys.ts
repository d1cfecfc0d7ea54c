import { DAY_MS } from '../../messages/time.ts';

/**
 * Keys of batches that this process does not find. Another process of the machine may have another key store, for example while `REDIS_URL` is
 * introduced, so their batches are left to it for a day (docs/decisions/0120).
 */
export class MissingKeys {
  readonly #restingMs: number;
  readonly #goneAfterMs: number;
  readonly #missing = new Map<string, { readonly sinceMs: number; lookedAtMs: number }>();

  /**
   * @param restingMs time after which a key that was not found is looked for again.
   * @param goneAfterMs time for which a key must be missing until it counts as gone.
   */
  constructor({ restingMs = 10_000, goneAfterMs = DAY_MS }: { restingMs?: number; goneAfterMs?: number } = {}) {
    this.#restingMs = restingMs;
    this.#goneAfterMs = goneAfterMs;
  }

  /** Says whether a key is not worth looking for at the moment. */
  isResting(keyId: string): boolean {
    const missing = this.#missing.get(keyId);
    return missing !== undefined && performance.now() - missing.lookedAtMs < this.#restingMs;
  }

  /** Notes that a key was not found. `left`: it may be in another store; `first` the first time; `gone`: it was missing for a day. */
  note(keyId: string): 'first' | 'left' | 'gone' {
    const nowMs = performance.now();
    const missing = this.#missing.get(keyId);
    if (!missing) {
      this.#missing.set(keyId, { sinceMs: nowMs, lookedAtMs: nowMs });
      return 'first';
    }
    missing.lookedAtMs = nowMs;
    return nowMs - missing.sinceMs < this.#goneAfterMs ? 'left' : 'gone';
  }

  found(keyId: string): void {
    this.#missing.delete(keyId);
  }
}
