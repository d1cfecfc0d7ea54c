import { DAY_MS } from '../../shared/time.ts';
import { EXPIRED_AT_ONCE } from '../batch-store.ts';
import type { Objects } from './objects.ts';
import type { Records } from './records.ts';

export interface CleaningOptions {
  readonly objects: Objects;
  readonly records: Records;
  readonly onError: (cause: Error) => void;
}

/** Time after which the objects of a deleted batch are looked for again: a chunk that was under way may have written one. */
const SECOND_LOOK_MS = 60 * 60_000;

/** Time without a further chunk after which an upload counts as ended without a batch. */
const UPLOAD_MS = DAY_MS;

/** Deletes what is kept no longer. */
export class Cleaning {
  readonly #options: CleaningOptions;

  constructor(options: CleaningOptions) {
    this.#options = options;
  }

  async clean(nowMs: number): Promise<void> {
    const { records, objects } = this.#options;
    for (const id of await records.expiring(nowMs, EXPIRED_AT_ONCE)) await this.#expire(id, nowMs);
    for (const id of await records.due('trash', SECOND_LOOK_MS, EXPIRED_AT_ONCE)) {
      await objects.deleteAll(`${id}/`);
      await records.strike('trash', id);
    }
    for (const id of await records.due('uploads', UPLOAD_MS, EXPIRED_AT_ONCE)) {
      await objects.deleteAll(`${id}/`);
      await records.strike('uploads', id);
    }
  }

  /** Deletes the results; the second time, much later, the record. */
  async #expire(id: string, nowMs: number): Promise<void> {
    const { records, objects, onError } = this.#options;
    const record = await records.read(id);
    if (record?.job.state === 'expired') {
      await records.forget(id);
      return;
    }
    await records.markExpired(id, nowMs);
    // What cannot be deleted now is deleted with the trash.
    await objects.deleteAll(`${id}/`).catch(onError);
  }
}
