import { FlowProducer, Queue, Worker, type Job } from 'bullmq';
import type { RedisClient } from '../../stores/redis.ts';
import { chunksOf, type ChunkName } from '../job.ts';
import type { BatchRecord } from './batch-record.ts';
import { PREFIX } from './scripts.ts';

export interface ChunkQueueOptions {
  readonly redis: RedisClient;
  /** Time for which a chunk belongs to who took it. */
  readonly lockMs: number;
  readonly onError: (cause: Error) => void;
}

export type QueueEntry = Job<ChunkName>;

interface OpenQueue {
  readonly queue: Queue<ChunkName>;
  readonly worker: Worker<ChunkName>;
}

/** BullMQ's largest number for a priority. */
const MOST_TURNS = 2 ** 21 - 1;

const ENDS = 'ends';

/**
 * The queue of chunks in Redis (BullMQ): one queue for each snapshot, so that a machine takes only what it can answer, and one of last steps. The
 * entries of a batch are a flow: the last step waits until every chunk is out of the queue. An entry holds names only and is deleted when it is done.
 */
export class ChunkQueue implements AsyncDisposable {
  readonly #options: ChunkQueueOptions;
  readonly #flows: FlowProducer;
  readonly #queues = new Map<string, OpenQueue>();

  constructor(options: ChunkQueueOptions) {
    this.#options = options;
    this.#flows = new FlowProducer(this.#connection);
    this.#flows.on('error', options.onError);
  }

  /** Puts all chunks of a batch into the queue. Those that are in it stay what they are, so it can be repeated. */
  async add({ job, firstTurn }: BatchRecord): Promise<void> {
    const { id, snapshot } = job;
    const queueName = nameOf(snapshot);
    const { queue } = this.#open(queueName);
    this.#open(ENDS);
    // A machine may have stopped while it deleted the queue, for which it is paused.
    if (await queue.isPaused()) await queue.resume();
    const children = Array.from({ length: chunksOf(job) }, (_, index) => ({
      ...{ name: 'chunk', queueName, data: { id, index } },
      opts: { ...forgotten, jobId: entryId({ id, index }), priority: Math.min(firstTurn + index, MOST_TURNS) },
    }));
    const end = { name: 'end', queueName: ENDS, data: { id, index: -1 }, children };
    await this.#flows.add({ ...end, opts: { ...forgotten, jobId: `${id}-end` } });
  }

  /** Takes the chunk whose turn is next among the batches of these snapshots; null when there is none. */
  async take(snapshots: readonly string[], token: string): Promise<QueueEntry | null> {
    for (const name of await this.#inTurn(snapshots.map(nameOf))) {
      const entry = await this.#next(name, token);
      if (entry) return entry;
    }
    return null;
  }

  /** Takes the last step of a batch; null when there is none. */
  async takeEnd(token: string): Promise<QueueEntry | null> {
    return await this.#next(ENDS, token);
  }

  /** Lets the entry of a chunk come out at once, if it waits for a time. */
  async hurry(snapshot: string, chunk: ChunkName): Promise<void> {
    const entry = await this.#open(nameOf(snapshot)).queue.getJob(entryId(chunk));
    if (await entry?.isDelayed()) await entry?.promote();
  }

  /** Deletes a queue with its entries. A machine that has it open brings a part of it back: all must have closed it before. */
  async delete(snapshot: string): Promise<void> {
    const queue = new Queue(nameOf(snapshot), { ...this.#connection, skipMetasUpdate: true });
    queue.on('error', this.#options.onError);
    try {
      await queue.obliterate({ force: true });
    } finally {
      await queue.close();
    }
  }

  /** Closes this machine's side of the queues of other snapshots. */
  async closeOthers(snapshots: ReadonlySet<string>): Promise<void> {
    const kept = new Set([ENDS, ...[...snapshots].map(nameOf)]);
    for (const [name, { queue, worker }] of this.#queues) {
      if (kept.has(name)) continue;
      this.#queues.delete(name);
      await Promise.allSettled([queue.close(), worker.close(true)]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#queues.values()];
    await Promise.allSettled([
      this.#flows.close(),
      ...all.flatMap(({ queue, worker }) => [queue.close(), worker.close(true)]),
    ]);
  }

  get #connection() {
    return { connection: this.#options.redis, prefix: PREFIX.slice(0, -1) };
  }

  async #next(name: string, token: string): Promise<QueueEntry | null> {
    // The library's type says that there always is one.
    const entry = (await this.#open(name).worker.getNextJob(token, { block: false })) as QueueEntry | undefined;
    return entry ?? null;
  }

  /** With batches of several snapshots, for example after a refresh of the data, the queue with the lowest turn at its head comes first. */
  async #inTurn(names: readonly string[]): Promise<readonly string[]> {
    if (names.length < 2) return names;
    const heads = await Promise.all(
      names.map(async (name) => {
        const [head] = await this.#open(name).queue.getPrioritized(0, 0);
        return { name, turn: head?.opts.priority ?? 0 };
      }),
    );
    return heads.sort((a, b) => a.turn - b.turn).map(({ name }) => name);
  }

  #open(name: string): OpenQueue {
    const open = this.#queues.get(name);
    if (open) return open;
    const { lockMs, onError } = this.#options;
    // Nobody reads the queue's stream of events.
    const queue = new Queue<ChunkName>(name, { ...this.#connection, streams: { events: { maxLen: 10 } } });
    // An entry whose worker died comes back however often that happens: the chunk is not to blame.
    const stalling = { lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: 1_000_000 };
    const worker = new Worker<ChunkName>(name, null, { ...this.#connection, ...stalling, autorun: false });
    queue.on('error', onError);
    worker.on('error', onError);
    worker.startStalledCheckTimer().catch(onError);
    const opened = { queue, worker };
    this.#queues.set(name, opened);
    return opened;
  }
}

/** An entry leaves Redis with its end. */
const forgotten = { removeOnComplete: true, removeOnFail: true } as const;

function entryId({ id, index }: ChunkName): string {
  return `${id}-${index}`;
}

function nameOf(snapshot: string): string {
  return `chunks-${snapshot}`;
}
