import type { BatchStore } from './batch-store.ts';
import type { BatchRunner } from './runner.ts';
import { partKey } from '../../core/parts/parts.ts';
import type { Slots } from '../../core/http/slots.ts';

/** What batches have open. */
export interface Batches {
  readonly store: BatchStore;
  readonly runner: Pick<BatchRunner, 'wake' | 'stop' | 'status'>;
  /** Uploads that are under way. */
  readonly uploads: Slots;
}

export const batchesPart = partKey<Batches>('batches');
