import { idempotencyKeyReused, rateLimited, unavailable, type AppError } from '../../shared/problems.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { NewBatch } from '../batch-store.ts';
import { expectedBytes, MOST_BATCHES_PER_KEY } from '../machine/batch-room.ts';
import type { Accepted, Room } from './records.ts';
import { roomMegabytes } from '../../shared/words.ts';

export interface BucketRoomLimits {
  /** Most bytes of all batches in the bucket. */
  readonly diskBytes: number;
  /** Most bytes of the batches of one key. */
  readonly diskBytesPerKey: number;
}

const LATER = { retryAfterS: 3600 };

/** Returns what a batch needs and what there is for it. */
export function roomFor(batch: NewBatch, stored: number, limits: BucketRoomLimits): Room {
  return {
    stored,
    expected: expectedBytes(batch),
    mostOfKey: limits.diskBytesPerKey,
    mostOfAll: limits.diskBytes,
    mostBatches: MOST_BATCHES_PER_KEY,
  };
}

/** Says why a batch was not accepted. */
export function refusalOf({ kind, value }: Accepted, batch: NewBatch, room: Room): AppError {
  const needed = room.stored + room.expected;
  switch (kind) {
    case 'other':
      return idempotencyKeyReused();
    case 'rows':
      return rowsUsedUp(batch, Number(value));
    case 'batches':
      return rateLimited(
        'BATCHES_KEPT',
        `this key has ${value} batches, the most that are kept: delete some that are finished`,
        LATER,
      );
    case 'key room':
      return rateLimited(
        'BATCHES_KEPT',
        `this batch needs ${roomMegabytes(needed)} with its results, and the batches of this key may keep ` +
          `${roomMegabytes(room.mostOfKey)}, of which ${roomMegabytes(Number(value))} are used: delete batches that are finished, or send fewer rows`,
        LATER,
      );
    case 'room':
      return unavailable(
        'STORAGE_FULL',
        `the batches of all keys would take ${roomMegabytes(Number(value) + needed)}, more than BATCH_DISK_MB allows (${roomMegabytes(room.mostOfAll)})`,
        LATER,
      );
    default:
      return unavailable('INTERRUPTED', 'the upload stood still for so long that its input was deleted');
  }
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
