import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LookupAnswer, TimedLookup } from '../shared/contract/lookup.ts';
import type { Outcome } from '../shared/outcome.ts';
import { AppError } from '../shared/problems.ts';
import { isSnapshotId } from '../shared/snapshots.ts';
import { snapshotsFolder } from '../snapshots/folders.ts';
import { LookupPool, type LookupPoolOptions } from './lookup-pool.ts';
import type { SnapshotService } from './snapshot-service.ts';

export interface PinnedSnapshotOptions {
  readonly dataDir: string;
  /** Its `threads` do not count: one thread answers. */
  readonly pool: LookupPoolOptions;
  /** Answers with its own threads when its snapshot is the one that is wanted. */
  readonly service: Pick<SnapshotService, 'manifest' | 'lookupRows'>;
}

/** The folder of a snapshot was deleted. */
export class SnapshotGone extends Error {}

/**
 * Answers rows of batches by the snapshot that each batch began with: by the threads of the service while it serves that snapshot, otherwise
 * by one thread of its own. At most one snapshot besides the one in service is open.
 */
export class PinnedSnapshot implements AsyncDisposable {
  readonly #options: PinnedSnapshotOptions;
  #open: { readonly id: string; readonly pool: Promise<LookupPool> } | null = null;

  constructor(options: PinnedSnapshotOptions) {
    this.#options = options;
  }

  /** The snapshot besides the one in service that is open; null: none. */
  get pinned(): string | null {
    return this.#open?.id ?? null;
  }

  /** Says whether rows of this snapshot can be answered now or after `prepare`. */
  canAnswer(id: string): boolean {
    return id === this.#options.service.manifest.id || this.#open === null || this.#open.id === id;
  }

  /**
   * Opens a snapshot unless it is in service or open.
   * @throws SnapshotGone; AppError DB_ERROR when it cannot be read, or when another one is open.
   */
  async prepare(id: string): Promise<void> {
    if (id === this.#options.service.manifest.id) return;
    if (this.#open && this.#open.id !== id) throw new AppError('DB_ERROR', `snapshot ${this.#open.id} is open`);
    const open = (this.#open ??= { id, pool: this.#start(id) });
    try {
      await open.pool;
    } catch (cause) {
      if (this.#open === open) this.#open = null;
      throw cause;
    }
  }

  /**
   * Looks rows up in one message to a thread. Rejects when the thread is lost.
   * @throws AppError DB_ERROR when the snapshot is not open: `prepare` it.
   */
  async lookupRows(id: string, lookups: readonly TimedLookup[]): Promise<readonly Outcome<LookupAnswer>[]> {
    const { service } = this.#options;
    if (id === service.manifest.id) return service.lookupRows(lookups);
    if (this.#open?.id !== id) throw new AppError('DB_ERROR', `snapshot ${id} is not open`);
    return (await this.#open.pool).lookupRows(lookups);
  }

  /** Closes the snapshot that is open besides the one in service unless it is among those that are needed. */
  async closeUnless(needed: ReadonlySet<string>): Promise<void> {
    if (!this.#open) return;
    const { id, pool } = this.#open;
    if (needed.has(id) && id !== this.#options.service.manifest.id) return;
    this.#open = null;
    await (await pool.catch(() => null))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeUnless(new Set());
  }

  async #start(id: string): Promise<LookupPool> {
    const { dataDir, pool } = this.#options;
    const snapshotDir = join(snapshotsFolder(dataDir), id);
    if (!isSnapshotId(id) || !existsSync(join(snapshotDir, 'manifest.json'))) {
      throw new SnapshotGone(`the snapshot ${id}, which answers its rows, was deleted`);
    }
    return LookupPool.start({ ...pool, threads: 0, snapshotDir, verify: true });
  }
}
