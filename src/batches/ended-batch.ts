import { totalOf } from '../rows/outcomes.ts';
import type { BatchJob } from './job.ts';

/** Describes a batch that has ended for its webhook, as `GET /api/batches/{id}` does. */
export function endedBatch({ id, state, rows, counts, snapshot, detail, createdAt, expiresAt, error }: BatchJob) {
  return {
    ...{ id, state, rows: { total: rows, done: totalOf(counts), ...counts } },
    ...{ ratePerS: null, endsAt: null },
    ...{ snapshot, detail, createdAt, expiresAt, error },
  };
}
