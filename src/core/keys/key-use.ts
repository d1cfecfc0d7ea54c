import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import { MINUTE_MS } from '../../messages/time.ts';
import type { KeyStore } from './key-store.ts';

interface KeyUseOptions {
  readonly store: Pick<KeyStore, 'noteUse'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Notes when keys were used last: in memory at once, in the store once a minute and at the end. */
export class KeyUse implements AsyncDisposable {
  readonly #options: KeyUseOptions;
  readonly #loop: Loop;
  /** Milliseconds since 1970 by key id. */
  #used = new Map<string, number>();

  constructor(options: KeyUseOptions) {
    this.#options = options;
    this.#loop = new Loop({
      everyMs: MINUTE_MS,
      turn: () => this.#write(),
      onFailure: (cause) => {
        options.logger.warn('the last uses of keys could not be written', { detail: String(cause) });
      },
    });
  }

  note(keyId: string): void {
    this.#used.set(keyId, Date.now());
  }

  /** What cannot be written is written with the next uses. */
  async #write(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = this.#used;
    this.#used = new Map();
    try {
      await this.#options.store.noteUse(new Map([...used].map(([id, ms]) => [id, new Date(ms).toISOString()])));
    } catch (cause) {
      this.#used = new Map([...used, ...this.#used]);
      throw cause;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.finish();
  }
}
