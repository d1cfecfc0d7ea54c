import type { RowOutcome } from '../rows/outcomes.ts';
import type { BatchJob } from '../job.ts';

/** Columns of a `BatchRow`. */
export const BATCH_COLUMNS = `id, key_id AS keyId, customer, state, detail, callback_url AS callbackUrl, snapshot,
  row_count AS rows, found, not_found AS notFound, outside, invalid, failed, created_at AS createdAt,
  started_at AS startedAt, ended_at AS endedAt, expires_at AS expiresAt, is_cancelled AS isCancelled, error,
  input_bytes AS inputBytes, result_bytes AS resultBytes, held_rows AS heldRows, day, request_hash AS requestHash,
  ignored_columns AS ignoredColumns, further, members`;

/** A batch as its table has it. */
export interface BatchRow
  extends
    Omit<BatchJob, 'counts' | 'isCancelled' | 'ignoredColumns' | 'further' | 'members'>,
    Readonly<Record<RowOutcome, number>> {
  readonly isCancelled: 0 | 1;
  /** Rows that count against the key's allowance of `day`. */
  readonly heldRows: number;
  /** UTC, `yyyy-mm-dd`. */
  readonly day: string;
  readonly requestHash: string | null;
  /** JSON. */
  readonly ignoredColumns: string;
  /** JSON. */
  readonly further: string;
  /** JSON. */
  readonly members: string;
}

export function jobOf(row: BatchRow): BatchJob {
  const { id, keyId, customer, state, detail, callbackUrl, snapshot, rows } = row;
  const { found, notFound, outside, invalid, failed } = row;
  const { createdAt, startedAt, endedAt, expiresAt, error, inputBytes, resultBytes } = row;
  return {
    id,
    keyId,
    customer,
    state,
    detail,
    callbackUrl,
    snapshot,
    rows,
    further: JSON.parse(row.further) as string[],
    members: JSON.parse(row.members) as BatchJob['members'],
    counts: { found, notFound, outside, invalid, failed },
    createdAt,
    startedAt,
    endedAt,
    expiresAt,
    isCancelled: row.isCancelled === 1,
    error,
    inputBytes,
    resultBytes,
    ignoredColumns: JSON.parse(row.ignoredColumns) as string[],
  };
}
