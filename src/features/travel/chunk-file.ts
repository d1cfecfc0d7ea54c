import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { chunkSpan, type ChunkList } from '../../messages/chunk-list.ts';
import { sha256 } from '../../core/files/sha256.ts';

/**
 * The `land.gpkg` of a snapshot that is being fetched. Which chunks it has is seen from their checksums alone, so a process that is killed leaves
 * nothing that could contradict the file. It reads and writes at once: the command has nothing else to do.
 */
export class ChunkFile implements Disposable {
  readonly #list: ChunkList;
  readonly #descriptor: number;
  readonly #buffer: Buffer;
  /** Indexes of the chunks that are not there yet. */
  readonly missing: Set<number>;
  /** Bytes that an earlier run has left. */
  readonly foundBytes: number;

  /** Opens the file, or makes it. It takes its whole length, but only written chunks take space on the disk. */
  constructor(file: string, list: ChunkList) {
    this.#list = list;
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o640);
    this.#buffer = Buffer.allocUnsafe(list.chunkBytes);
    const isNew = fstatSync(this.#descriptor).size === 0;
    ftruncateSync(this.#descriptor, list.bytes);
    const all = [...list.sha256.keys()];
    this.missing = new Set(isNew ? all : all.filter((index) => !this.#holds(index)));
    this.foundBytes = sum(all.filter((index) => !this.missing.has(index)).map((index) => this.#length(index)));
  }

  /** Bytes that are not there yet. */
  get missingBytes(): number {
    return sum([...this.missing].map((index) => this.#length(index)));
  }

  /** Writes a chunk if the bytes have its checksum. Says whether they have. */
  put(index: number, bytes: Uint8Array): boolean {
    if (sha256(bytes) !== this.#list.sha256[index]) return false;
    const { from } = chunkSpan(this.#list, index);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, from + at);
    this.missing.delete(index);
    return true;
  }

  /** Takes every chunk that another file has, wherever it is there. Returns the number of bytes. */
  takeFrom(file: string, other: ChunkList): number {
    const places = new Map(other.sha256.map((sum, index) => [sum, chunkSpan(other, index)]));
    const descriptor = openSync(file, 'r');
    let taken = 0;
    try {
      for (const index of this.missing) {
        const place = places.get(this.#list.sha256[index]!);
        if (!place) continue;
        const bytes = Buffer.allocUnsafe(place.to - place.from);
        // A chunk that has changed on the disk is fetched.
        if (readSync(descriptor, bytes, 0, bytes.length, place.from) === bytes.length && this.put(index, bytes))
          taken += bytes.length;
      }
    } finally {
      closeSync(descriptor);
    }
    return taken;
  }

  /** Waits until everything is on the disk. */
  sync(): void {
    fsyncSync(this.#descriptor);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }

  #holds(index: number): boolean {
    const { from } = chunkSpan(this.#list, index);
    const bytes = this.#buffer.subarray(0, this.#length(index));
    return (
      readSync(this.#descriptor, bytes, 0, bytes.length, from) === bytes.length &&
      sha256(bytes) === this.#list.sha256[index]
    );
  }

  #length(index: number): number {
    const { from, to } = chunkSpan(this.#list, index);
    return to - from;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
