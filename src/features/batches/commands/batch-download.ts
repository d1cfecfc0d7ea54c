/** Downloading the results of a batch: a broken download goes on after the last whole row. */
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { moveIntoPlace } from '../../../core/files/replace.ts';
import { Transient } from '../../../core/outbound/failures.ts';
import { withRetries } from '../../../core/outbound/retry.ts';
import { writeOut } from './answer-file.ts';
import type { BatchServer } from './batch-server.ts';
import type { ResultFormat } from '../wire/batch.ts';

interface DownloadOptions {
  readonly id: string;
  readonly format: ResultFormat;
  /** Null: standard output. */
  readonly out: string | null;
  /** Rows that the results must have; null when the batch ended early: then there are as many as there are. */
  readonly rows: number | null;
  readonly onRow: (row: number) => void;
}

/** Gets the results of a batch, and returns how many rows they are; null for a format that does not tell. @throws Refused */
export async function download(server: BatchServer, options: DownloadOptions): Promise<number | null> {
  const { out, id, format } = options;
  if (out === null) return receive(server, options, writeOut);
  // Under its own name the file is whole.
  const part = `${out}.${id}.part`;
  const begun = isRowFormat(format) && existsSync(part) ? await wholeRowsIn(part, format) : { row: 0, bytes: 0 };
  const file = await open(part, 'a');
  let rows: number | null;
  try {
    await file.truncate(begun.bytes);
    const restart = (): Promise<void> => file.truncate(0);
    rows = await receive(server, options, (bytes) => file.appendFile(bytes), { row: begun.row, restart });
    await file.datasync();
  } finally {
    await file.close();
  }
  moveIntoPlace(part, out);
  return rows;
}

type Write = (bytes: Uint8Array) => Promise<void>;

/** @param row last row that is there already. @param restart takes back what was written; null where that cannot be. */
async function receive(
  server: BatchServer,
  options: DownloadOptions,
  write: Write,
  { row, restart }: { row: number; restart: (() => Promise<void>) | null } = { row: 0, restart: null },
): Promise<number | null> {
  const { format, id } = options;
  if (isRowFormat(format)) return receiveRows(server, { ...options, format }, { write, row });
  await withRetries(server.retries, async () => {
    await restart?.();
    let bytes = 0;
    try {
      for await (const chunk of await server.results(id, { format, after: 0 })) {
        bytes += chunk.length;
        await write(chunk);
      }
    } catch (cause) {
      if (restart !== null || bytes === 0) throw cause;
      throw new Error(`the download broke off, and ${format} cannot go on in the middle: use --out FILE`, { cause });
    }
  });
  return null;
}

async function receiveRows(
  server: BatchServer,
  { format, id, rows, onRow }: DownloadOptions & { readonly format: RowFormat },
  { write, row }: { readonly write: Write; readonly row: number },
): Promise<number> {
  const follower = new RowFollower(format, row);
  let tried = row;
  const hasProgressed = (): boolean => {
    const [before, now] = [tried, follower.row];
    tried = now;
    return now > before;
  };
  const attempt = async (): Promise<void> => {
    follower.restart();
    for await (const chunk of await server.results(id, { format, after: follower.row })) {
      await write(follower.take(chunk));
      onRow(follower.row);
    }
    follower.end();
    if (rows !== null && follower.row < rows) throw new Transient(`the results ended after row ${follower.row}`);
  };
  if (rows === null || row < rows) await withRetries(server.retries, attempt, hasProgressed);
  if (rows !== null && follower.row > rows)
    throw new Error(`the results have ${follower.row} rows, and the batch has ${rows}`);
  return follower.row;
}

function isRowFormat(format: ResultFormat): format is RowFormat {
  return rowFormats.some((one) => one === format);
}

