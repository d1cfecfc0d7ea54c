import type Database from 'better-sqlite3';
import { ANSWER_KEPT_MS } from '../../../messages/journal.ts';
import { idempotencyKeyReused } from '../../../messages/problems.ts';
import type { OutcomeCounts, RowOutcome } from '../rows/row.ts';
import { chunksOf, endStateOf, hasEnded, type BatchJob, type NewBatch } from '../job.ts';
import type { ChunkQueue } from './chunk-queue.ts';
import type { UsedRoom } from './room.ts';

/** The table of batches. Methods that change something belong into a transaction. */
export class BatchTable {
  readonly #db: Database.Database;
  readonly #chunks: ChunkQueue;
  readonly #room: UsedRoom;
  readonly #retentionMs: number;
  readonly #byId: Database.Statement<[string], BatchRow>;

  /** @param retentionMs time for which results are kept after the end of a batch. */
  constructor(
    db: Database.Database,
    parts: { readonly chunks: ChunkQueue; readonly room: UsedRoom; readonly retentionMs: number },
  ) {
    this.#db = db;
    this.#chunks = parts.chunks;
    this.#room = parts.room;
    this.#retentionMs = parts.retentionMs;
    this.#byId = db.prepare(`SELECT ${BATCH_COLUMNS} FROM batch WHERE id = ?`);
  }

  find(id: string): BatchJob | null {
    const row = this.#byId.get(id);
    return row ? jobOf(row) : null;
  }

