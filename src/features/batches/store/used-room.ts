import type Database from 'better-sqlite3';
import { allFull, BYTES_PER_BATCH, type RoomLimits, type Used } from './room.ts';

/** Bytes of a batch on the disk, with those that its results will take. */
const BYTES = `stored_bytes + CASE WHEN ended_at IS NULL THEN max(expected_bytes, result_bytes) ELSE result_bytes + ${BYTES_PER_BATCH} END`;
const KEPT = `state <> 'expired'`;

interface RowsChange {
  readonly keyId: string;
  /** UTC, `yyyy-mm-dd`. */
  readonly day: string;
  /** Below 0: they are given back. */
  readonly rows: number;
}

/** What batches use of the disk, and their keys of the rows of a day. Methods that change something belong into a transaction. */
export class UsedRoom {
  readonly #limits: RoomLimits;
  readonly #keep: Database.Statement<{ readonly id: string; readonly bytes: number; readonly most: number }>;
  readonly #ofKey: Database.Statement<[string], { readonly batches: number; readonly bytes: number }>;
  readonly #ofAll: Database.Statement<
    [],
    { readonly bytes: number; readonly promised: number; readonly uploads: number }
  >;
  readonly #rows: Database.Statement<[string, string], number>;
  readonly #changeRows: Database.Statement<[RowsChange]>;
  readonly #forgetRows: Database.Statement<[string]>;

  constructor(db: Database.Database, limits: RoomLimits) {
    this.#limits = limits;
    this.#keep = db.prepare(
      `UPDATE batch SET stored_bytes = stored_bytes + @bytes
       WHERE id = @id AND @bytes + (SELECT sum(${BYTES}) FROM batch AS one WHERE one.key_id = batch.key_id AND ${KEPT}) <= @most`,
    );
    this.#ofKey = db.prepare(
      `SELECT count(*) AS batches, coalesce(sum(${BYTES}), 0) AS bytes FROM batch WHERE key_id = ? AND ${KEPT}`,
    );
    this.#ofAll = db.prepare(
      `SELECT (SELECT coalesce(sum(bytes), 0) FROM upload) AS uploads, coalesce(sum(${BYTES}), 0) AS bytes,
         coalesce(sum(CASE WHEN ended_at IS NULL THEN max(expected_bytes - result_bytes, 0) ELSE 0 END), 0) AS promised
       FROM batch WHERE ${KEPT}`,
    );
    this.#rows = db
      .prepare<[string, string], number>('SELECT used FROM allowance WHERE key_id = ? AND day = ?')
      .pluck();
    this.#changeRows = db.prepare(
      `INSERT INTO allowance VALUES (@keyId, @day, max(@rows, 0)) ON CONFLICT DO UPDATE SET used = max(used + @rows, 0)`,
    );
    this.#forgetRows = db.prepare('DELETE FROM allowance WHERE day < ?');
  }

  /** Checks, while an input arrives, that it and all others fit. @throws AppError DB_ERROR. */
  checkUploads(): void {
    const { bytes, uploads } = this.#ofAll.get()!;
    const { diskBytes } = this.#limits;
    if (bytes + uploads > diskBytes) throw allFull(bytes + uploads, diskBytes);
  }

  /** Counts bytes that a batch keeps besides its input and its answers. False when the share of its key has no room for them, or the batch is gone. */
  mayKeep(id: string, bytes: number): boolean {
    return this.#keep.run({ id, bytes, most: this.#limits.diskBytesPerKey }).changes === 1;
  }

  used(keyId: string, day: string): Used {
    const { batches, bytes } = this.#ofKey.get(keyId)!;
    const all = this.#ofAll.get()!;
    return { batches, ofKey: bytes, ofAll: all.bytes + all.uploads, rows: this.rowsOn(keyId, day) };
  }

  /** Bytes that results will take and have not taken yet. */
  get promisedBytes(): number {
    return this.#ofAll.get()!.promised;
  }

  /** Rows that a key had accepted on a day. */
  rowsOn(keyId: string, day: string): number {
    return this.#rows.get(keyId, day) ?? 0;
  }

  changeRows(change: RowsChange): void {
    if (change.rows !== 0) this.#changeRows.run(change);
  }

  forgetRowsBefore(day: string): void {
    this.#forgetRows.run(day);
  }
}
