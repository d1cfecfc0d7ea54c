import { randomUUID } from 'node:crypto';
import type { OutcomeCounts } from '../../rows/outcomes.ts';
import { hasEnded, nameOf, type BatchChunk, type BatchJob, type ChunkName } from '../job.ts';
import type { ChunkLeases, StoredAnswers, WrittenAnswers } from '../parts.ts';
import type { BucketParts } from './bucket-parts.ts';
import type { QueueEntry } from './chunk-queue.ts';
import type { Lease } from './chunk-records.ts';
import type { Ending } from './ending.ts';
import type { Sweeping } from './sweeping.ts';

/** Entries of the queue that one call of `take` may find to be done, cancelled or another machine's. */
const MOST_SKIPPED = 1000;

/** A chunk as `take` gave it. */
interface LeasedChunk extends BatchChunk {
  readonly token: string;
  /** Null for a chunk that did not come out of the queue: this machine was about to bill it when it stopped. */
  readonly entry: QueueEntry | null;
}

/** The chunks that this machine works on: it takes them, says that it still has them, and stores their answers or gives them back. */
export class LeasedChunks implements ChunkLeases {
  readonly #parts: BucketParts;
  readonly #ending: Ending;
  readonly #sweeping: Sweeping;
  /** Tokens of the chunks that this process works on. */
  readonly #held = new Map<string, string>();

  constructor(parts: BucketParts, ending: Ending, sweeping: Sweeping) {
    this.#parts = parts;
    this.#ending = ending;
    this.#sweeping = sweeping;
  }

  /** Takes a chunk of a batch whose snapshot this machine has. Null when there is none now. */
  async take(canAnswer: (snapshot: string) => boolean): Promise<BatchChunk | null> {
    const { records, queue } = this.#parts;
    await this.#sweeping.sweep();
    const snapshots = [...(await records.neededSnapshots())].filter(canAnswer);
    if (snapshots.length === 0) return null;
    const own = await this.#takeOwn(canAnswer);
    if (own) return own;
    for (let skipped = 0; skipped < MOST_SKIPPED; skipped++) {
      const token = randomUUID();
      const entry = await queue.take(snapshots, token);
      if (!entry) return null;
      const chunk = await this.#lease(entry, token);
      if (chunk) return chunk;
    }
    return null;
  }

  async renew(chunk: BatchChunk): Promise<boolean> {
    const { token, entry } = chunk as LeasedChunk;
    const { records, lockMs } = this.#parts;
    // The record has the last word: without the queue's lock the chunk is only likely to be given to another.
    await entry?.extendLock(token, lockMs).catch(() => 0);
    const isOurs = await records.chunks.isLeased(nameOf(chunk), token);
    if (!isOurs) this.#held.delete(keyOf(nameOf(chunk)));
    return isOurs;
  }

  countLoss(chunk: BatchChunk): Promise<number> {
    return this.#parts.records.chunks.countLoss(nameOf(chunk), (chunk as LeasedChunk).token);
  }

  async claim(chunk: BatchChunk, { object, bytes }: WrittenAnswers, counts: OutcomeCounts): Promise<boolean> {
    const { objects, records, takeOverMs } = this.#parts;
    const { token } = chunk as LeasedChunk;
    const claim = () => records.chunks.claim(nameOf(chunk), token, { stored: { object, bytes }, counts });
    const sinceAsked = stopwatch();
    let replaced = await claim();
    // This process may have stood still since Redis gave it the right.
    if (replaced !== null && sinceAsked() > takeOverMs / 2) replaced = await claim();
    if (replaced === null) this.#held.delete(keyOf(nameOf(chunk)));
    else if (replaced !== '') await objects.delete(replaced).catch(() => undefined);
    return replaced !== null;
  }

  /** They are made anew: another object takes their place. */
  claimed(): null {
    return null;
  }

  async answersOf(job: BatchJob, index: number): Promise<StoredAnswers | null> {
    if (hasEnded(job)) return (await this.#ending.resultsOf(job.id)).get(index) ?? null;
    return await this.#parts.records.chunks.doneChunk({ id: job.id, index });
  }

  async show(chunk: BatchChunk, { object }: WrittenAnswers): Promise<boolean> {
    const outcome = await this.#parts.records.chunks.done(nameOf(chunk), object);
    this.#held.delete(keyOf(nameOf(chunk)));
    if (outcome === 'lost') return false;
    await this.#leaveQueue(chunk as LeasedChunk);
    if (outcome === 'last') await this.#ending.end(chunk.job.id);
    return true;
  }

  async giveBack(chunk: BatchChunk): Promise<void> {
    const { token, entry } = chunk as LeasedChunk;
    this.#held.delete(keyOf(nameOf(chunk)));
    // Without the queue's lock the entry is another's, or will be.
    await entry?.moveToWait(token).catch(() => undefined);
  }

  /** Gives the machine the chunk of an entry; null when it is done, cancelled or another machine's. */
  async #lease(entry: QueueEntry, token: string): Promise<LeasedChunk | null> {
    const lease = await this.#parts.records.chunks.lease(entry.data, token, { turn: entry.opts.priority ?? 0 });
    if (lease.kind === 'take') return this.#hold({ ...chunkOf(lease, entry.data.index), token, entry });
    if (lease.kind === 'later') await entry.moveToDelayed(lease.atMs, token);
    else await entry.moveToCompleted(0, token, false);
    return null;
  }

  /** Takes a chunk that this machine was about to bill when its process ended. */
  async #takeOwn(canAnswer: (snapshot: string) => boolean): Promise<LeasedChunk | null> {
    const { records, lockMs } = this.#parts;
    for (const name of await records.chunks.ownClaims()) {
      if (this.#held.has(keyOf(name))) continue;
      const { job } = (await records.read(name.id)) ?? {};
      if (job && !canAnswer(job.snapshot)) continue;
      const token = randomUUID();
      const lease = await records.chunks.lease(name, token, { leastAgeMs: lockMs });
      if (lease.kind === 'take') return this.#hold({ ...chunkOf(lease, name.index), token, entry: null });
    }
    return null;
  }

  #hold(chunk: LeasedChunk): LeasedChunk {
    this.#held.set(keyOf(nameOf(chunk)), chunk.token);
    return chunk;
  }

  /** When this fails, the entry comes out of the queue again and is found to be done. */
  async #leaveQueue({ job, index, token, entry }: LeasedChunk): Promise<void> {
    const { queue } = this.#parts;
    const leaving = entry ? entry.moveToCompleted(0, token, false) : queue.hurry(job.snapshot, { id: job.id, index });
    await leaving.catch(() => undefined);
  }
}

function chunkOf({ record, mayBeBilled }: Extract<Lease, { kind: 'take' }>, index: number): BatchChunk {
  return { job: record.job, index, mayBeBilled };
}

function keyOf({ id, index }: ChunkName): string {
  return `${id}/${index}`;
}

/** Measures ms, also those for which the process or the machine stood still: the monotonic clock does not count the latter. */
function stopwatch(): () => number {
  const [startMs, startWallMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - startMs, Date.now() - startWallMs);
}
