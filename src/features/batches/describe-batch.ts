import { hasEnded, type BatchJob } from './job.ts';
import { totalOf } from './rows/outcomes.ts';
import type { BatchBody } from './wire/batch.ts';

/** Returns a batch as clients see it. */
export function describeBatch(job: BatchJob, nowMs: number): BatchBody {
  const {
    id,
    state,
    rows: total,
    counts,
    snapshot,
    detail,
    further,
    createdAt,
    expiresAt,
    error,
    ignoredColumns,
  } = job;
  const rate = rateOf(job, nowMs);
  return {
    id,
    state,
    rows: { total, done: totalOf(counts), ...counts },
    ratePerS: rate === null ? null : Math.round(rate * 10) / 10,
    endsAt: endOf(job, rate, nowMs),
    snapshot,
    detail,
    layers: [...further],
    createdAt,
    expiresAt,
    error,
    ignoredColumns: [...ignoredColumns],
  };
}

/** Rows per second; null when nothing tells. The end of an expired batch is that of its results. */
function rateOf({ state, counts, startedAt, endedAt }: BatchJob, nowMs: number): number | null {
  const done = totalOf(counts);
  if (startedAt === null || done === 0 || state === 'expired') return null;
  const untilMs = endedAt === null ? nowMs : Date.parse(endedAt);
  return (done / Math.max(1, untilMs - Date.parse(startedAt))) * 1000;
}

function endOf(job: BatchJob, rate: number | null, nowMs: number): string | null {
  if (job.state === 'expired') return null;
  if (hasEnded(job)) return job.endedAt;
  if (rate === null || job.isCancelled) return null;
  return new Date(nowMs + ((job.rows - totalOf(job.counts)) / rate) * 1000).toISOString();
}
