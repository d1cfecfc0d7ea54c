import type Database from 'better-sqlite3';
import type { BatchJob, ChunkName } from '../job.ts';

/** Of a batch, the first chunk that may be taken: one that nobody has taken, or one whose lease has ended. */
const FREE = `SELECT min(idx) FROM chunk WHERE batch_id = @id AND state < 2
  AND (state = 0 AND @isCancelled = 0 OR state = 1 AND lease_ends_ms <= @nowMs)`;

/** The chunks of unfinished batches, and who works on them. Its methods that change something belong into a transaction. */
export class ChunkQueue {
  readonly isClaimed: (chunk: ChunkName) => boolean;
  readonly #db: Database.Database;
  readonly #keys;
  readonly #unfinished;
  readonly #free;
  readonly #isLeased;
  readonly #prolong;

  /** @param isClaimed says of a chunk whether its answers are in place: who put them there may have billed them. */
  constructor(db: Database.Database, isClaimed: (chunk: ChunkName) => boolean) {
    this.#db = db;
    this.isClaimed = isClaimed;
    this.#keys = db
      .prepare<[], string>(
        `SELECT key_id FROM (SELECT DISTINCT key_id FROM batch WHERE ended_at IS NULL) LEFT JOIN turn USING (key_id)
         ORDER BY coalesce(served, 0), key_id`,
      )
      .pluck();
    this.#unfinished = db.prepare<
      [string],
      { readonly id: string; readonly snapshot: string; readonly isCancelled: 0 | 1; readonly isToFail: 0 | 1 }
    >(
      `SELECT id, snapshot, is_cancelled AS isCancelled, error IS NOT NULL AS isToFail FROM batch
       WHERE key_id = ? AND ended_at IS NULL ORDER BY id`,
    );
    this.#free = db
      .prepare<[{ readonly id: string; readonly isCancelled: 0 | 1; readonly nowMs: number }], number | null>(FREE)
      .pluck();
    this.#isLeased = db
      .prepare<[string, number, string], number>(
        `SELECT 1 FROM chunk WHERE batch_id = ? AND idx = ? AND lease = ? AND state = 1`,
      )
      .pluck();
    this.#prolong = db.prepare<[number, string, number, string]>(
      `UPDATE chunk SET lease_ends_ms = ? WHERE batch_id = ? AND idx = ? AND lease = ? AND state = 1`,
    );
  }

  add(batchId: string, count: number): void {
    const insert = this.#db.prepare('INSERT INTO chunk (batch_id, idx, state) VALUES (?, ?, 0)');
    for (let index = 0; index < count; index++) insert.run(batchId, index);
  }

  /** Whether there is a batch that has not ended. Writes nothing, so that waiting for work costs the disk nothing. */
  get isEmpty(): boolean {
    return this.#keys.get() === undefined;
  }

  /** Takes the chunk whose turn it is, and puts its key behind all others. */
  take(
    canAnswer: (snapshot: string) => boolean,
    mayTake: (keyId: string) => boolean,
    lease: { readonly id: string; readonly nowMs: number; readonly endsMs: number },
  ): ChunkName | null {
    for (const keyId of this.#keys.all().filter(mayTake)) {
      const chunk = this.#firstOf(keyId, canAnswer, lease.nowMs);
      if (!chunk) continue;
      this.#db
        .prepare('UPDATE chunk SET state = 1, lease = ?, lease_ends_ms = ? WHERE batch_id = ? AND idx = ?')
        .run(lease.id, lease.endsMs, chunk.id, chunk.index);
      this.#db
        .prepare(
          `INSERT INTO turn VALUES (?, (SELECT coalesce(max(served), 0) + 1 FROM turn))
           ON CONFLICT DO UPDATE SET served = excluded.served`,
        )
        .run(keyId);
      return chunk;
    }
    return null;
  }

  /** Says whether a lease is still the one of the chunk. It may have ended, as long as nobody else has taken the chunk. */
  isLeased({ id, index }: ChunkName, lease: string): boolean {
    return this.#isLeased.get(id, index, lease) === 1;
  }

  /** Returns false when the chunk is somebody else's, done or gone. */
  prolong({ id, index }: ChunkName, lease: string, endsMs: number): boolean {
    return this.#prolong.run(endsMs, id, index, lease).changes === 1;
  }

  /** Ends a lease. The chunk stays taken: it is finished also when its batch is cancelled, because it may be billed already. */
  release({ id, index }: ChunkName, lease: string): void {
    this.#db
      .prepare(
        'UPDATE chunk SET lease = NULL, lease_ends_ms = 0 WHERE batch_id = ? AND idx = ? AND lease = ? AND state = 1',
      )
      .run(id, index, lease);
  }

  /** Returns how many threads were lost at the chunk, with this one; 0 when it is somebody else's, done or gone. */
  countLoss({ id, index }: ChunkName, lease: string): number {
    const losses = this.#db.prepare<[string, number, string], number>(
      'UPDATE chunk SET losses = losses + 1 WHERE batch_id = ? AND idx = ? AND lease = ? AND state = 1 RETURNING losses',
    );
    return losses.pluck().get(id, index, lease) ?? 0;
  }

  markDone({ id, index }: ChunkName): void {
    this.#db
      .prepare('UPDATE chunk SET state = 2, lease = NULL, lease_ends_ms = 0 WHERE batch_id = ? AND idx = ?')
      .run(id, index);
  }

  /** Says whether a chunk of the batch is still to be finished: of one that fails, only those that may be billed; of a cancelled one, those that were taken. */
  isOpen({ id, isCancelled, error }: Pick<BatchJob, 'id' | 'isCancelled' | 'error'>): boolean {
    if (error !== null) return this.#taken(id).some((index) => this.isClaimed({ id, index }));
    const states = isCancelled ? '= 1' : '< 2';
    return this.#db.prepare(`SELECT 1 FROM chunk WHERE batch_id = ? AND state ${states} LIMIT 1`).get(id) !== undefined;
  }

  isDone({ id, index }: ChunkName): boolean {
    return (
      this.#db.prepare('SELECT 1 FROM chunk WHERE batch_id = ? AND idx = ? AND state = 2').get(id, index) !== undefined
    );
  }

  /** Returns the number of chunks before the first that is not done; null when all are done. */
  firstOpen(batchId: string): number | null {
    const first = this.#db.prepare<[string], number | null>(
      'SELECT min(idx) FROM chunk WHERE batch_id = ? AND state < 2',
    );
    return first.pluck().get(batchId) ?? null;
  }

  /** Returns the last chunk that is done; null when there is none. */
  lastDone(batchId: string): number | null {
    const last = this.#db.prepare<[string], number | null>(
      'SELECT max(idx) FROM chunk WHERE batch_id = ? AND state = 2',
    );
    return last.pluck().get(batchId) ?? null;
  }

  remove(batchId: string): void {
    this.#db.prepare('DELETE FROM chunk WHERE batch_id = ?').run(batchId);
  }

  #firstOf(keyId: string, canAnswer: (snapshot: string) => boolean, nowMs: number): ChunkName | null {
    for (const { id, snapshot, isCancelled, isToFail } of this.#unfinished.all(keyId)) {
      // Of a batch that fails, nothing is answered any more.
      const index = isToFail
        ? this.#taken(id, nowMs).find((taken) => this.isClaimed({ id, index: taken }))
        : canAnswer(snapshot) && this.#free.get({ id, isCancelled, nowMs });
      if (typeof index === 'number') return { id, index };
    }
    return null;
  }

  /** Chunks that were taken, are not done, and whose lease ends until then. */
  #taken(batchId: string, leaseEndsMs = Number.MAX_SAFE_INTEGER): readonly number[] {
    const taken = this.#db.prepare<[string, number], number>(
      'SELECT idx FROM chunk WHERE batch_id = ? AND state = 1 AND lease_ends_ms <= ? ORDER BY idx',
    );
    return taken.pluck().all(batchId, leaseEndsMs);
  }
}
