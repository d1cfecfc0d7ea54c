import { HungThread } from '../../core/pool/lookup-messages.ts';
import type { PinnedSnapshot } from './pinned-snapshot.ts';
import type { LookupAnswer, TimedLookup } from '../../messages/lookup.ts';
import { fail, type Outcome } from '../../messages/outcome.ts';
import { AppError } from '../../messages/problems.ts';
import type { BatchStore } from './batch-store.ts';
import type { BatchChunk } from './job.ts';

interface RowLookups {
  readonly store: Pick<BatchStore, 'countLoss'>;
  readonly snapshots: Pick<PinnedSnapshot, 'lookupRows'>;
}

/** Threads that a chunk may lose before a row that loses one by itself is given up. */
const MOST_LOSSES = 3;

/**
 * Sends rows to a thread. A row that loses one by itself, and not the first ones that its chunk loses, has no answer, so that it does not end thread after
 * thread, also after a restart (docs/decisions/0205).
 */
export async function lookUpRows(
  rows: readonly TimedLookup[],
  chunk: BatchChunk,
  { store, snapshots }: RowLookups,
): Promise<readonly Outcome<LookupAnswer>[]> {
  try {
    return await snapshots.lookupRows(chunk.job.snapshot, rows);
  } catch (cause) {
    const isHung = cause instanceof HungThread;
    // Every other failure of the pool is no lost thread.
    if (cause instanceof AppError && !isHung) throw cause;
    const losses = await store.countLoss(chunk);
    if (isHung || rows.length > 1 || losses < MOST_LOSSES) throw cause;
    return [fail('UNANSWERABLE', `the row ended its thread; the chunk has lost ${losses}`)];
  }
}
