import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { endStateOf } from '../job.ts';
import { gone } from '../room.ts';
import type { BatchRecord } from './batch-record.ts';
import type { BucketParts } from './bucket-parts.ts';
import type { StoredChunk } from './chunk-records.ts';

/** The results of a batch that has ended, by the index of their chunk, as `end.json` has them. */
type EndedResults = ReadonlyMap<number, StoredChunk>;

/** Ended batches of which the names of the results are remembered. */
const REMEMBERED = 20;

/** The last step of a batch, and the results that are left after it. */
export class Ending {
  readonly #parts: BucketParts;
  readonly #known = new LRUCache<string, EndedResults>({ max: REMEMBERED });

  constructor(parts: BucketParts) {
    this.#parts = parts;
  }

  /** Ends a batch that has nothing left to do. When that fails, the next sweep of any machine does it. */
  async end(id: string): Promise<void> {
    try {
      await this.#end(id);
      await this.#takeEnds();
    } catch (cause) {
      this.#parts.onError(cause as Error);
    }
  }

  /** Ends the batches that wait for it, also those whose machine stopped before it could. */
  async sweep(): Promise<void> {
    for (const id of await this.#parts.records.ending()) await this.end(id);
    // What cannot be ended now must not keep a machine from its chunks.
    await this.#takeEnds().catch(this.#parts.onError);
  }

  /** The results of a batch that has ended. @throws AppError GONE when they were deleted. */
  async resultsOf(id: string): Promise<EndedResults> {
    const known = this.#known.get(id);
    if (known) return known;
    const text = await this.#parts.objects.get(endName(id));
    if (text === null) throw gone();
    const results = new Map(JSON.parse(text) as [number, StoredChunk][]);
    this.#known.set(id, results);
    return results;
  }

  async #end(id: string): Promise<void> {
    const { records, objects, retentionMs } = this.#parts;
    const results = await records.chunks.doneChunks(id);
    const record = await records.read(id);
    if (record && (await this.#isToFail(record))) {
      await this.#end(id);
      return;
    }
    if (record?.job.state !== 'finalizing') return;
    // Between the two another machine may show the last chunk; after the end, chunks are forgotten. What is written must be whole.
    if (results.size !== record.done) return;
    await objects.put(endName(id), JSON.stringify([...results]));
    const endedMs = await records.nowMs();
    const readable = Math.max(-1, ...results.keys()) + 1;
    const end = { endedMs, expiresMs: endedMs + retentionMs, readable };
    await records.finish(id, endStateOf(record.job), end);
  }

  /** A batch that failed while a chunk of it may have been billed waits for that, for a time. */
  async #isToFail({ job: { id, state, error } }: BatchRecord): Promise<boolean> {
    const isWaiting = error !== null && (state === 'queued' || state === 'running');
    return isWaiting && (await this.#parts.records.stop(id, error)) === 'ending';
  }

  /** Takes last steps out of the queue. */
  async #takeEnds(): Promise<void> {
    const { queue } = this.#parts;
    for (;;) {
      const token = randomUUID();
      const entry = await queue.takeEnd(token);
      if (!entry) return;
      await this.#end(entry.data.id);
      await entry.moveToCompleted(0, token, false);
    }
  }
}

/** What can be read of a batch that has ended: `EndedResults`. */
function endName(id: string): string {
  return `${id}/end.json`;
}
