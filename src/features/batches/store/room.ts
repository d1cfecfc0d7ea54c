/** What batches may take, and why one is not accepted. */
import type Database from 'better-sqlite3';
import { AppError, rateLimited, unavailable } from '../../../messages/problems.ts';
import { DAY_MS } from '../../../messages/time.ts';
import { roomMegabytes } from '../../../words.ts';
import type { BatchJob, NewBatch } from '../job.ts';

export interface RoomLimits {
  /** Most bytes of all batches. */
  readonly diskBytes: number;
  /** Most bytes of the batches of one key. */
  readonly diskBytesPerKey: number;
}

/** Most batches of a key that are kept, finished ones too. Each is a folder and a record. */
const MOST_BATCHES_PER_KEY = 1000;

/** Most bytes of one answer, as a mean over a batch: on the sample, plain answers have 2,900 with their row, full ones 8,400. */
const RESULT_BYTES_PER_ROW = { plain: 4000, full: 14_000 } as const;

/** What a folder and its small files take on a disk with blocks of 4 KiB. */
const BYTES_PER_BATCH = 16_384;

/** Time after which something may have been deleted. */
const LATER = { retryAfterS: 3600 };

/** What is used without the new batch. */
interface Used {
  /** Batches of the key, and their bytes. */
  readonly batches: number;
  readonly ofKey: number;
  /** Bytes of all keys. */
  readonly ofAll: number;
  /** Rows that the key had accepted on this day. */
  readonly rows: number;
}

/** Returns the bytes that the results of a batch should not exceed. */
export function expectedBytesOf({ rows, detail }: Pick<BatchJob, 'rows' | 'detail'>): number {
  return rows * RESULT_BYTES_PER_ROW[detail] + BYTES_PER_BATCH;
}

/**
 * Says why a batch is not accepted: its key keeps too much, all keys together do, or the day's rows are used up. Null when it is.
 * @param needed bytes of the batch with its results.
 */
export function refusalOf(
  batch: NewBatch,
  needed: number,
  used: Used,
  { diskBytes, diskBytesPerKey }: RoomLimits,
): AppError | null {
  if (used.batches >= MOST_BATCHES_PER_KEY) {
    const detail = `this key has ${used.batches} batches, the most that are kept: delete some that are finished`;
    return rateLimited('BATCHES_KEPT', detail, LATER);
  }
  if (used.ofKey + needed > diskBytesPerKey) {
    return rateLimited(
      'BATCHES_KEPT',
      `this batch needs ${roomMegabytes(needed)} with its results, and the batches of this key may keep ` +
        `${roomMegabytes(diskBytesPerKey)}, of which ${roomMegabytes(used.ofKey)} are used: delete batches that are finished, or send fewer rows`,
      LATER,
    );
  }
  if (used.ofAll + needed > diskBytes) return allFull(used.ofAll + needed, diskBytes);
  return used.rows + batch.rows > batch.rowsPerDay ? rowsUsedUp(batch, used.rows) : null;
}

/** The batches of all keys would take more than there may be. */
function allFull(bytes: number, mostOfAll: number): AppError {
  return noRoom(
    `the batches of all keys would take ${roomMegabytes(bytes)}, more than BATCH_DISK_MB allows (${roomMegabytes(mostOfAll)})`,
  );
}

export function noRoom(detail: string): AppError {
  return unavailable('STORAGE_FULL', detail, LATER);
}

export function uploadLost(): AppError {
  return unavailable('INTERRUPTED', 'the upload stood still for so long that its input was deleted');
}

export function gone(): AppError {
  return new AppError('GONE', 'the results of this batch were deleted');
}

function rowsUsedUp({ rows, rowsPerDay, createdAt }: NewBatch, used: number): AppError {
  const left = Math.max(0, rowsPerDay - used);
  const seconds = Math.ceil((Date.parse(createdAt.slice(0, 10)) + DAY_MS - Date.parse(createdAt)) / 1000);
  return rateLimited(
    'PER_DAY',
    `this key may send ${rowsPerDay} rows per day (UTC) in batches, ${left} are left today, and this batch has ${rows}`,
    { retryAfterS: seconds },
  );
}

/** Bytes of a batch on the disk, with those that its results will take. */
const BYTES = `stored_bytes + CASE WHEN ended_at IS NULL THEN max(expected_bytes, result_bytes) ELSE result_bytes + ${BYTES_PER_BATCH} END`;
const KEPT = `state <> 'expired'`;

/** What batches use of the disk, and their keys of the rows of a day. Methods that change something belong into a transaction. */
export class UsedRoom {
  readonly #limits: RoomLimits;
  readonly #keep;
  readonly #ofKey;
  readonly #ofAll;
  readonly #rows;
  readonly #changeRows;
  readonly #forgetRows;

  constructor(db: Database.Database, limits: RoomLimits) {
    this.#limits = limits;
    this.#keep = db.prepare<{ readonly id: string; readonly bytes: number; readonly most: number }>(
      `UPDATE batch SET stored_bytes = stored_bytes + @bytes
       WHERE id = @id AND @bytes + (SELECT sum(${BYTES}) FROM batch AS one WHERE one.key_id = batch.key_id AND ${KEPT}) <= @most`,
    );
    this.#ofKey = db.prepare<[string], { readonly batches: number; readonly bytes: number }>(
      `SELECT count(*) AS batches, coalesce(sum(${BYTES}), 0) AS bytes FROM batch WHERE key_id = ? AND ${KEPT}`,
    );
    this.#ofAll = db.prepare<[], { readonly bytes: number; readonly promised: number; readonly uploads: number }>(
      `SELECT (SELECT coalesce(sum(bytes), 0) FROM upload) AS uploads, coalesce(sum(${BYTES}), 0) AS bytes,
         coalesce(sum(CASE WHEN ended_at IS NULL THEN max(expected_bytes - result_bytes, 0) ELSE 0 END), 0) AS promised
       FROM batch WHERE ${KEPT}`,
    );
    this.#rows = db
      .prepare<[string, string], number>('SELECT used FROM allowance WHERE key_id = ? AND day = ?')
      .pluck();
    this.#changeRows = db.prepare<Parameters<UsedRoom['changeRows']>>(
      `INSERT INTO allowance VALUES (@keyId, @day, max(@rows, 0)) ON CONFLICT DO UPDATE SET used = max(used + @rows, 0)`,
    );
    this.#forgetRows = db.prepare<[string]>('DELETE FROM allowance WHERE day < ?');
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

  changeRows(change: {
    readonly keyId: string;
    /** UTC, `yyyy-mm-dd`. */
    readonly day: string;
    /** Below 0: they are given back. */
    readonly rows: number;
  }): void {
    if (change.rows !== 0) this.#changeRows.run(change);
  }

  forgetRowsBefore(day: string): void {
    this.#forgetRows.run(day);
  }
}
