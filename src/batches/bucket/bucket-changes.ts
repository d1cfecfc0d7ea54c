import { idempotencyKeyReused } from '../../shared/problems.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { NewBatch } from '../batch-store.ts';
import type { BatchChanges, Stranded } from '../parts.ts';
import { refusalOf, uploadLost, type Room } from '../room.ts';
import type { Cleaning } from './cleaning.ts';
import type { Ending } from './ending.ts';
import type { MissingSnapshots } from './missing-snapshots.ts';
import type { Records } from './records.ts';
import type { Sweeping } from './sweeping.ts';

export interface BucketChangesOptions {
  readonly records: Records;
  readonly ending: Ending;
  readonly cleaning: Cleaning;
  readonly sweeping: Sweeping;
  readonly missing: MissingSnapshots;
  readonly onError: (cause: Error) => void;
}

/** Changes of the batches of many machines, in Redis and in the queue. */
export class BucketChanges implements BatchChanges {
  readonly uploadLeaseMs = DAY_MS;
  readonly #options: BucketChangesOptions;

  constructor(options: BucketChangesOptions) {
    this.#options = options;
  }

  async beginUpload(id: string): Promise<void> {
    await this.#options.records.note('uploads', id);
  }

  async prolongUpload(id: string): Promise<boolean> {
    await this.#options.records.note('uploads', id);
    return true;
  }

  async endUpload(id: string): Promise<void> {
    await this.#options.records.strike('uploads', id);
  }

  async accept(batch: NewBatch, room: Room): Promise<string> {
    const { records, sweeping, onError } = this.#options;
    const accepted = await records.accept(batch, room);
    if (accepted.kind === 'other') throw idempotencyKeyReused();
    if (accepted.kind === 'full') throw refusalOf(batch, room, accepted.used) ?? uploadLost();
    if (accepted.kind === 'lost') throw uploadLost();
    // Redis has the batch: when the queue does not get it now, it gets it with the next sweep of any machine.
    if (accepted.kind === 'new') await sweeping.enqueue(accepted.id).catch(onError);
    return accepted.id;
  }

  async stop(id: string, error: string | null): Promise<void> {
    const { records, ending } = this.#options;
    if ((await records.stop(id, error ?? '')) === 'ending') await ending.end(id);
  }

  remove(id: string): Promise<void> {
    return this.#options.records.forget(id);
  }

  stranded(faults: ReadonlyMap<string, string | null>): Promise<readonly Stranded[]> {
    return this.#options.missing.report(faults);
  }

  clean(nowMs: number): Promise<void> {
    return this.#options.cleaning.clean(nowMs);
  }
}
