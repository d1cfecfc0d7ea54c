import { rateLimited, unavailable } from '../../shared/problems.ts';

/** Each upload holds a connection, and up to one chunk of rows in memory. */
const MOST_PER_KEY = 4;
const MOST = 16;

const soon = { retryAfterS: 5 };

/** Bounds the uploads that a process takes at once. */
export class UploadSlots {
  readonly #ofKey = new Map<string, number>();
  #total = 0;

  /** Does the work of an upload. @throws AppError RATE_LIMITED or DB_ERROR when too many are under way, and what `work` throws. */
  async during<T>(keyId: string, work: () => Promise<T>): Promise<T> {
    const own = this.#ofKey.get(keyId) ?? 0;
    if (own >= MOST_PER_KEY) throw rateLimited('AT_ONCE', `this key sends ${own} batches already`, soon);
    if (this.#total >= MOST) throw unavailable('OVERLOADED', 'too many batches are being sent', soon);
    this.#count(keyId, own + 1, 1);
    try {
      return await work();
    } finally {
      this.#count(keyId, this.#ofKey.get(keyId)! - 1, -1);
    }
  }

  #count(keyId: string, own: number, change: 1 | -1): void {
    this.#total += change;
    if (own === 0) this.#ofKey.delete(keyId);
    else this.#ofKey.set(keyId, own);
  }
}
