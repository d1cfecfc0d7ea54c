import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { AppError, unavailable } from '../../shared/problems.ts';
import { hashKey, isWellFormedKey } from './key-format.ts';
import type { FoundKey, KeyStore } from './key-store.ts';
import { isInForce, isKeyInForce } from './keys.ts';

/** Most keys, known and unknown, whose records are cached; about 1 kB each. */
const CACHED_KEYS = 20_000;

/** Lifetime of a cached record. A revocation takes effect within this time (the promise is 10 s). */
const CACHE_MS = 5000;

/**
 * A well-formed key is refused this long after its request arrived, so that the time does not show what the store had
 * to read.
 */
const REFUSAL_MS = 5;

/** RFC 6750: the scheme in any case, then one token. */
const BEARER = /^Bearer +(\S+) *$/i;

interface Found {
  readonly record: FoundKey | null;
}

/** Finds the key record of a request. */
export class Authenticator {
  readonly #cache: LRUCache<string, Found>;

  constructor(store: Pick<KeyStore, 'find'>) {
    this.#cache = new LRUCache({
      max: CACHED_KEYS,
      ttl: CACHE_MS,
      // Concurrent requests with one key share one look-up.
      fetchMethod: async (hash) => ({ record: await store.find(hash) }),
      // While the store does not answer, cached records stay valid for longer, so that keys in use keep working.
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
    });
  }

  /**
   * @param onGuess called before a key is checked that was not valid the last time; an error that it throws is the
   * answer.
   * @throws AppError UNAUTHORIZED: header missing or malformed, key mistyped, unknown, revoked or expired; DB_ERROR when the store
   * does not answer and the key is not remembered.
   */
  async authenticate(authorization: string | undefined, onGuess: () => void = () => undefined): Promise<FoundKey> {
    const remembered = this.remembered(authorization);
    if (remembered) return remembered;
    const key = keyOf(authorization);
    if (key instanceof AppError) {
      onGuess();
      throw key;
    }
    const hash = hashKey(key);
    if (!this.#cache.peek(hash, { allowStale: true })?.record) onGuess();
    const refusedAtMs = performance.now() + REFUSAL_MS;
    const record = await this.#find(hash);
    // Unknown, revoked and expired keys get the same answer, so that it tells a guesser nothing.
    if (!record || !isInForce(record, hash)) {
      // Made before the wait, because it takes a little longer for a key that is known.
      const refusal = unauthorized('the key is unknown, revoked or expired', whyNot(record), 'invalid_token');
      await moment(refusedAtMs);
      throw refusal;
    }
    return record;
  }

  /** Returns the record of a key that `authenticate` would accept at once, from the cache; null for every other header. */
  remembered(authorization: string | undefined): FoundKey | null {
    const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (key === undefined) return null;
    const hash = hashKey(key);
    const record = this.#cache.peek(hash)?.record;
    return record && isInForce(record, hash) ? record : null;
  }

  /** Looks up a key that does not exist, so that the store's own start does not slow the first request. Never fails. */
  async prepare(): Promise<void> {
    await this.#find(hashKey('')).catch(() => undefined);
  }

  async #find(hash: string): Promise<FoundKey | null> {
    const found = await this.#cache.fetch(hash);
    if (found) return found.record;
    // A failed look-up of a key that is not cached returns nothing.
    throw unavailable('KEYS_UNREACHABLE', 'the key store does not answer');
  }
}

/** A timer alone fires whole milliseconds after the preceding work, and so shows how long that took. */
async function moment(atMs: number): Promise<void> {
  await sleep(Math.max(0, atMs - performance.now() - 1));
  while (performance.now() < atMs) await nextTurn();
}

function keyOf(authorization: string | undefined): string | AppError {
  if (authorization === undefined)
    return unauthorized('send the header "Authorization: Bearer <key>"', { reason: 'MISSING' });
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined)
    return unauthorized('the Authorization header must be "Bearer <key>"', { reason: 'MALFORMED' }, 'invalid_request');
  if (isWellFormedKey(key)) return key;
  return unauthorized('this is no key: check it for typing errors', { reason: 'MISTYPED' }, 'invalid_token');
}

/** Says for the log why a well-formed key is refused, which answers "who still uses the revoked key?". */
function whyNot(record: FoundKey | null): AppError['log'] {
  if (!record) return { reason: 'UNKNOWN' };
  const { id: keyId, revokedAt } = record;
  if (revokedAt !== null) return { reason: 'REVOKED', keyId };
  return { reason: isKeyInForce(record) ? 'REPLACED' : 'EXPIRED', keyId };
}

function unauthorized(detail: string, log: AppError['log'], error?: string): AppError {
  const challenge = error === undefined ? 'Bearer' : `Bearer error="${error}"`;
  return new AppError('UNAUTHORIZED', detail, { headers: { 'WWW-Authenticate': challenge }, ...(log ? { log } : {}) });
}
