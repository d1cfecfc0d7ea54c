import { randomUUID } from 'node:crypto';
import type { OutcomeCounts } from '../rows/row.ts';
import { nameOf, type BatchChunk } from '../job.ts';
import type { BatchFiles, WrittenAnswers } from './batch-files.ts';
import type { BatchTable } from './batch-table.ts';
import type { ChunkQueue } from './chunk-queue.ts';
import type { QueueDatabase } from './queue-database.ts';
import type { UsedRoom } from './room.ts';

/** What the store is made of. */
export interface StoreParts {
  readonly database: QueueDatabase;
  readonly files: BatchFiles;
  readonly table: BatchTable;
  readonly chunks: ChunkQueue;
  readonly room: UsedRoom;
  /** Time after which a chunk, or an upload, of a process that has died is given up. */
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** The chunks that processes of this machine work on: taken for a time, which they prolong, and finished or given back. */
export class LeasedChunks {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** See `BatchStore.take`. */
  take(canAnswer: (snapshot: string) => boolean, mayTake: (keyId: string) => boolean = () => true): BatchChunk | null {
    const { database, chunks, table, leaseMs } = this.#parts;
    if (chunks.isEmpty) return null;
    const nowMs = this.#parts.nowMs();
    const lease = randomUUID();
    return database.change((): (BatchChunk & { readonly lease: string }) | null => {
      const taken = chunks.take(canAnswer, mayTake, { id: lease, nowMs, endsMs: nowMs + leaseMs });
      if (!taken) return null;
      table.start(taken.id, nowMs);
      return { job: table.find(taken.id)!, index: taken.index, lease, mayBeBilled: chunks.isClaimed(taken) };
    });
  }

  /** Prolongs the lease of a chunk. False when another has the chunk by now, or its batch fails before its answers are in place. */
  renew(chunk: BatchChunk): boolean {
    const { chunks, table, leaseMs, nowMs } = this.#parts;
    const name = nameOf(chunk);
    if (table.isToFail(name.id) && !chunks.isClaimed(name)) return false;
    return chunks.prolong(name, leaseOf(chunk), nowMs() + leaseMs);
  }

  countLoss(chunk: BatchChunk): number {
    const { database, chunks } = this.#parts;
    return database.change(() => chunks.countLoss(nameOf(chunk), leaseOf(chunk)));
  }

  giveBack(chunk: BatchChunk): void {
    const { database, chunks } = this.#parts;
    database.change(() => {
      chunks.release(nameOf(chunk), leaseOf(chunk));
    });
  }

  /** Puts answers in place, so that this worker may bill them. False: another has the chunk, or nobody, because the batch fails. */
  claim(chunk: BatchChunk, answers: WrittenAnswers): boolean {
    // In one transaction, so that nobody who has taken the chunk meanwhile finds our file under its name, and no batch ends in between.
    return this.#parts.database.change(() => {
      const isOurs = this.renew(chunk);
      if (isOurs) answers.keep();
      return isOurs;
    });
  }

  /** Makes answers that are billed visible, and ends the batch with its last ones. False: they are another worker's, or the batch is deleted. */
  async show(chunk: BatchChunk, { bytes }: WrittenAnswers, counts: OutcomeCounts): Promise<boolean> {
    const { database, chunks, table, nowMs } = this.#parts;
    const isDone = database.change(() => {
      if (!chunks.isLeased(nameOf(chunk), leaseOf(chunk))) return false;
      chunks.markDone(nameOf(chunk));
      table.addAnswers(chunk.job.id, counts, bytes, nowMs());
      return true;
    });
    if (isDone) await database.sync();
    return isDone;
  }
}

function leaseOf(chunk: BatchChunk): string {
  return (chunk as BatchChunk & { readonly lease: string }).lease;
}
