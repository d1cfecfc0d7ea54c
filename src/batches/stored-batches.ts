import { randomUUID } from 'node:crypto';
import type { AskedRow } from '../rows/row.ts';
import { unavailable } from '../shared/problems.ts';
import { ArrivingInput } from './arriving-input.ts';
import { rowsOfLines } from './arriving-input.ts';
import type { BatchBacklog, BatchInput, BatchStore, ChunkResult, NewBatch } from './batch-store.ts';
import { nameOf, type BatchChunk, type BatchJob } from './job.ts';
import type { BatchBlobs, BatchChanges, BatchReads, ChunkLeases } from './parts.ts';
import { gone, roomFor, type RoomLimits } from './room.ts';

export interface StoreParts {
  readonly limits: RoomLimits;
  readonly reads: BatchReads;
  readonly changes: BatchChanges;
  readonly chunks: ChunkLeases;
  readonly blobs: BatchBlobs;
  /** Asks one of the parts. @throws AppError DB_ERROR with `Retry-After` when what they are stored in fails. */
  readonly ask: <T>(work: () => T | Promise<T>) => Promise<T>;
  /** Is told of what is left to a later `expire`. */
  readonly onError: (cause: Error) => void;
  /** Closes the parts. */
  readonly close: () => Promise<void>;
}

/** One for each format that is made of the answers. */
const MOST_KEPT_FILES = 3;

/** The rules of batches, the same on one machine and on many (docs/decisions/0120 and 0221). */
export class StoredBatches implements BatchStore {
  readonly #parts: StoreParts;
  readonly #arriving = new Set<ArrivingInput>();

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  async receive(id: string): Promise<BatchInput> {
    const { changes, blobs, ask } = this.#parts;
    const onEnd = (ended: ArrivingInput): unknown => this.#arriving.delete(ended);
    const input = new ArrivingInput(id, { changes, blobs, ask, onEnd });
    this.#arriving.add(input);
    try {
      await input.begin();
    } catch (cause) {
      await input.discard().catch(() => undefined);
      throw cause;
    }
    return input;
  }

  async create(batch: NewBatch, input: BatchInput): Promise<BatchJob> {
    const { changes, limits, ask } = this.#parts;
    if (!(input instanceof ArrivingInput)) throw new TypeError('the input is of another store');
    await input.settle();
    const id = await ask(() => changes.accept(batch, roomFor(batch, input.bytes, limits)));
    if (id === batch.id) input.end();
    else await input.discard();
    const job = await this.find(id);
    if (!job) throw unavailable('INTERRUPTED', 'the batch was deleted at once');
    return job;
  }

  find(id: string): Promise<BatchJob | null> {
    return this.#parts.ask(() => this.#parts.reads.find(id));
  }

  list(keyId: string, { limit, after }: { limit: number; after: string | null }): Promise<readonly BatchJob[]> {
    return this.#parts.ask(() => this.#parts.reads.list(keyId, limit, after));
  }

  rowsOn(keyId: string, day: string): Promise<number> {
    return this.#parts.ask(() => this.#parts.reads.rowsOn(keyId, day));
  }

  async cancel(id: string): Promise<BatchJob | null> {
    await this.#parts.ask(() => this.#parts.changes.stop(id, null));
    return await this.find(id);
  }

  async fail(id: string, error: string): Promise<void> {
    await this.#parts.ask(() => this.#parts.changes.stop(id, error));
  }

  async remove(id: string): Promise<void> {
    const { changes, blobs, ask, onError } = this.#parts;
    await ask(() => changes.remove(id));
    await blobs.remove(id).catch(onError);
  }

  take(...who: Parameters<BatchStore['take']>): Promise<BatchChunk | null> {
    return this.#parts.ask(() => this.#parts.chunks.take(...who));
  }

  renew(chunk: BatchChunk): Promise<boolean> {
    return this.#parts.ask(() => this.#parts.chunks.renew(chunk));
  }

