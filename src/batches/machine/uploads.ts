import { setImmediate as nextTurn } from 'node:timers/promises';
import { Loop } from '../../background/loop.ts';
import type { AskedRow } from '../../rows/row.ts';
import { linesOf } from '../asked-lines.ts';
import type { BatchInput } from '../batch-store.ts';
import { uploadLost } from '../room.ts';
import { onDisk } from '../store-fault.ts';
import type { BatchFiles } from './batch-files.ts';
import type { BatchRoom } from './batch-room.ts';
import type { QueueDatabase } from './queue-database.ts';

export interface UploadsOptions {
  readonly database: QueueDatabase;
  readonly files: BatchFiles;
  readonly room: BatchRoom;
  /** Time after which the input of a process that has died is deleted. */
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** Folders that are looked at before others get the main thread. */
const CHECKED_PER_TURN = 100;

/** A lease is prolonged so many times before it would end. */
const RENEWALS = 3;

/** Inputs that arrive. A row of the queue names each of them, so that nothing of one stays when its process dies. */
export class Uploads implements Disposable {
  readonly #options: UploadsOptions;
  readonly #open = new Set<Upload>();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  async begin(id: string): Promise<Upload> {
    const { database, files, nowMs, leaseMs } = this.#options;
    const upload = new Upload(id, this.#options, () => this.#open.delete(upload));
    this.#open.add(upload);
    try {
      // Before its folder, which would be deleted without it.
      database.change(() => {
        database.db.prepare('INSERT INTO upload VALUES (?, 0, ?)').run(id, nowMs() + leaseMs);
      });
      await files.add(id);
    } catch (cause) {
      await upload.discard().catch(() => undefined);
      throw cause;
    }
    return upload;
  }

  /** Ends an upload whose batch is made. Belongs into the transaction that makes it. Returns false when the upload was given up. */
  take(id: string): boolean {
    return this.#options.database.db.prepare('DELETE FROM upload WHERE id = ?').run(id).changes === 1;
  }

  /** Deletes some of the folders whose process died before it made a batch of them, or while it deleted the batch. */
  async clean(most: number): Promise<void> {
    const { database, files, nowMs } = this.#options;
    database.change(() => {
      database.db.prepare('DELETE FROM upload WHERE lease_ends_ms <= ?').run(nowMs());
    });
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

  /** Stops prolonging what is still open. */
  [Symbol.dispose](): void {
    for (const upload of this.#open) upload.end();
  }
}

/** The input of one batch. */
export class Upload implements BatchInput {
  readonly #id: string;
  readonly #options: UploadsOptions;
  readonly #onEnd: () => void;
  readonly #prolonging: Loop;
  #chunks = 0;
  #bytes = 0;

  constructor(id: string, options: UploadsOptions, onEnd: () => void) {
    this.#id = id;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#prolonging = new Loop({
      everyMs: options.leaseMs / RENEWALS,
      firstMs: options.leaseMs / RENEWALS,
      turn: () => {
        this.#prolong();
      },
      // The next attempt may succeed. Without any, the upload is given up.
      onFailure: () => undefined,
    });
  }

  /** Bytes that are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  add(rows: readonly AskedRow[]): Promise<void> {
    const lines = linesOf(rows);
    const { files, room } = this.#options;
    return onDisk(async () => {
      room.checkDisk(await room.freeBytes(), 0);
      const bytes = await files.writeRows(this.#id, this.#chunks++, lines);
      if (bytes === null) throw uploadLost();
      this.#bytes += bytes;
      if (!this.#prolong()) throw uploadLost();
      room.checkUploads();
    });
  }

  async discard(): Promise<void> {
    this.end();
    const { database, files } = this.#options;
    await files.remove(this.#id);
    database.change(() => {
      database.db.prepare('DELETE FROM upload WHERE id = ?').run(this.#id);
    });
  }

  end(): void {
    this.#prolonging.stop();
    this.#onEnd();
  }

  /** Returns false when the upload was given up. */
  #prolong(): boolean {
    const { database, leaseMs, nowMs } = this.#options;
    const { changes } = database.db
      .prepare('UPDATE upload SET bytes = ?, lease_ends_ms = ? WHERE id = ?')
      .run(this.#bytes, nowMs() + leaseMs, this.#id);
    return changes === 1;
  }
}
