import { randomUUID } from 'node:crypto';
import type { OutcomeCounts } from '../../rows/outcomes.ts';
import { nameOf, type BatchChunk, type BatchJob } from '../job.ts';
import type { ChunkLeases, StoredAnswers, WrittenAnswers } from '../parts.ts';
import type { BatchFiles } from './batch-files.ts';
import type { BatchTable } from './batch-table.ts';
import type { ChunkQueue } from './chunk-queue.ts';
import type { QueueDatabase } from './queue-database.ts';

export interface LeasedChunksOptions {
  readonly database: QueueDatabase;
  readonly chunks: ChunkQueue;
  readonly files: Pick<BatchFiles, 'answersFile'>;
  readonly table: BatchTable;
  readonly leaseMs: number;
  readonly nowMs: () => number;
}

/** A chunk with the lease that `take` gave it. */
interface LeasedChunk extends BatchChunk {
  readonly lease: string;
}

/** The chunks that processes of this machine work on: taken for a time, which they prolong, and finished or given back. */
export class LeasedChunks implements ChunkLeases {
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
      table.start(taken.id, nowMs);
      return { job: table.find(taken.id)!, index: taken.index, lease };
    });
  }

  /** Prolongs the lease of a chunk. False when another has the chunk by now. */
  renew(chunk: BatchChunk): boolean {
    const { chunks, leaseMs, nowMs } = this.#options;
    return chunks.prolong(nameOf(chunk), leaseOf(chunk), nowMs() + leaseMs);
  }

  countLoss(chunk: BatchChunk): number {
    const { database, chunks } = this.#options;
    return database.change(() => chunks.countLoss(nameOf(chunk), leaseOf(chunk)));
  }

  giveBack(chunk: BatchChunk): void {
    const { database, chunks } = this.#options;
    database.change(() => {
      chunks.release(nameOf(chunk), leaseOf(chunk));
    });
  }

  claim(chunk: BatchChunk, answers: WrittenAnswers): boolean {
    // In one transaction, so that nobody who has taken the chunk meanwhile finds our file under its name.
    return this.#options.database.change(() => {
      const isOurs = this.renew(chunk);
      if (isOurs) answers.keep();
      return isOurs;
    });
  }

  answersOf({ id }: BatchJob, index: number): StoredAnswers | null {
    const { chunks, files } = this.#options;
    return chunks.isDone({ id, index }) ? { object: files.answersFile({ id, index }) } : null;
  }

  async show(chunk: BatchChunk, { bytes }: WrittenAnswers, counts: OutcomeCounts): Promise<boolean> {
    const { database, chunks, table, nowMs } = this.#options;
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
  return (chunk as LeasedChunk).lease;
}
