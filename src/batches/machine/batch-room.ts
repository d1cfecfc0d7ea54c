import type Database from 'better-sqlite3';
import { allFull, BYTES_PER_BATCH, type UsedRoom } from '../room.ts';

/** Bytes of a batch on the disk, with those that its results will take. */
const BYTES = `stored_bytes + CASE WHEN ended_at IS NULL THEN max(expected_bytes, result_bytes) ELSE result_bytes + ${BYTES_PER_BATCH} END`;
const KEPT = `state <> 'expired'`;

/** Keeps batches within their share of the disk. */
export class BatchRoom {
  readonly #diskBytes: number;
  readonly #ofKey: Database.Statement<[string], { readonly batches: number; readonly bytes: number }>;
  readonly #ofAll: Database.Statement<
    [],
    { readonly bytes: number; readonly promised: number; readonly uploads: number }
  >;

  constructor(db: Database.Database, diskBytes: number) {
    this.#diskBytes = diskBytes;
    this.#ofKey = db.prepare(
      `SELECT count(*) AS batches, coalesce(sum(${BYTES}), 0) AS bytes FROM batch WHERE key_id = ? AND ${KEPT}`,
    );
    this.#ofAll = db.prepare(
      `SELECT (SELECT coalesce(sum(bytes), 0) FROM upload) AS uploads, coalesce(sum(${BYTES}), 0) AS bytes,
         coalesce(sum(CASE WHEN ended_at IS NULL THEN max(expected_bytes - result_bytes, 0) ELSE 0 END), 0) AS promised
       FROM batch WHERE ${KEPT}`,
    );
  }

  /** Checks, while an input arrives, that it and all others fit. @throws AppError DB_ERROR. */
  checkUploads(): void {
    const { bytes, uploads } = this.#ofAll.get()!;
    if (bytes + uploads > this.#diskBytes) throw allFull(bytes + uploads, this.#diskBytes);
  }

  /** What is used, but for rows. */
  used(keyId: string): Omit<UsedRoom, 'rows'> {
    const { batches, bytes } = this.#ofKey.get(keyId)!;
    const all = this.#ofAll.get()!;
    return { batches, ofKey: bytes, ofAll: all.bytes + all.uploads };
  }

  /** Bytes that results will take and have not taken yet. */
  get promisedBytes(): number {
    return this.#ofAll.get()!.promised;
  }
}
