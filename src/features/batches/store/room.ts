/** What batches may take, and why one is not accepted. */
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
export const BYTES_PER_BATCH = 16_384;

/** Time after which something may have been deleted. */
const LATER = { retryAfterS: 3600 };

/** What is used without the new batch. */
export interface Used {
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
export function allFull(bytes: number, mostOfAll: number): AppError {
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
