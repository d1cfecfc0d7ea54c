import type { Documents } from '../stores/documents.ts';
import { KeyStore, type FoundKey, type KeyRecord, type KeysReach } from './key-store.ts';
import { auditEntry } from './keys.ts';
import { KnownKeys } from './known-keys.ts';

/**
 * Keys in Redis, of which this machine remembers those in use. They work over a restart while Redis is away, and a key whose
 * revocation Redis has lost stays revoked (docs/decisions/0020).
 */
export class RememberingKeyStore extends KeyStore {
  readonly #known: KnownKeys;

  /** Owns the documents. @param file where this machine remembers. */
  constructor(documents: Documents, file: string) {
    super(documents);
    this.#known = new KnownKeys(file);
  }

  override async reach(): Promise<KeysReach> {
    const reach = await super.reach();
    return reach === 'none' && this.#known.hasKeys ? 'remembered' : reach;
  }

  /** @throws Error when Redis does not answer and the key is not known. */
  override async find(hash: string): Promise<FoundKey | null> {
    let found: FoundKey | null;
    try {
      found = await super.find(hash);
    } catch (cause) {
      const known = this.#known.find(hash);
      if (known) return this.withOwnKnowledge(known);
      throw cause;
    }
    if (!found) return null;
    const record = { ...found, ...(await this.#withRevocation(found)) };
    this.#known.remember(hash, record);
    return record;
  }

  override async findById(id: string): Promise<FoundKey | null> {
    const found = await super.findById(id);
    return found && { ...found, ...(await this.#withRevocation(found)) };
  }

  override async update(...given: Parameters<KeyStore['update']>): Promise<KeyRecord | null> {
    const [id] = given;
    const record = await super.update(...given);
    if (record?.revokedAt) this.#known.noteRevoked(id, record.revokedAt);
    return record;
  }

  /**
   * Writes the newest revocations again if Redis has lost them: the other machines may not know of them, and nobody may use these keys here.
   * @throws Error when Redis does not answer.
   */
  async repeatRevocations(stop: AbortSignal): Promise<void> {
    for (const id of this.#known.lastRevoked()) {
      if (stop.aborted) return;
      await this.findById(id);
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#known[Symbol.dispose]();
  }

  protected override withOwnKnowledge(key: FoundKey): FoundKey {
    return { ...key, revokedAt: key.revokedAt ?? this.#known.revokedAt(key.id) };
  }

  /** Revokes a key again of which Redis does not know any more that it was revoked. */
  async #withRevocation({ id, revokedAt }: FoundKey): Promise<{ readonly revokedAt: string | null }> {
    if (revokedAt !== null) {
      this.#known.noteRevoked(id, revokedAt);
      return { revokedAt };
    }
    const lost = this.#known.revokedAt(id);
    if (lost === null) return { revokedAt };
    await super
      .update(id, (record) => ({
        record: { ...record, revokedAt: record.revokedAt ?? lost },
        audit: auditEntry(id, 'revoke', 'again: Redis had lost it'),
      }))
      .catch(() => undefined);
    return { revokedAt: lost };
  }
}
