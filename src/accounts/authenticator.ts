import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { AppError } from '../shared/problems.ts';
import { hashKey, isWellFormedKey } from './key-format.ts';
import type { KeyRecord, KeyStore } from './key-store.ts';
import { isInForce } from './keys.ts';

/** Keys, known and unknown, whose record is remembered; about 1 kB each. */
const CACHED_KEYS = 20_000;

/** How long a record is believed: a revocation is seen within this time (the promise is 10 s). */
const CACHE_MS = 5000;

/** A well-formed key is refused this long after it came: what the store had to read does not show. */
const REFUSAL_MS = 5;

/** RFC 6750: the scheme in any case, then one token. */
const BEARER = /^Bearer +(\S+) *$/i;

interface Found {
  readonly record: KeyRecord | null;
}

/** Tells whose key a request carries. */
export class Authenticator {
  readonly #cache: LRUCache<string, Found>;

  constructor(store: Pick<KeyStore, 'find'>) {
    this.#cache = new LRUCache({
      max: CACHED_KEYS,
      ttl: CACHE_MS,
      // Concurrent requests with one key share one look-up.
      fetchMethod: async (hash) => ({ record: await store.find(hash) }),
      // While the store does not answer, what is remembered is believed for longer: keys in use go on working.
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
    });
  }

  /**
   * @param onGuess called before a key that was not good the last time is judged: what it throws is the answer.
   * @throws AppError UNAUTHORIZED: header missing or malformed, key mistyped, unknown, revoked or expired; DB_ERROR when the store
   * does not answer and the key is not remembered.
   */
  async authenticate(authorization: string | undefined, onGuess: () => void = () => undefined): Promise<KeyRecord> {
    const key = keyOf(authorization);
    if (key instanceof AppError) {
      onGuess();
      throw key;
    }
    const hash = hashKey(key);
    const remembered = this.#cache.peek(hash)?.record;
    if (remembered && isInForce(remembered, hash)) return remembered;
    if (!this.#cache.peek(hash, { allowStale: true })?.record) onGuess();
    const refusedAtMs = performance.now() + REFUSAL_MS;
    const record = await this.#find(hash);
    // One answer for unknown, revoked and expired: it tells a guesser nothing.
    if (!record || !isInForce(record, hash)) {
      await moment(refusedAtMs);
      throw unauthorized('the key is unknown, revoked or expired', 'invalid_token');
    }
    return record;
  }

  /** Whether the header holds a key that is in force as far as is remembered: `authenticate` would let it in at once. */
  remembers(authorization: string | undefined): boolean {
    const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (key === undefined) return false;
    const hash = hashKey(key);
    const record = this.#cache.peek(hash)?.record;
    return record != null && isInForce(record, hash);
  }

  /** A look-up that finds nothing, so that the first request does not pay for the store's own beginning. Never fails. */
  async prepare(): Promise<void> {
    await this.#find(hashKey('')).catch(() => undefined);
  }

  async #find(hash: string): Promise<KeyRecord | null> {
    const found = await this.#cache.fetch(hash);
    if (found) return found.record;
    // A failed look-up of a key that is not remembered gives nothing at all.
    throw new AppError('DB_ERROR', 'the key store does not answer', { headers: { 'Retry-After': '1' } });
  }
}

/** A timer alone ends whole milliseconds after what came before it, and so tells what that took. */
async function moment(atMs: number): Promise<void> {
  await sleep(atMs - performance.now() - 1);
  while (performance.now() < atMs) await nextTurn();
}

function keyOf(authorization: string | undefined): string | AppError {
  if (authorization === undefined) return unauthorized('send the header "Authorization: Bearer <key>"');
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined) return unauthorized('the Authorization header must be "Bearer <key>"', 'invalid_request');
  return isWellFormedKey(key) ? key : unauthorized('this is no key: check it for typing errors', 'invalid_token');
}

function unauthorized(detail: string, error?: string): AppError {
  const challenge = error === undefined ? 'Bearer' : `Bearer error="${error}"`;
  return new AppError('UNAUTHORIZED', detail, { headers: { 'WWW-Authenticate': challenge } });
}