  /** Newest first. */
  list(keyId: string, limit: number, after: string | null): readonly BatchJob[] {
    return this.#db
      .prepare<[string, string, number], BatchRow>(
        `SELECT ${BATCH_COLUMNS} FROM batch WHERE key_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
      )
      .all(keyId, after ?? 'bat_~', limit)
      .map(jobOf);
  }

  /** Chunks that can be read, counted from the first; of a batch that has ended, those behind a gap too. */
  readyChunks(job: BatchJob): number {
    if (hasEnded(job)) return (this.#chunks.lastDone(job.id) ?? -1) + 1;
    return this.#chunks.firstOpen(job.id) ?? chunksOf(job);
  }

  /**
   * Returns the id of the batch that an earlier request with the same `Idempotency-Key` made; null when there is none.
   * @throws AppError BAD_REQUEST when that was another request.
   */
  earlier({ keyId, idempotency, createdAt }: NewBatch): string | null {
    if (idempotency === null) return null;
    const since = new Date(Date.parse(createdAt) - ANSWER_KEPT_MS).toISOString();
    const row = this.#db
      .prepare<[string, string, string], BatchRow>(
        `SELECT ${BATCH_COLUMNS} FROM batch WHERE key_id = ? AND idempotency_key = ? AND created_at > ? ORDER BY id DESC`,
      )
      .get(keyId, idempotency.key, since);
    if (!row) return null;
    if (row.requestHash === idempotency.requestHash) return row.id;
    throw idempotencyKeyReused();
  }

  add(
    batch: NewBatch,
    stored: { readonly storedBytes: number; readonly expectedBytes: number; readonly day: string },
  ): void {
    this.#db
      .prepare(
        `INSERT INTO batch (id, key_id, customer, state, detail, callback_url, snapshot, row_count, created_at, input_bytes,
           stored_bytes, expected_bytes, held_rows, day, idempotency_key, request_hash, ignored_columns,
           further, members)
         VALUES (@id, @keyId, @customer, 'queued', @detail, @callbackUrl, @snapshot, @rows, @createdAt, @inputBytes,
           @storedBytes, @expectedBytes, @rows, @day, @idempotencyKey, @requestHash, @ignored,
           @further, @members)`,
      )
      .run({
        ...batch,
        ...stored,
        idempotencyKey: batch.idempotency?.key ?? null,
        requestHash: batch.idempotency?.requestHash ?? null,
        ignored: JSON.stringify(batch.ignoredColumns),
        further: JSON.stringify(batch.further),
        members: JSON.stringify(batch.members),
      });
    this.#chunks.add(batch.id, chunksOf(batch));
  }

  start(id: string, nowMs: number): void {
    this.#db
      .prepare(`UPDATE batch SET state = 'running', started_at = ? WHERE id = ? AND state = 'queued'`)
      .run(iso(nowMs), id);
  }

  /** Adds the outcomes of a chunk whose answers are visible now, and ends the batch when it was the last. */
  addAnswers(id: string, counts: OutcomeCounts, bytes: number, nowMs: number): void {
    this.#db
      .prepare(
        `UPDATE batch SET found = found + @found, not_found = not_found + @notFound, outside = outside + @outside,
           invalid = invalid + @invalid, failed = failed + @failed, result_bytes = result_bytes + @bytes WHERE id = @id`,
      )
      .run({ ...counts, bytes, id });
    this.#endIfOver(id, nowMs);
    this.#settle(id);
  }

  /** Notes that the batch is to end. */
  cancel(id: string, nowMs: number): void {
    this.#db.prepare('UPDATE batch SET is_cancelled = 1 WHERE id = ? AND ended_at IS NULL').run(id);
    this.#endIfOver(id, nowMs);
  }

  /** Notes why the batch is to fail, unless it fails already. It ends once all that may be billed is shown. */
  fail(id: string, error: string, nowMs: number): void {
    this.#db.prepare('UPDATE batch SET error = ? WHERE id = ? AND ended_at IS NULL AND error IS NULL').run(error, id);
    this.#endIfOver(id, nowMs);
  }

  /** Says whether a batch has failed, or fails once all that may be billed is shown. */
  isToFail(id: string): boolean {
    return this.#byId.get(id)?.error != null;
  }

  /** Says that the results of a batch are gone. Its record stays, so that their absence can be explained. */
  expire(id: string, nowMs: number): void {
    this.#db.prepare(`UPDATE batch SET state = 'expired', ended_at = ? WHERE id = ?`).run(iso(nowMs), id);
    this.#chunks.remove(id);
  }

  remove(id: string): void {
    const row = this.#byId.get(id);
    if (!row) return;
    // Its unanswered rows are never answered.
    if (row.endedAt === null) this.#hold(row, answered(row) - row.failed);
    this.#chunks.remove(id);
    this.#db.prepare('DELETE FROM batch WHERE id = ?').run(id);
  }

  /** Ended after a time, oldest first. */
  ended(endedAfter: string): readonly BatchJob[] {
    return this.#db
      .prepare<[string], BatchRow>(`SELECT ${BATCH_COLUMNS} FROM batch WHERE ended_at > ? ORDER BY ended_at, id`)
      .all(endedAfter)
      .map(jobOf);
  }

  /** Ids of batches whose results are to be deleted, the oldest first. */
  expired(nowMs: number, limit: number): readonly string[] {
    return this.#db
      .prepare<[string, number], string>(
        `SELECT id FROM batch WHERE ended_at IS NOT NULL AND expires_at <= ? AND state <> 'expired' ORDER BY ended_at LIMIT ?`,
      )
      .pluck()
      .all(iso(nowMs), limit);
  }

  /** Deletes some records of batches that expired before a time. */
  forget(beforeMs: number, limit: number): void {
    this.#db
      .prepare(`DELETE FROM batch WHERE id IN (SELECT id FROM batch WHERE ended_at < ? AND state = 'expired' LIMIT ?)`)
      .run(iso(beforeMs), limit);
  }

  neededSnapshots(): ReadonlySet<string> {
    const select = this.#db.prepare<[], string>('SELECT DISTINCT snapshot FROM batch WHERE ended_at IS NULL').pluck();
    return new Set(select.all());
  }

  /** Ids of the batches of a snapshot that have not ended. */
  unfinishedOf(snapshot: string): readonly string[] {
    return this.#db
      .prepare<[string], string>('SELECT id FROM batch WHERE snapshot = ? AND ended_at IS NULL ORDER BY id')
      .pluck()
      .all(snapshot);
  }

  /** Batches that have not ended. */
  backlog(): {
    /** None of their rows was taken yet. */
    readonly queued: number;
    readonly running: number;
    /** When the oldest of the queued ones was accepted, in ms since 1970; null: none is queued. */
    readonly oldestQueuedMs: number | null;
  } {
    const { queued, running, oldestQueuedAt } = this.#db
      .prepare<[], { readonly queued: number; readonly running: number; readonly oldestQueuedAt: string | null }>(
        `SELECT count(*) FILTER (WHERE started_at IS NULL) AS queued, count(started_at) AS running,
           min(created_at) FILTER (WHERE started_at IS NULL) AS oldestQueuedAt
         FROM batch WHERE ended_at IS NULL`,
      )
      .get()!;
    return { queued, running, oldestQueuedMs: oldestQueuedAt === null ? null : Date.parse(oldestQueuedAt) };
  }

  /** Ends a batch that has nothing left to do. */
  #endIfOver(id: string, nowMs: number): void {
    const job = this.find(id);
    if (!job || hasEnded(job) || this.#chunks.isOpen(job)) return;
    this.#db
      .prepare('UPDATE batch SET state = ?, ended_at = ?, expires_at = ? WHERE id = ?')
      .run(endStateOf(job), iso(nowMs), iso(nowMs + this.#retentionMs), id);
    this.#settle(id);
  }

  /** Gives back the rows that failed, and those that will not be answered. */
  #settle(id: string): void {
    const row = this.#byId.get(id)!;
    this.#hold(row, (row.endedAt === null ? row.rows : answered(row)) - row.failed);
  }

  #hold({ id, keyId, day, heldRows }: BatchRow, rows: number): void {
    this.#room.changeRows({ keyId, day, rows: rows - heldRows });
    this.#db.prepare('UPDATE batch SET held_rows = ? WHERE id = ?').run(rows, id);
  }
}

function answered({ found, notFound, outside, invalid, failed }: BatchRow): number {
  return found + notFound + outside + invalid + failed;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

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
