import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS, dayOf } from '../../shared/time.ts';
import { EXPIRED_AT_ONCE, RECORD_KEPT_MS, type NewBatch } from '../batch-store.ts';
import type { BatchChanges, Stranded } from '../parts.ts';
import { refusalOf, uploadLost, type Room } from '../room.ts';
import type { Allowance } from './allowance.ts';
import type { BatchFiles } from './batch-files.ts';
import type { BatchRoom } from './batch-room.ts';
import type { BatchTable } from './batch-table.ts';
import type { ChunkQueue } from './chunk-queue.ts';
import type { QueueDatabase } from './queue-database.ts';

/** What the work on batches of one machine is done with. */
export interface MachineParts {
  readonly database: QueueDatabase;
  readonly files: BatchFiles;
  readonly table: BatchTable;
  readonly chunks: ChunkQueue;
  readonly allowance: Allowance;
  readonly room: BatchRoom;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** Folders that are looked at before others get the main thread. */
const CHECKED_PER_TURN = 100;

/** Changes of the batches of a machine, in transactions. */
export class MachineChanges implements BatchChanges {
  readonly #parts: MachineParts;

  constructor(parts: MachineParts) {
    this.#parts = parts;
  }

  get uploadLeaseMs(): number {
    return this.#parts.leaseMs;
  }

  beginUpload(id: string): void {
    const { database, nowMs, leaseMs } = this.#parts;
    database.change(() => database.db.prepare('INSERT INTO upload VALUES (?, 0, ?)').run(id, nowMs() + leaseMs));
  }

  prolongUpload(id: string, bytes: number): boolean {
    const { database, room, nowMs, leaseMs } = this.#parts;
    const { changes } = database.db
      .prepare('UPDATE upload SET bytes = ?, lease_ends_ms = ? WHERE id = ?')
      .run(bytes, nowMs() + leaseMs, id);
    room.checkUploads();
    return changes === 1;
  }

  endUpload(id: string): void {
    this.#parts.database.change(() => this.#takeUpload(id));
  }

  async accept(batch: NewBatch, room: Room): Promise<string> {
    const freeBytes = await this.#parts.files.freeBytes();
    return await this.#change(() => this.#parts.table.earlier(batch) ?? this.#add(batch, room, freeBytes));
  }

  async stop(id: string, error: string | null): Promise<void> {
    const { table, nowMs } = this.#parts;
    await this.#change(() => {
      if (error === null) table.cancel(id, nowMs());
      else table.fail(id, error, nowMs());
    });
  }

  async remove(id: string): Promise<void> {
    await this.#change(() => {
      this.#parts.table.remove(id);
    });
  }

  /** At once: no other machine could go on with them. */
  stranded(faults: ReadonlyMap<string, string | null>): readonly Stranded[] {
    return [...faults].flatMap(([snapshot, error]) =>
      error === null ? [] : this.#parts.table.unfinishedOf(snapshot).map((id) => ({ id, error })),
    );
  }

  async clean(nowMs: number): Promise<void> {
    const { database, files, table, allowance } = this.#parts;
    const expired = database.change(() => {
      const ids = table.expired(nowMs, EXPIRED_AT_ONCE);
      for (const id of ids) table.expire(id, nowMs);
      table.forget(nowMs - RECORD_KEPT_MS, EXPIRED_AT_ONCE);
      allowance.forgetBefore(dayOf(nowMs - 2 * DAY_MS));
      return ids;
    });
    for (const id of expired) await files.remove(id);
    await this.#removeFolders(EXPIRED_AT_ONCE);
  }

  #add(batch: NewBatch, room: Room, freeBytes: number): string {
    const { files, allowance, table } = this.#parts;
    if (!this.#takeUpload(batch.id)) throw uploadLost();
    const { keyId, rows } = batch;
    const day = batch.createdAt.slice(0, 10);
    const used = { ...this.#parts.room.used(keyId), rows: allowance.used(keyId, day) };
    const refusal = refusalOf(batch, room, used);
    if (refusal) throw refusal;
    files.checkDisk(freeBytes, this.#parts.room.promisedBytes + room.expected);
    allowance.change({ keyId, day, rows });
    table.add(batch, { storedBytes: room.stored, expectedBytes: room.expected, day });
    return batch.id;
  }

  /** Returns false when the upload was given up. */
  #takeUpload(id: string): boolean {
    return this.#parts.database.db.prepare('DELETE FROM upload WHERE id = ?').run(id).changes === 1;
  }

  /** Deletes some of the folders whose process died before it made a batch of them, or while it deleted the batch. */
  async #removeFolders(most: number): Promise<void> {
    const { database, files, nowMs } = this.#parts;
    database.change(() => database.db.prepare('DELETE FROM upload WHERE lease_ends_ms <= ?').run(nowMs()));
    // Of an expired batch only the record is kept.
    const isKept = database.db.prepare<[string, string]>(
      `SELECT 1 FROM batch WHERE id = ? AND state <> 'expired' UNION ALL SELECT 1 FROM upload WHERE id = ?`,
    );
    let left = most;
    for (const [i, id] of (await files.list()).entries()) {
      if (left === 0) return;
      if (i % CHECKED_PER_TURN === 0) await nextTurn();
      if (isKept.get(id, id) !== undefined) continue;
      await files.remove(id);
      left--;
    }
  }

  /** Changes records, and waits until that is on the disk. */
  async #change<T>(work: () => T): Promise<T> {
    const { database } = this.#parts;
    const result = database.change(work);
    await database.sync();
    return result;
  }
}
