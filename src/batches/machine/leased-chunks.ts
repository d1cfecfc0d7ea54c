import { randomUUID } from 'node:crypto';
import type { ChunkResult } from '../batch-store.ts';
import type { BatchChunk } from '../job.ts';
import type { BatchFiles } from './batch-files.ts';
import type { BatchRoom } from './batch-room.ts';
import type { BatchTable } from './batch-table.ts';
import type { ChunkQueue, TakenChunk } from './chunk-queue.ts';
import type { QueueDatabase } from './queue-database.ts';

export interface LeasedChunksOptions {
  readonly database: QueueDatabase;
  readonly files: BatchFiles;
  readonly chunks: ChunkQueue;
  readonly table: BatchTable;
  readonly room: BatchRoom;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** A chunk with the lease that `take` gave it. */
interface LeasedChunk extends BatchChunk {
  readonly lease: string;
}

/** The chunks that processes of this machine work on: taken for a time, which they prolong, and finished or given back. */
export class LeasedChunks {
  readonly #options: LeasedChunksOptions;

  constructor(options: LeasedChunksOptions) {
    this.#options = options;
  }

  /** Takes a chunk of a batch with such a snapshot and such a key. Null when there is none now. */
  take(canAnswer: (snapshot: string) => boolean, mayTake?: (keyId: string) => boolean): BatchChunk | null {
    const { database, chunks, table, leaseMs } = this.#options;
    if (chunks.isEmpty) return null;
    const nowMs = this.#options.nowMs();
    const lease = randomUUID();
    return database.change((): LeasedChunk | null => {
      const taken = chunks.take({ canAnswer, mayTake }, { id: lease, nowMs, endsMs: nowMs + leaseMs });
      if (!taken) return null;
      table.start(taken.batchId, nowMs);
      return { job: table.find(taken.batchId)!, index: taken.index, lease };
    });
  }

  /** Prolongs the lease of a chunk. False when another has the chunk by now. */
  renew(chunk: BatchChunk): boolean {
    const { chunks, leaseMs, nowMs } = this.#options;
    return chunks.prolong(takenOf(chunk), leaseOf(chunk), nowMs() + leaseMs);
  }

  countLoss(chunk: BatchChunk): number {
    const { database, chunks } = this.#options;
    return database.change(() => chunks.countLoss(takenOf(chunk), leaseOf(chunk)));
  }

  async finish(chunk: BatchChunk, { text, counts }: ChunkResult, bill: () => Promise<void>): Promise<boolean> {
    const { id } = chunk.job;
    const { database, files, chunks, table, nowMs } = this.#options;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (!this.renew(chunk) || !(await this.#keepAnswers(chunk, bytes))) return false;
    if (!(await files.sync(id))) return false;
    await bill();
    const isDone = database.change(() => {
      if (!chunks.isLeased(takenOf(chunk), leaseOf(chunk))) return false;
      chunks.markDone(takenOf(chunk));
      table.addAnswers(id, counts, bytes.length, nowMs());
      return true;
    });
    if (isDone) await database.sync();
    return isDone;
  }

  giveBack(chunk: BatchChunk): void {
    const { database, chunks } = this.#options;
    database.change(() => {
      chunks.release(takenOf(chunk), leaseOf(chunk));
    });
  }

  /** Writes the answers of a chunk into its file, unless another has the chunk by now. */
  async #keepAnswers(chunk: BatchChunk, bytes: Uint8Array): Promise<boolean> {
    const { database, files, room } = this.#options;
    room.checkDisk(await room.freeBytes(), bytes.length);
    const part = await files.writePart(chunk.job.id, chunk.index, { lease: leaseOf(chunk), bytes });
    if (!part) return false;
    // In one transaction, so that nobody who has taken the chunk meanwhile finds our file under its name.
    const isKept = database.change(() => {
      const isOurs = this.renew(chunk);
      if (isOurs) part.keep();
      return isOurs;
    });
    if (!isKept) await part.drop();
    return isKept;
  }
}

function takenOf({ job, index }: BatchChunk): TakenChunk {
  return { batchId: job.id, index };
}

function leaseOf(chunk: BatchChunk): string {
  return (chunk as LeasedChunk).lease;
}
