import type Database from 'better-sqlite3';
import { statfs } from 'node:fs/promises';
import { diskShortage } from '../../shared/disk-floor.ts';
import { allFull, BYTES_PER_BATCH, noRoom, type RoomLimits, type UsedRoom } from '../room.ts';

export interface MachineRoomLimits extends RoomLimits {
  /** Free disk that batches leave. */
  readonly minFreeDiskBytes: number;
}

/** Bytes of a batch on the disk, with those that its results will take. */
const BYTES = `stored_bytes + CASE WHEN ended_at IS NULL THEN max(expected_bytes, result_bytes) ELSE result_bytes + ${BYTES_PER_BATCH} END`;
const KEPT = `state <> 'expired'`;

/** Keeps batches within their share of the disk. */
export class BatchRoom {
  readonly #dir: string;
  readonly #limits: MachineRoomLimits;
  readonly #ofKey: Database.Statement<[string], { readonly batches: number; readonly bytes: number }>;
  readonly #ofAll: Database.Statement<
    [],
    { readonly bytes: number; readonly promised: number; readonly uploads: number }
  >;

  constructor(db: Database.Database, dir: string, limits: MachineRoomLimits) {
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
    if (bytes + uploads > this.#limits.diskBytes) throw allFull(bytes + uploads, this.#limits.diskBytes);
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