/** Reads the whole rows that an earlier run has downloaded; none when something else is in the file. */
async function wholeRowsIn(path: string, format: RowFormat): Promise<{ readonly row: number; readonly bytes: number }> {
  const follower = new RowFollower(format);
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) bytes += follower.take(chunk as Buffer).length;
  } catch {
    // A power failure may leave anything behind: the download begins anew.
    return { row: 0, bytes: 0 };
  }
  // A header alone counts as nothing: it comes again.
  return follower.row === 0 ? { row: 0, bytes: 0 } : { row: follower.row, bytes };
}

// Follows the rows of a text of results while it arrives.

/** Formats of which a broken download can go on at a row. */
const rowFormats = ['ndjson', 'csv'] as const;
export type RowFormat = (typeof rowFormats)[number];

const LINE_END = 0x0a;
const QUOTE = 0x22;

/** Longest beginning of a row in which its number stands. */
const NUMBER_WITHIN = 32;

/**
 * Cuts a text of results into whole rows, and checks that no row is missing. The rows have their numbers in them, so a file of them says by itself
 * how far it is.
 */
export class RowFollower {
  /** Number of the last whole row. */
  row: number;
  readonly #format: RowFormat;
  #rest: Buffer = Buffer.alloc(0);
  /** Whether the next row is the first of a download, which a header may precede. */
  #isFirst = true;
  #hasHeader: boolean;

  /** `row`: the last one that is there already. */
  constructor(format: RowFormat, row = 0) {
    this.#format = format;
    this.row = row;
    this.#hasHeader = row > 0;
  }

  /** Gives the whole rows that have come. @throws Error when a row is missing or stands twice. */
  take(chunk: Uint8Array): Buffer {
    const text = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : Buffer.from(chunk);
    let wantedFrom = 0;
    let begin = 0;
    for (let end = this.#endOfRow(text, begin); end > 0; end = this.#endOfRow(text, begin)) {
      if (!this.#count(text.subarray(begin, end))) wantedFrom = end;
      begin = end;
    }
    this.#rest = text.subarray(begin);
    return text.subarray(wantedFrom, begin);
  }

  /** Forgets the beginning of a row: the next chunk begins one. */
  restart(): void {
    this.#rest = Buffer.alloc(0);
    this.#isFirst = true;
  }

  /** @throws Transient when the text ended in the middle of a row. */
  end(): void {
    if (this.#rest.length > 0) throw new Transient(`the results broke off in row ${this.row + 1}`);
  }

  /** Counts a row. False for a header that is there already. */
  #count(row: Buffer): boolean {
    const [number, isFirst] = [numberOf(row, this.#format), this.#isFirst];
    this.#isFirst = false;
    if (number === null && isFirst) {
      const isNew = !this.#hasHeader;
      this.#hasHeader = true;
      return isNew;
    }
    if (number !== this.row + 1) throw new Error(`the results have row ${number ?? '?'} after row ${this.row}`);
    this.row = number;
    return true;
  }

  /** Returns where the row ends that begins there; 0 when its end has not come yet. In CSV, a text in quotes may hold line ends. */
  #endOfRow(text: Buffer, begin: number): number {
    let isOpen = false;
    for (let from = begin; ;) {
      const end = text.indexOf(LINE_END, from) + 1;
      if (end === 0 || this.#format === 'ndjson') return end;
      if (quotesIn(text.subarray(from, end)) % 2 === 1) isOpen = !isOpen;
      if (!isOpen) return end;
      from = end;
    }
  }
}

function quotesIn(line: Buffer): number {
  let count = 0;
  for (let at = line.indexOf(QUOTE); at !== -1; at = line.indexOf(QUOTE, at + 1)) count++;
  return count;
}

/** Null for the header of CSV. */
function numberOf(row: Buffer, format: RowFormat): number | null {
  const beginning = row.toString('latin1', 0, NUMBER_WITHIN);
  const digits = (format === 'csv' ? /^(\d+),/ : /^\{"row":(\d+)[,}]/).exec(beginning)?.[1];
  if (digits !== undefined) return Number(digits);
  if (format === 'csv') return null;
  throw new Error('the results have a line that is no row');
}
