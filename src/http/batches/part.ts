import type { BatchStore } from '../../batches/batch-store.ts';
import type { BatchRunner } from '../../batches/runner.ts';
import { partKey } from '../../parts.ts';
import type { Slots } from '../slots.ts';

/** What batches have open. */
export interface Batches {
  readonly store: BatchStore;
  readonly runner: Pick<BatchRunner, 'wake' | 'stop' | 'status'>;
  /** Uploads that are under way. */
  readonly uploads: Slots;
}

export const batchesPart = partKey<Batches>('batches');
