import { idempotencyKeyReused } from '../../shared/problems.ts';
import { DAY_MS } from '../../shared/time.ts';
import { EXPIRED_AT_ONCE, RECORD_KEPT_MS, type NewBatch } from '../batch-store.ts';
import type { BatchChanges, Stranded } from '../parts.ts';
import { refusalOf, uploadLost, type Room } from '../room.ts';
import type { BucketParts } from './bucket-parts.ts';
import type { Ending } from './ending.ts';
import { MissingSnapshots } from './missing-snapshots.ts';
import type { Sweeping } from './sweeping.ts';

export interface BucketChangesOptions extends BucketParts {
  readonly ending: Ending;
  readonly sweeping: Sweeping;
}

/** Time after which the objects of a deleted batch are looked for again: a chunk that was under way may have written one. */
const SECOND_LOOK_MS = 60 * 60_000;

/** Changes of the batches of many machines, in Redis and in the queue. */
export class BucketChanges implements BatchChanges {
  readonly uploadLeaseMs = DAY_MS;
  readonly #options: BucketChangesOptions;
  readonly #missing: MissingSnapshots;

  constructor(options: BucketChangesOptions) {
    this.#options = options;
    this.#missing = new MissingSnapshots(options);
  }

  async beginUpload(id: string): Promise<void> {
    await this.#options.records.note('uploads', id);
  }

  prolongUpload(id: string): Promise<boolean> {
    return this.#options.records.noteAgain('uploads', id);
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
    return this.#missing.report(faults);
  }

  async clean(machineMs: number): Promise<void> {
    const { records, objects, mostAheadMs, onError } = this.#options;
    // A machine whose clock is days ahead must not delete the results of all.
    const nowMs = Math.min(machineMs, (await records.nowMs()) + mostAheadMs);
    const expired: string[] = [];
    for (const id of await records.expiring(nowMs, EXPIRED_AT_ONCE))
      if (await this.#expire(id, nowMs)) expired.push(id);
    // What cannot be deleted now is deleted with the trash.
    for (const id of expired) await objects.deleteAll(`${id}/`).catch(onError);
    for (const id of await records.due('trash', SECOND_LOOK_MS, EXPIRED_AT_ONCE)) {
      await objects.deleteAll(`${id}/`);
      await records.strike('trash', id);
    }
    for (const id of await records.due('uploads', this.uploadLeaseMs, EXPIRED_AT_ONCE)) {
      await objects.deleteAll(`${id}/`);
      await records.strike('uploads', id);
    }
  }

  /** Marks a batch as expired; much later, forgets it. Returns whether its results are to be deleted. */
  async #expire(id: string, nowMs: number): Promise<boolean> {
    const { records } = this.#options;
    const { state, endedAt } = (await records.find(id)) ?? {};
    if (state !== 'expired') {
      await records.markExpired(id, nowMs);
      return true;
    }
    // Another process may have marked it since it was listed.
    if (nowMs - Date.parse(endedAt!) >= RECORD_KEPT_MS) await records.forget(id);
    return false;
  }
}
