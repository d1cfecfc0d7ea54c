import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LookupAnswer, TimedLookup } from '../../messages/lookup.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { unavailable } from '../../messages/problems.ts';
import { isSnapshotId } from '../../messages/manifest.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { LookupPool, type LookupPoolOptions } from '../../core/pool/lookup-pool.ts';
import type { SnapshotService } from '../../core/pool/snapshot-service.ts';

/** A disk that comes back within this time costs no batch. */
const GIVEN_UP_AFTER_MS = 15 * 60_000;

/** The folder of a snapshot was deleted, or could not be read for long. */
export class SnapshotGone extends Error {}

/**
 * Answers rows of batches by the snapshot that each batch began with: by the threads of the service while it serves that snapshot, otherwise
 * by one thread of its own. At most one snapshot besides the one in service is open.
 */
export class PinnedSnapshot implements AsyncDisposable {
  readonly #options;
  #open: { readonly id: string; readonly pool: Promise<LookupPool> } | null = null;
  /** The snapshot that could not be opened the last time, since when that is so, and why it is given up; null: it is tried again. */
  #failing: { readonly id: string; readonly sinceMs: number; fault: string | null } | null = null;

  constructor(options: {
    readonly dataDir: string;
    /** Its `threads` do not count: one thread answers. */
    readonly pool: LookupPoolOptions;
    /** Answers with its own threads when its snapshot is the one that is wanted. */
    readonly service: Pick<SnapshotService, 'manifest' | 'pool'>;
  }) {
    this.#options = options;
  }

  /** The snapshot besides the one in service that is open; null: none. */
  get pinned(): string | null {
    return this.#open?.id ?? null;
  }

  /** Says whether rows of this snapshot can be answered now or after `prepare`. */
  canAnswer(id: string): boolean {
    return this.#isInService(id) || ((this.#open === null || this.#open.id === id) && this.faultOf(id) === null);
  }

  /** Says why rows of this snapshot cannot be answered on this machine, now and later; null: they can. */
  faultOf(id: string): string | null {
    if (this.#isInService(id) || this.#open?.id === id) return null;
    if (!this.#isStored(id)) return `the snapshot ${id}, which answers its rows, was deleted`;
    return this.#failing?.id === id ? this.#failing.fault : null;
  }

  /**
   * Opens a snapshot unless it is in service or open.
   * @throws SnapshotGone; AppError DB_ERROR when it cannot be read at the moment, or when another one is open.
   */
  async prepare(id: string): Promise<void> {
    if (this.#isInService(id)) return;
    if (this.#open && this.#open.id !== id) throw unavailable('INTERRUPTED', `snapshot ${this.#open.id} is open`);
    const open = (this.#open ??= { id, pool: this.#start(id) });
    try {
      await open.pool;
      this.#failing = null;
    } catch (cause) {
      if (this.#open === open) this.#open = null;
      throw this.#judged(id, cause);
    }
  }

  /**
   * Looks rows up in one message to a thread. Rejects when the thread is lost.
   * @throws AppError DB_ERROR when the snapshot is not open: `prepare` it.
   */
  async lookupRows(id: string, lookups: readonly TimedLookup[]): Promise<readonly Outcome<LookupAnswer>[]> {
    if (this.#isInService(id)) return this.#options.service.pool.lookupRows(lookups);
    if (this.#open?.id !== id) throw unavailable('INTERRUPTED', `snapshot ${id} is not open`);
    return (await this.#open.pool).lookupRows(lookups);
  }

  /** Closes the snapshot that is open besides the one in service unless it is among those that are needed. */
  async closeUnless(needed: ReadonlySet<string>): Promise<void> {
    if (!this.#open) return;
    const { id, pool } = this.#open;
    if (needed.has(id) && !this.#isInService(id)) return;
    this.#open = null;
    await (await pool.catch(() => null))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeUnless(new Set());
  }

  /** Returns the error of a snapshot that cannot be opened: for some time a fault that may pass, then `SnapshotGone`. */
  #judged(id: string, cause: unknown): Error {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    if (error instanceof SnapshotGone) return error;
    const nowMs = performance.now();
    if (this.#failing?.id !== id) this.#failing = { id, sinceMs: nowMs, fault: null };
    if (nowMs - this.#failing.sinceMs < GIVEN_UP_AFTER_MS) return error;
    this.#failing.fault = `the snapshot ${id}, which answers its rows, cannot be read: ${error.message}`;
    return new SnapshotGone(this.#failing.fault, { cause });
  }

  async #start(id: string): Promise<LookupPool> {
    if (!this.#isStored(id)) throw new SnapshotGone(`the snapshot ${id} was deleted`);
    const snapshotDir = this.#folderOf(id);
    return LookupPool.start({ ...this.#options.pool, threads: 0, snapshotDir, verify: true });
  }

  #isInService(id: string): boolean {
    return id === this.#options.service.manifest.id;
  }

  #isStored(id: string): boolean {
    return isSnapshotId(id) && existsSync(join(this.#folderOf(id), 'manifest.json'));
  }

  #folderOf(id: string): string {
    return join(snapshotsFolder(this.#options.dataDir), id);
  }
}
