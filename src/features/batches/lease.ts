import { Loop } from '../../core/loop/loop.ts';
import type { BatchStore } from './batch-store.ts';
import type { BatchChunk } from './job.ts';

/** Several renewals fit into a lease, so that one that fails costs nothing. */
const RENEWED_EVERY_MS = 5000;

/** Keeps a chunk as long as it is worked on. */
export class Lease implements Disposable {
  readonly #renewing: Loop;
  #isLost = false;

  constructor(store: Pick<BatchStore, 'renew'>, chunk: BatchChunk, everyMs = RENEWED_EVERY_MS) {
    this.#renewing = new Loop({
      everyMs,
      firstMs: everyMs,
      turn: async () => {
        const isOurs = await store.renew(chunk);
        this.#isLost ||= !isOurs;
      },
      // The next renewal may go well; `finish` has the last word.
      onFailure: () => undefined,
    });
  }

  /** The chunk is not this worker's any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  [Symbol.dispose](): void {
    this.#renewing.stop();
  }
}
