import type Database from 'better-sqlite3';
import { statfs } from 'node:fs/promises';
import { diskShortage } from '../../shared/disk-floor.ts';
import { rateLimited, unavailable, type AppError } from '../../shared/problems.ts';
import type { BatchJob } from '../job.ts';
import { roomMegabytes } from '../../shared/words.ts';

export interface BatchRoomLimits {
  /** Most bytes of all batches on the disk. */
  readonly diskBytes: number;
  /** Most bytes of the batches of one key. */
  readonly diskBytesPerKey: number;
  /** Free disk that batches leave. */
  readonly minFreeDiskBytes: number;
}

/** Most batches of a key that are kept, finished ones too. Each is a folder and a row of the queue. */
export const MOST_BATCHES_PER_KEY = 1000;

/** Most bytes of one answer, as a mean over a batch: on the sample, plain answers have 2,900 with their row, full ones 8,400. */
const RESULT_BYTES_PER_ROW = { plain: 4000, full: 14_000 } as const;

/** What a folder and its small files take on a disk with blocks of 4 KiB. */
const BYTES_PER_BATCH = 16_384;

/** Time after which something may have been deleted. */
const LATER = { retryAfterS: 3600 };

/** Returns the bytes that the results of a batch should not exceed. */
export function expectedBytes({ rows, detail }: Pick<BatchJob, 'rows' | 'detail'>): number {
  return rows * RESULT_BYTES_PER_ROW[detail] + BYTES_PER_BATCH;
}

/** Bytes of a batch on the disk, with those that its results will take. */
const BYTES = `stored_bytes + CASE WHEN ended_at IS NULL THEN max(expected_bytes, result_bytes) ELSE result_bytes + ${BYTES_PER_BATCH} END`;
const KEPT = `state <> 'expired'`;

export interface BatchBytes {
  /** Of the input, which is on the disk. */
  readonly storedBytes: number;
  /** Of the results. */
  readonly expectedBytes: number;
}

/** Keeps batches within their share of the disk. */
export class BatchRoom {
  readonly #dir: string;
  readonly #limits: BatchRoomLimits;
  readonly #ofKey: Database.Statement<[string], { readonly batches: number; readonly bytes: number }>;
  readonly #ofAll: Database.Statement<
    [],
    { readonly bytes: number; readonly promised: number; readonly uploads: number }
  >;

  constructor(db: Database.Database, dir: string, limits: BatchRoomLimits) {
    this.#dir = dir;
    this.#limits = limits;
    this.#ofKey = db.prepare(
      `SELECT count(*) AS batches, coalesce(sum(${BYTES}), 0) AS bytes FROM batch WHERE key_id = ? AND ${KEPT}`,
    );
    this.#ofAll = db.prepare(
      `SELECT (SELECT coalesce(sum(bytes), 0) FROM upload) AS uploads, coalesce(sum(${BYTES}), 0) AS bytes,
         coalesce(sum(CASE WHEN ended_at IS NULL THEN max(expected_bytes - result_bytes, 0) ELSE 0 END), 0) AS promised
       FROM batch WHERE ${KEPT}`,
    );
  }

  /** Returns the free bytes of the disk. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#dir);
    return bavail * bsize;
  }

  /** @throws AppError DB_ERROR when so many bytes more do not fit. */
  checkDisk(freeBytes: number, neededBytes: number): void {
    const floor = { folder: this.#dir, minFreeBytes: this.#limits.minFreeDiskBytes };
    const shortage = diskShortage(freeBytes, neededBytes, floor);
    if (shortage !== null) throw noRoom(shortage);
  }

  /** Checks, while an input arrives, that it and all others fit. @throws AppError DB_ERROR. */
  checkUploads(): void {
    const { bytes, uploads } = this.#ofAll.get()!;
    if (bytes + uploads > this.#limits.diskBytes) throw this.#full(bytes + uploads);
  }

  /**
   * Checks that a batch whose input is stored fits with its results.
   * @throws AppError RATE_LIMITED when its key keeps too much, DB_ERROR when all keys together do or the disk is too small.
   */
  checkBatch(keyId: string, { storedBytes, expectedBytes: expected }: BatchBytes, freeBytes: number): void {
    const needed = storedBytes + expected;
    const own = this.#ofKey.get(keyId)!;
    if (own.batches >= MOST_BATCHES_PER_KEY) {
      throw rateLimited(
        'BATCHES_KEPT',
        `this key has ${own.batches} batches, the most that are kept: delete some that are finished`,
        LATER,
      );
    }
    const { diskBytesPerKey, diskBytes } = this.#limits;
    if (own.bytes + needed > diskBytesPerKey) {
      throw rateLimited(
        'BATCHES_KEPT',
        `this batch needs ${roomMegabytes(needed)} with its results, and the batches of this key may keep ` +
          `${roomMegabytes(diskBytesPerKey)}, of which ${roomMegabytes(own.bytes)} are used: delete batches that are finished, or send fewer rows`,
        LATER,
      );
    }
    const { bytes, uploads, promised } = this.#ofAll.get()!;
    if (bytes + uploads + needed > diskBytes) throw this.#full(bytes + uploads + needed);
    this.checkDisk(freeBytes, promised + expected);
  }

  #full(bytes: number): AppError {
    return noRoom(
      `the batches of all keys would take ${roomMegabytes(bytes)}, more than BATCH_DISK_MB allows (${roomMegabytes(this.#limits.diskBytes)})`,
    );
  }
}

function noRoom(detail: string): AppError {
  return unavailable('STORAGE_FULL', detail, LATER);
}
