import type { AskedRow } from '../../rows/row.ts';
import { linesOf } from '../asked-lines.ts';
import type { BatchInput } from '../batch-store.ts';
import { inputName } from './names.ts';
import type { Objects } from './objects.ts';
import type { Records } from './records.ts';
import { onRedis } from '../store-fault.ts';

export interface BucketInputOptions {
  readonly id: string;
  readonly objects: Objects;
  readonly records: Records;
}

/** Chunks that are written at once, because a bucket far away takes some 50 ms for each. */
const WRITES = 4;

/** The rows of a batch that arrive, one object for each chunk. */
export class BucketInput implements BatchInput {
  readonly #options: BucketInputOptions;
  readonly #writes = new Set<Promise<unknown>>();
  #fault: Error | null = null;
  #chunks = 0;
  #bytes = 0;

  constructor(options: BucketInputOptions) {
    this.#options = options;
  }

  /** Bytes that are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  async add(rows: readonly AskedRow[]): Promise<void> {
    const { id, objects, records } = this.#options;
    const text = linesOf(rows);
    this.#bytes += Buffer.byteLength(text);
    const write = objects
      .put(inputName(id, this.#chunks++), text)
      .catch((cause: unknown) => {
        this.#fault ??= cause as Error;
      })
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    if (this.#writes.size >= WRITES) await Promise.race(this.#writes);
    // So that nobody takes it for an upload whose process died.
    await onRedis(() => records.note('uploads', id));
    if (this.#fault) throw this.#fault;
  }

  /** Waits until all of it is in the bucket. @throws AppError. */
  async settle(): Promise<void> {
    await Promise.all(this.#writes);
    if (this.#fault) throw this.#fault;
  }

  async discard(): Promise<void> {
    const { id, objects, records } = this.#options;
    await Promise.all(this.#writes);
    // The batch exists when only Redis's answer to `create` was lost; its client was told that it does not.
    await onRedis(() => records.forget(id));
    await objects.deleteAll(`${id}/`);
    await onRedis(() => records.strike('uploads', id));
  }
}