  async rowsOf(chunk: BatchChunk): Promise<readonly AskedRow[]> {
    const { blobs, ask } = this.#parts;
    const text = await ask(() => blobs.readRows(nameOf(chunk)));
    if (text !== null) return rowsOfLines(text);
    await this.fail(chunk.job.id, 'its input is not stored any more');
    throw unavailable('STORAGE_UNREACHABLE', `the rows of chunk ${chunk.index} of ${chunk.job.id} are not stored`);
  }

  async claimedAnswers(chunk: BatchChunk): Promise<string | null> {
    const { chunks, blobs, ask } = this.#parts;
    const answers = chunk.mayBeBilled ? await ask(() => chunks.claimed(chunk)) : null;
    return answers && (await ask(() => blobs.readAnswers(answers)));
  }

  countLoss(chunk: BatchChunk): Promise<number> {
    return this.#parts.ask(() => this.#parts.chunks.countLoss(chunk));
  }

  async finish(chunk: BatchChunk, { text, counts }: ChunkResult, bill: () => Promise<void>): Promise<boolean> {
    const { chunks, blobs, ask } = this.#parts;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (!(await this.renew(chunk))) return false;
    // Under a name of its own: whoever else has the chunk may write answers too.
    const answers = await ask(() => blobs.writeAnswers({ ...nameOf(chunk), attempt: randomUUID() }, bytes));
    if (answers === null) return false;
    let isOurs = false;
    try {
      isOurs = await ask(() => chunks.claim(chunk, answers, counts));
    } finally {
      // Also when nobody knows who has the chunk: the next attempt writes its answers anew.
      if (!isOurs) await answers.drop().catch(() => undefined);
    }
    if (!isOurs) return false;
    if (!(await ask(() => blobs.sync(chunk.job.id)))) return false;
    await bill();
    return await ask(() => chunks.show(chunk, answers, counts));
  }

  giveBack(chunk: BatchChunk): Promise<void> {
    return this.#parts.ask(() => this.#parts.chunks.giveBack(chunk));
  }

  async readyChunks({ id }: BatchJob): Promise<number> {
    const job = await this.find(id);
    if (!job || job.state === 'expired') return 0;
    return await this.#parts.ask(() => this.#parts.reads.readyChunks(job));
  }

  async readResult({ id }: BatchJob, index: number): Promise<string> {
    const { chunks, blobs, ask } = this.#parts;
    const job = await this.find(id);
    if (!job || job.state === 'expired') throw gone();
    const answers = await ask(() => chunks.answersOf(job, index));
    if (answers === null) {
      const now = await this.find(id);
      // Its chunks are forgotten when it ends or is deleted. States only go forwards.
      return now?.state === job.state ? '' : await this.readResult({ id } as BatchJob, index);
    }
    const text = await ask(() => blobs.readAnswers(answers));
    if (text === null) throw gone();
    return text;
  }

  keptOrMade(job: BatchJob, name: string, make: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    // All files of a batch together take no more than its answers.
    const file = { id: job.id, name, mostBytes: Math.floor(job.resultBytes / MOST_KEPT_FILES) };
    return this.#parts.blobs.keptOrMade(file, make);
  }

  ended(endedAfter: string): Promise<readonly BatchJob[]> {
    return this.#parts.ask(() => this.#parts.reads.ended(endedAfter));
  }

  neededSnapshots(): Promise<ReadonlySet<string>> {
    return this.#parts.ask(() => this.#parts.reads.neededSnapshots());
  }

  async reportSnapshots(faults: ReadonlyMap<string, string | null>): Promise<void> {
    const stranded = await this.#parts.ask(() => this.#parts.changes.stranded(faults));
    for (const { id, error } of stranded) await this.fail(id, error);
  }

  backlog(): Promise<BatchBacklog> {
    return this.#parts.ask(() => this.#parts.reads.backlog());
  }

  expire(nowMs: number): Promise<void> {
    return this.#parts.ask(() => this.#parts.changes.clean(nowMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const input of this.#arriving) input.end();
    await this.#parts.close();
  }
}
