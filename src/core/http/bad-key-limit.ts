import { LRUCache } from 'lru-cache';
import { rateLimited } from '../../messages/problems.ts';
import { mostEntries } from '../stores/most-entries.ts';

/** Enough for a person who mistypes; guessing a key would take 10^50 years. */
const BAD_KEYS_A_MINUTE = 60;

const WINDOW_MS = 60_000;

/** Most clients in the table; beyond it the client that was inactive longest is dropped. */
const CLIENTS = 20_000;

/** Limits requests with bad keys or signatures per client address, so that a flood of them does not become a flood of look-ups. */
export class BadKeyLimit {
  /** Entries expire by the time of their first bad key. */
  readonly #clients = new LRUCache<string, { count: number }>({ ...mostEntries(CLIENTS), ttl: WINDOW_MS });

  /** Counts one bad key of a client. */
  note(client: string): void {
    const entry = this.#clients.get(client);
    if (entry) entry.count++;
    else this.#clients.set(client, { count: 1 });
  }

  /** @throws AppError RATE_LIMITED with `Retry-After` when the client has sent too many. */
  check(client: string): void {
    const entry = this.#clients.get(client);
    if (!entry || entry.count < BAD_KEYS_A_MINUTE) return;
    const retryAfterS = Math.max(1, Math.ceil(this.#clients.getRemainingTTL(client) / 1000));
    throw rateLimited('BAD_KEYS', 'too many requests with bad keys or signatures came from this address', {
      retryAfterS,
    });
  }
}
