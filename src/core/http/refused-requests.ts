/** Limits of what is sent for nothing: bad keys by the client's address, and refused requests by key. */
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { KeyRecord } from '../keys/key-store.ts';
import { HOUR_S, REFUSED_WINDOW_S, refusedLargeLimit, refusedLimit, type Limited } from '../limits/limit-words.ts';
import type { Quotas } from '../limits/quota.ts';
import { AppError, rateLimited } from '../../messages/problems.ts';
import { requestContextOf } from './request-context.ts';
import { mostEntries } from '../stores/most-entries.ts';

/** In ten minutes, a key may have as many requests refused as it may make lookups then, and at least so many: rows of a list may well be blank. */
const LEAST_IN_WINDOW = 600;

/** Bodies of over 16 KiB per second that were read and parsed, and came to no lookup. A larger one counts as several, and one alone never as too many. */
const LARGE_PER_S = 10;

/** A body counts once for each so many bytes: reading them took at most the time of two plain lookups, whatever was in them (docs/decisions/0259). */
const BYTES_OF_ONE = 64 * 1024;

/** Most keys in the table. */
const MOST_KEYS = 20_000;

/** How often a refused request counts. @param bytes of a large body, as it came and what it was decompressed to; 0: it has none. */
export function timesCounted(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_OF_ONE));
}

/** Whether an answer says that its request is not valid. */
export function isNotValid(res: Response): boolean {
  const { error } = requestContextOf(res);
  // A package answers messages to `/mcp` that are none.
  return error ? error.code === 'BAD_REQUEST' || error.code === 'TOO_LARGE' : res.statusCode === 400;
}

type LimitedKey = Pick<KeyRecord, 'id' | 'limitPerHour'>;

/**
 * Limits what each key may send for nothing: requests whose body is not valid, and large bodies that come to no lookup. Such a request is not billed and
 * spends no lookup, but reading it took time (docs/decisions/0259).
 */
export class RefusedRequests {
  readonly #quotas: Pick<Quotas, 'of'>;
  readonly #limitPerHour: number;
  /** Why no more bodies of a key are read at the moment. A good request need not ask Redis. */
  readonly #beyond = new LRUCache<string, AppError>(mostEntries(MOST_KEYS));

  /** @param limitPerHour lookups of a key that has no limit of its own. */
  constructor(quotas: Pick<Quotas, 'of'>, limitPerHour: number) {
    this.#quotas = quotas;
    this.#limitPerHour = limitPerHour;
  }

  /** @throws AppError RATE_LIMITED with `Retry-After` when no more bodies of a key are read. */
  check(keyId: string): void {
    const refusal = this.#beyond.get(keyId);
    if (refusal === undefined) return;
    const retryAfterS = Math.max(1, Math.ceil(this.#beyond.getRemainingTTL(keyId) / 1000));
    const until = new Date(Date.now() + retryAfterS * 1000).toISOString().slice(11, 19);
    const detail = `${refusal.message}, and has reached that: correct what it sends. Until ${until} UTC no body of it is read, not even of a valid request`;
    throw rateLimited('REFUSED_REQUESTS', detail, { retryAfterS });
  }

  /** Counts a request that has its answer, or is about to get it. */
  note(res: Response, isBad = isNotValid(res)): void {
    const { key, error, largeBodyBytes, task } = requestContextOf(res);
    if (!key || (res.req.method !== 'POST' && res.req.method !== 'PATCH')) return;
    const counts = timesCounted(largeBodyBytes ?? 0);
    if (isBad) void this.#spend(refusedLimit, key.id, { limit: this.#mostInWindow(key), units: counts });
    // A message may also ask for nothing that is counted.
    const isFree = isBad || (error ? error.code === 'RATE_LIMITED' : task === undefined);
    if (largeBodyBytes !== undefined && isFree)
      void this.#spend(refusedLargeLimit, key.id, { limit: LARGE_PER_S, units: Math.min(counts, LARGE_PER_S) });
  }

  #mostInWindow({ limitPerHour }: LimitedKey): number {
    const lookups = ((limitPerHour ?? this.#limitPerHour) * REFUSED_WINDOW_S) / HOUR_S;
    return Math.max(LEAST_IN_WINDOW, Math.ceil(lookups));
  }

  /** Never fails. */
  async #spend(counts: Limited, keyId: string, { limit, units }: { limit: number; units: number }): Promise<void> {
    const quota = this.#quotas.of(counts);
    try {
      const { state } = await quota.spend(keyId, limit, units);
      if (state.remaining === 0) this.#refuse(keyId, quota.refusal(state));
    } catch (cause) {
      // Another process counts too.
      if (cause instanceof AppError) this.#refuse(keyId, cause);
    }
  }

  #refuse(keyId: string, refusal: AppError): void {
    const ttl = Number(refusal.headers['Retry-After']) * 1000;
    if (ttl > this.#beyond.getRemainingTTL(keyId)) this.#beyond.set(keyId, refusal, { ttl });
  }
}

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
