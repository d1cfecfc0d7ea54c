import type { ChunkName } from '../job.ts';
import type { BatchBlobs, KeptFile, StoredAnswers, WrittenAnswers } from '../parts.ts';
import type { Objects } from './objects.ts';

/** Rows and answers of batches in a bucket. The names of a batch's objects begin with `<batch id>/`. */
export class BucketBlobs implements BatchBlobs {
  /** A bucket far away takes some 50 ms for each. */
  readonly writesAtOnce = 4;
  readonly #objects: Objects;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** A bucket has no folders. */
  async begin(): Promise<void> {
    await Promise.resolve();
  }

  async writeRows(chunk: ChunkName, lines: Uint8Array): Promise<boolean> {
    await this.#objects.put(inputName(chunk), lines);
    return true;
  }

  readRows(chunk: ChunkName): Promise<string | null> {
    return this.#objects.get(inputName(chunk));
  }

  /** Redis says which attempt at a chunk counts. */
  async writeAnswers(
    { id, index, attempt }: ChunkName & { readonly attempt: string },
    text: Uint8Array,
  ): Promise<WrittenAnswers> {
    const object = `${id}/result/${index}-${attempt}.ndjson`;
    await this.#objects.put(object, text);
    return { object, bytes: text.length, keep: () => undefined, drop: () => this.#objects.delete(object) };
  }

  readAnswers({ object, bytes }: StoredAnswers): Promise<string | null> {
    return this.#objects.get(object, bytes);
  }

  /** Made each time: a bucket takes no object that is written little by little, and each machine would have files of its own. */
  keptOrMade(_file: KeptFile, make: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return make();
  }

  /** What was written is durable. */
  sync(): Promise<boolean> {
    return Promise.resolve(true);
  }

  remove(id: string): Promise<void> {
    return this.#objects.deleteAll(`${id}/`);
  }
}

function inputName({ id, index }: ChunkName): string {
  return `${id}/input/${index}.ndjson`;
}
