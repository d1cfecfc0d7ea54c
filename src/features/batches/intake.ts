import { MOST_UPLOAD_BYTES } from '../../core/http/slow-clients.ts';
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readRows, type RowsFormat } from './rows/read-rows.ts';
import type { AskedRow } from './rows/row.ts';
import type { ReadArea } from '../../messages/lookup.ts';
import { AppError, badRequest } from '../../messages/problems.ts';
import type { SizeReason } from '../../messages/reasons.ts';
import { ROWS_PER_CHUNK } from './job.ts';
import type { ArrivingInput } from './store/arriving-input.ts';

/** Most rows of a batch. */
const MOST_ROWS = 1_000_000;
/** Most bytes of an upload, decompressed. */
export const MOST_BYTES = MOST_UPLOAD_BYTES;

/** Most bytes of the rows of one chunk, which are in memory together. */
const MOST_CHUNK_BYTES = 32_000_000;

/** Most lines that say nothing: those of a whole sheet of Excel. */
const MOST_BLANK_LINES = 1_048_576;

/** Most bytes that are read without a row. */
const MOST_BYTES_WITHOUT_ROW = 64_000_000;

/** Most names of columns that are told as not used, and most letters of each. */
const MOST_IGNORED = 20;
const MOST_NAME_LETTERS = 100;

export interface IntakeOptions {
  readonly format: RowsFormat;
  readonly isGzip: boolean;
  /** Columns that make the address together. */
  readonly addressColumns?: readonly string[] | undefined;
  /** As in `ReadOptions`. */
  readonly readArea?: ReadArea | null;
  readonly input: Pick<ArrivingInput, 'add'>;
  readonly mostBytes?: number;
  readonly mostRows?: number;
  readonly mostBlankLines?: number;
  readonly mostBytesWithoutRow?: number;
  /** Is told of bytes that are read, decompressed, whatever becomes of them. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Stores the rows of an upload as they arrive, with memory for one chunk of them. A bad row is stored as one.
 * @throws AppError BAD_REQUEST that names the place when it cannot be a batch, TOO_LARGE, and what the store throws.
 */
export async function takeIn(
  source: AsyncIterable<Uint8Array>,
  options: IntakeOptions,
): Promise<{
  readonly rows: number;
  /** Decompressed. */
  readonly bytes: number;
  /** Of the decompressed bytes, in hexadecimal digits. */
  readonly sha256: string;
  /** Names of columns and members that were not used: the first, and of each its beginning. */
  readonly ignoredColumns: readonly string[];
}> {
  const { format, isGzip, addressColumns, readArea, input, mostRows = MOST_ROWS } = options;
  const measured = new MeasuredText(isGzip ? decompressed(source) : source, options);
  const chunk = new ChunkOfRows(input, measured);
  const ignoredColumns: string[] = [];
  const onIgnored = (name: string): void => {
    if (ignoredColumns.length < MOST_IGNORED) ignoredColumns.push(name.slice(0, MOST_NAME_LETTERS));
  };
  let count = 0;
  try {
    const reading = { onIgnored, onBlank: blankLines(options), addressColumns, readArea };
    for await (const row of readRows(measured, format, reading)) {
      if (++count > mostRows) throw tooLarge('TOO_MANY_ROWS', `a batch has at most ${mostRows} rows: split the file`);
      measured.noteRow();
      await chunk.add(row, count);
    }
    await chunk.store();
  } catch (cause) {
    throw refusalOf(cause);
  }
  return { rows: count, bytes: measured.bytes, sha256: measured.sha256, ignoredColumns };
}

/** Returns what counts lines that say nothing. It throws AppError TOO_LARGE when they are too many. */
function blankLines({ mostBlankLines = MOST_BLANK_LINES }: IntakeOptions): () => void {
  let count = 0;
  return () => {
    if (++count > mostBlankLines)
      throw tooLarge('TOO_MANY_ROWS', `the file has more than ${mostBlankLines} empty lines: leave them out`);
  };
}

/** Rows that are stored together. */
class ChunkOfRows {
  readonly #input: IntakeOptions['input'];
  readonly #measured: MeasuredText;
  #rows: AskedRow[] = [];
  #startBytes = 0;

  constructor(input: IntakeOptions['input'], measured: MeasuredText) {
    this.#input = input;
    this.#measured = measured;
  }

  async add(row: AskedRow, number: number): Promise<void> {
    this.#rows.push(row);
    if (this.#measured.bytes - this.#startBytes > MOST_CHUNK_BYTES) {
      throw tooLarge(
        'BODY_TOO_LARGE',
        `rows ${number - this.#rows.length + 1} to ${number} have more than ${MOST_CHUNK_BYTES / 1e6} MB together: send areas with fewer vertices, or fewer rows`,
      );
    }
    if (this.#rows.length === ROWS_PER_CHUNK) await this.store();
  }

  async store(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#startBytes = this.#measured.bytes;
    if (rows.length > 0) await this.#input.add(rows);
  }
}

type Measures = Pick<IntakeOptions, 'mostBytes' | 'mostBytesWithoutRow' | 'onBytes'>;

/** Counts and hashes the bytes that pass. @throws AppError TOO_LARGE when they are too many, in all or without a row. */
class MeasuredText implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterable<Uint8Array>;
  readonly #options: Measures;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  #bytesAtRow = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, options: Measures) {
    this.#chunks = chunks;
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Notes that what has passed made a row. */
  noteRow(): void {
    this.#bytesAtRow = this.#bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { mostBytes = MOST_BYTES, mostBytesWithoutRow = MOST_BYTES_WITHOUT_ROW, onBytes } = this.#options;
    for await (const chunk of this.#chunks) {
      this.#bytes += chunk.length;
      onBytes?.(chunk.length);
      if (this.#bytes > mostBytes) throw fileTooLarge(mostBytes);
      if (this.#bytes - this.#bytesAtRow > mostBytesWithoutRow) {
        const detail = `the file has more than ${mostBytesWithoutRow / 1e6} MB without a row: leave them out`;
        throw tooLarge('BODY_TOO_LARGE', detail);
      }
      this.#hash.update(chunk);
      yield chunk;
    }
  }
}

export function fileTooLarge(mostBytes: number): AppError {
  return tooLarge('BODY_TOO_LARGE', `the file has more than ${mostBytes / 1e6} MB, decompressed: split it`);
}

function tooLarge(reason: SizeReason, detail: string): AppError {
  return new AppError('TOO_LARGE', detail, { extras: { reason } });
}

/** The source is left as it is when the reader stops, so that the client can still be answered. */
async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // Its failure also ends the iteration.
  pipeline(Readable.from(source, { objectMode: false }), gunzip).catch(() => undefined);
  yield* gunzip as AsyncIterable<Buffer>;
}

/** Converts what reading throws. */
function refusalOf(cause: unknown): unknown {
  if (cause instanceof AppError || !(cause instanceof Error)) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  if (code.startsWith('Z_')) {
    return badRequest(`the body is no complete gzip: ${cause.message}`, { reason: 'BODY_INCOMPLETE', cause });
  }
  return code === 'ECONNRESET' ? badRequest('the body ended early', { reason: 'BODY_INCOMPLETE', cause }) : cause;
}
