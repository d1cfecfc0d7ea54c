import type { Logger } from 'winston';
import type { KeyStore } from './key-store.ts';

/** A use is in the store within this time. */
const INTERVAL_MS = 60_000;

export interface KeyUseOptions {
  readonly store: Pick<KeyStore, 'noteUse'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Notes when keys were used last: in memory at once, in the store once a minute and at the end. */
export class KeyUse implements AsyncDisposable {
  readonly #options: KeyUseOptions;
  readonly #timer: NodeJS.Timeout;
  /** Milliseconds since 1970 by key id. */
  #used = new Map<string, number>();

  constructor(options: KeyUseOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#write(), INTERVAL_MS).unref();
  }

  note(keyId: string): void {
    this.#used.set(keyId, Date.now());
  }

  /** Never fails: what cannot be written is written with the next uses. */
  async #write(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    try {
      await this.#options.store.noteUse(new Map([...used].map(([id, ms]) => [id, new Date(ms).toISOString()])));
    } catch (cause) {
      this.#options.logger.warn('the last uses of keys could not be written', { detail: String(cause) });
      this.#used = new Map([...used, ...this.#used]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#write();
  }
}
