import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { AppError, unavailable } from '../../messages/problems.ts';
import type { KeyReason } from '../../messages/reasons.ts';
import { hashKey, isWellFormedKey } from './key-format.ts';
import type { FoundKey, KeyStore } from './key-store.ts';
import { isInForce, isKeyInForce, secretOf } from './keys.ts';
import { mostEntries } from '../stores/most-entries.ts';
import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import { MINUTE_MS } from '../../messages/time.ts';

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

/** Finds the key record of a request. */
export class Authenticator {
  readonly #cache: LRUCache<string, { readonly record: FoundKey | null }>;
  #forgotten = 0;

  /** @param store whose own changes of keys are known here at once, where it tells them. */
  constructor(store: Pick<KeyStore, 'find'> & Partial<Pick<KeyStore, 'watch'>>) {
    store.watch?.((hashes) => {
      this.forget(hashes);
    });
    this.#cache = new LRUCache({
      ...mostEntries(CACHED_KEYS),
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
   * @throws AppError UNAUTHORIZED: header missing or malformed, key mistyped, unknown, revoked, expired or replaced; DB_ERROR when the store
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
    if (!record || !isInForce(record, hash)) {
      // Made before the wait, because it takes a little longer for a key that is known.
      const refusal = refusalOf(record, hash);
      await moment(refusedAtMs);
      throw refusal;
    }
    return record;
  }

  /** Returns the record of a key that `authenticate` would accept at once, from the cache; null for every other header. */
  remembered(authorization: string | undefined): FoundKey | null {
    const hash = hashSent(authorization);
    if (hash === null) return null;
    const record = this.#cache.peek(hash)?.record;
    return record && isInForce(record, hash) ? record : null;
  }

  /** Drops the records of secrets, so that the next request with one of them reads the store. */
  forget(hashes: readonly string[]): void {
    this.#forgotten++;
    for (const hash of hashes) this.#cache.delete(hash);
  }

  /** Looks up a key that does not exist, so that the store's own start does not slow the first request. Never fails. */
  async prepare(): Promise<void> {
    await this.#find(hashKey('')).catch(() => undefined);
  }

  async #find(hash: string): Promise<FoundKey | null> {
    const forgotten = this.#forgotten;
    const found = await this.#cache.fetch(hash);
    // What was read meanwhile may be older than what was forgotten.
    if (forgotten !== this.#forgotten) return this.#find(hash);
    if (found) return found.record;
    // A failed look-up of a key that is not cached returns nothing.
    throw unavailable('KEYS_UNREACHABLE', 'the key store does not answer');
  }
}

/** Returns the hash of the key that a request came with; null: its header has none. */
export function hashSent(authorization: string | undefined): string | null {
  const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return key === undefined ? null : hashKey(key);
}

/** A timer alone fires whole milliseconds after the preceding work, and so shows how long that took. */
async function moment(atMs: number): Promise<void> {
  await sleep(Math.max(0, atMs - performance.now() - 1));
  while (performance.now() < atMs) await nextTurn();
}

function keyOf(authorization: string | undefined): string | AppError {
  if (authorization === undefined)
    return unauthorized('MISSING', 'send the header "Authorization: Bearer <key>"', { challenge: 'Bearer' });
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined)
    return unauthorized('MALFORMED', 'the Authorization header must be "Bearer <key>"', {
      challenge: 'Bearer error="invalid_request"',
    });
  return isWellFormedKey(key) ? key : unauthorized('MISTYPED', 'this is no key: check it for typing errors');
}

/** Says why a key is refused that is unknown or not in force, and since when. Only who has its secret asks with its hash. */
export function refusalOf(record: FoundKey | null, hash: string): AppError {
  if (!record) return unauthorized('UNKNOWN', 'there is no such key');
  const { id: keyId, revokedAt, expiresAt } = record;
  if (revokedAt !== null)
    return unauthorized('REVOKED', `this key was revoked on ${revokedAt}`, { keyId, since: revokedAt });
  if (!isKeyInForce(record) && expiresAt !== null)
    return unauthorized('EXPIRED', `this key ended on ${expiresAt}`, { keyId, since: expiresAt });
  const since = secretOf(record, hash)?.expiresAt ?? null;
  const when = since === null ? '' : `, and ended on ${since}`;
  return unauthorized('REPLACED', `a newer key has taken the place of this one${when}`, { keyId, since });
}

/** @param keyId for the log, which so answers "who still uses the revoked key?". */
function unauthorized(
  reason: KeyReason,
  detail: string,
  refusing: { readonly challenge?: string; readonly keyId?: string; readonly since?: string | null } = {},
): AppError {
  const { challenge = 'Bearer error="invalid_token"', keyId, since = null } = refusing;
  return new AppError('UNAUTHORIZED', detail, {
    headers: { 'WWW-Authenticate': challenge },
    extras: { reason, ...(since === null ? {} : { since }) },
    ...(keyId === undefined ? {} : { log: { keyId } }),
  });
}

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
