import { Loop } from '../../../core/loop/loop.ts';
import type { AskedRow } from '../rows/row.ts';
import { ROWS_PER_CHUNK } from '../job.ts';
import type { StoreParts } from './leased-chunks.ts';
import { uploadLost } from './room.ts';
import Database from 'better-sqlite3';
import { unavailable } from '../../../messages/problems.ts';
import { messageOf } from '../../../words.ts';

/** An upload is prolonged so many times before it would count as ended. */
const RENEWALS = 3;

/** The rows of a batch that arrive, one file for each chunk. A record names the upload, so that nothing of it stays when its process dies. */
export class ArrivingInput {
  readonly #id: string;
  readonly #options;
  readonly #prolonging: Loop;
  #chunks = 0;
  #bytes = 0;

  constructor(
    id: string,
    options: {
      readonly parts: StoreParts;
      /** Deletes the batch with this id, if there is one, and its folder. */
      readonly remove: (id: string) => Promise<void>;
      readonly onEnd: (input: ArrivingInput) => unknown;
    },
  ) {
    this.#id = id;
    this.#options = options;
    const everyMs = options.parts.leaseMs / RENEWALS;
    this.#prolonging = new Loop({
      everyMs,
      firstMs: everyMs,
      turn: () => {
        this.#prolong();
      },
      // The next attempt may succeed. Without any, the upload is given up.
      onFailure: () => undefined,
    });
  }

  /** Bytes that are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes the record, and then the folder, which would be deleted without it. */
  async begin(): Promise<void> {
    const { database, files, leaseMs, nowMs } = this.#options.parts;
    await onDisk(async () => {
      database.change(() =>
        database.db.prepare('INSERT INTO upload VALUES (?, 0, ?)').run(this.#id, nowMs() + leaseMs),
      );
      await files.begin(this.#id);
    });
  }

  /** Stores the rows of the next chunk; all but the last hold `ROWS_PER_CHUNK`. @throws AppError when there is no room. */
  async add(rows: readonly AskedRow[]): Promise<void> {
    const lines = Buffer.from(linesOf(rows));
    await onDisk(async () => {
      const chunk = { id: this.#id, index: this.#chunks++ };
      if (!(await this.#options.parts.files.writeRows(chunk, lines))) throw uploadLost();
      this.#bytes += lines.length;
      if (!this.#prolong()) throw uploadLost();
    });
  }

  /** Waits until all names of its files are on the disk. @throws AppError. */
  async settle(): Promise<void> {
    if (!(await onDisk(() => this.#options.parts.files.sync(this.#id)))) throw uploadLost();
  }

  /** Leaves nothing of it behind. */
  async discard(): Promise<void> {
    this.end();
    const { parts, remove } = this.#options;
    // The batch exists when only the end of `create` failed; its client was told that it does not.
    await remove(this.#id);
    await onDisk(() => parts.database.change(() => takeUpload(parts, this.#id)));
  }

  /** Prolongs it no more. */
  end(): void {
    this.#prolonging.stop();
    this.#options.onEnd(this);
  }

  /** Says that it still arrives. False when it was given up. @throws AppError when there is no room. */
  #prolong(): boolean {
    const { database, room, leaseMs, nowMs } = this.#options.parts;
    const update = database.db.prepare('UPDATE upload SET bytes = ?, lease_ends_ms = ? WHERE id = ?');
    const { changes } = update.run(this.#bytes, nowMs() + leaseMs, this.#id);
    room.checkUploads();
    return changes === 1;
  }
}

/** Forgets an upload. Returns false when it was given up before. */
export function takeUpload({ database }: Pick<StoreParts, 'database'>, id: string): boolean {
  return database.db.prepare('DELETE FROM upload WHERE id = ?').run(id).changes === 1;
}

/** The rows of a chunk as they are stored: NDJSON. */
function linesOf(rows: readonly AskedRow[]): string {
  if (rows.length > ROWS_PER_CHUNK) throw new Error(`a chunk holds ${ROWS_PER_CHUNK} rows, not ${rows.length}`);
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Reads what is stored of a chunk. */
export function rowsOfLines(text: string): readonly AskedRow[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AskedRow);
}

/** Codes of a disk that is full, broken, or mounted for reading. */
const DISK_FAULTS: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Does work on the disk. @throws AppError DB_ERROR with `Retry-After` when the disk fails; other errors as they are. */
export async function onDisk<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isDiskFault(cause)) throw cause;
    const isFull = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(codeOf(cause));
    const reason = isFull ? 'STORAGE_FULL' : 'STORAGE_UNREACHABLE';
    throw unavailable(reason, `batches cannot be stored: ${messageOf(cause)}`, { cause });
  }
}

function isDiskFault(cause: unknown): boolean {
  if (cause instanceof Database.SqliteError) return /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY)/.test(cause.code);
  return DISK_FAULTS.has(codeOf(cause));
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException | null)?.code ?? '';
}
