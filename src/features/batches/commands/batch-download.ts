/** Downloading the results of a batch: a broken download goes on after the last whole row. */
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { moveIntoPlace } from '../../../core/files/replace.ts';
import { Transient } from '../../../core/outbound/failures.ts';
import { withRetries } from '../../../core/outbound/retry.ts';
import { writeOut } from './answer-sink.ts';
import { RowFollower, rowFormats, type RowFormat } from './batch-rows.ts';
import type { BatchServer, ResultFormat } from './batch-server.ts';

export interface DownloadOptions {
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

interface Begun {
  /** Last row that is there already. */
  readonly row: number;
  /** Takes back what was written; null where that cannot be. */
  readonly restart: (() => Promise<void>) | null;
}

async function receive(
  server: BatchServer,
  options: DownloadOptions,
  write: Write,
  { row, restart }: Begun = { row: 0, restart: null },
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
