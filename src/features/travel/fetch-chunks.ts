import { Transient } from '../../core/outbound/failures.ts';
import { withRetries, type RetryPolicy } from '../../core/outbound/retry.ts';
import { chunkSpan, type ChunkList } from '../../messages/chunk-list.ts';
import type { DiskFloor } from '../../messages/disk-floor.ts';
import { checkDiskSpace } from '../../core/snapshots/disk-space.ts';
import type { ChunkFile } from './chunk-file.ts';
import type { SnapshotPlace } from './place.ts';

export interface ChunkFetch {
  readonly place: SnapshotPlace;
  readonly id: string;
  readonly list: ChunkList;
  readonly file: ChunkFile;
  readonly retry: RetryPolicy;
  readonly floor: DiskFloor;
  /** Called with the length of each piece that arrives. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Fetches the chunks that the file lacks, neighbours by one request. After a broken connection it goes on with the byte that it reached. An
 * attempt that brought data does not count against the number of attempts.
 * @throws Error when they cannot be fetched, or one has another checksum twice; or when the disk has no room.
 */
export async function fetchChunks(fetch: ChunkFetch): Promise<void> {
  for (const run of runsOf(fetch.file.missing)) {
    const receiver = new Receiver(run, fetch);
    let most = receiver.received;
    await withRetries(
      fetch.retry,
      () => receiver.fetch(),
      () => most < (most = receiver.received),
    );
  }
}

interface Run {
  readonly first: number;
  readonly last: number;
}

function runsOf(missing: Iterable<number>): Run[] {
  const runs: { first: number; last: number }[] = [];
  for (const index of missing) {
    const run = runs.at(-1);
    if (run?.last === index - 1) run.last = index;
    else runs.push({ first: index, last: index });
  }
  return runs;
}

/** Receives neighbouring chunks and stores each as soon as it is whole. */
class Receiver {
  readonly #fetch: ChunkFetch;
  readonly #run: Run;
  readonly #buffer: Buffer;
  #index: number;
  /** Bytes of the chunk `#index` that are in the buffer. */
  #filled = 0;
  /** The chunk that arrived with another checksum. */
  #damaged: number | null = null;
  /** Bytes in all attempts. */
  received = 0;

  constructor(run: Run, fetch: ChunkFetch) {
    this.#fetch = fetch;
    this.#run = run;
    this.#index = run.first;
    this.#buffer = Buffer.allocUnsafe(fetch.list.chunkBytes);
  }

  /** One attempt. */
  async fetch(): Promise<void> {
    const { place, id, list, onBytes } = this.#fetch;
    const { to } = chunkSpan(list, this.#run.last);
    const from = chunkSpan(list, this.#index).from + this.#filled;
    for await (const piece of place.readPart(`${id}/land.gpkg`, from, to)) {
      onBytes(piece.length);
      this.received += piece.length;
      this.#take(piece);
    }
    if (this.#index <= this.#run.last) throw new Transient('the file broke off');
  }

  #take(piece: Uint8Array): void {
    const { list } = this.#fetch;
    for (let at = 0; at < piece.length;) {
      if (this.#index > this.#run.last) throw new Error('the server sends more than it was asked for');
      const { from, to } = chunkSpan(list, this.#index);
      const part = piece.subarray(at, at + to - from - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === to - from) this.#store();
    }
  }

  #store(): void {
    const { file, floor, list, id } = this.#fetch;
    const chunk = this.#buffer.subarray(0, this.#filled);
    checkDiskSpace(floor, chunk.length);
    this.#filled = 0;
    if (file.put(this.#index, chunk)) {
      this.#index++;
      return;
    }
    const { from, to } = chunkSpan(list, this.#index);
    const words = `${id}/land.gpkg is damaged: bytes ${from} to ${to - 1} have another checksum than chunks.json states`;
    // It may have been damaged on its way, which another attempt shows.
    if (this.#damaged === this.#index) throw new Error(words);
    this.#damaged = this.#index;
    throw new Transient(words);
  }
}
