/** `land-lookup batch run`: from a file to its results, over whatever interrupts. */
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { hasEnded } from '../job.ts';
import { noRows, type OutcomeCounts } from '../rows/row.ts';
import { formatOfName, type RowsFormat } from '../rows/read-rows.ts';
import type { BatchBody, ResultFormat } from '../wire/batch.ts';
import { download } from './batch-download.ts';
import { Refused } from '../../../core/outbound/failures.ts';
import type { BatchServer } from './batch-server.ts';

import { BatchStateFile, stateOf } from './batch-state.ts';
import { countsOf, endTold, rowsSummary } from './words.ts';
import { isSameFile } from './places-file.ts';
import { requireFile } from '../../../core/files/require-file.ts';
import { ProgressDisplay } from '../../../core/terminal/progress-display.ts';
import { grouped } from '../../../words.ts';

interface RunOptions extends Pick<
  Parameters<BatchServer['create']>[0],
  'detail' | 'layers' | 'addressColumns' | 'vintage'
> {
  /** Null: the results of `resume` are wanted. */
  readonly file: string | null;
  /** A batch that exists already. */
  readonly resume: string | null;
  readonly url: string;
  readonly format: ResultFormat;
  /** Null: standard output. */
  readonly out: string | null;
}

/** Exit code for a batch that ended before all its rows were answered. */
const ENDED_EARLY = 2;

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1000;

/** Runs a batch to its end, and gets its results. Returns the exit code. @throws Error; AbortError when it is interrupted. */
export async function runBatch(server: BatchServer, options: RunOptions, stop: AbortSignal): Promise<number> {
  const { file, resume } = options;
  refuseUnfit(options);
  if (file !== null) requireFile(file);
  if (resume !== null) return finishBatch(server, resume, { ...options, before: null }, stop);
  await using run = await BatchStateFile.open(file!, options);
  const isNew = run.state.batch === null;
  const id = run.state.batch ?? (await submit(server, file!, options, run));
  if (!isNew) console.error(`going on with batch ${id}, which ${stateOf(file!)} remembers`);
  try {
    const exitCode = await finishBatch(server, id, { ...options, before: isNew ? noRows : null }, stop);
    await run.finish();
    return exitCode;
  } catch (cause) {
    if (!isGone(cause)) throw cause;
    throw new Error(`batch ${id} or its results are gone: remove ${stateOf(file!)} to send the file anew`, { cause });
  }
}

/** Sends the file, and says the id of its batch at once. */
async function submit(
  server: BatchServer,
  file: string,
  { detail, layers, addressColumns, vintage }: RunOptions,
  run: BatchStateFile,
): Promise<string> {
  const { size } = await stat(file);
  const display = new ProgressDisplay(process.stderr);
  const name = `sending ${basename(file)}`;
  const told = async function* (chunks: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
    let done = 0;
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      yield chunk;
      done += chunk.length;
      if (done < size) display.show({ kind: 'rows', name, unit: 'bytes', done, total: size });
    }
  };
  const sending = server.create({
    ...{ contentType: contentTypes[await formatOf(file)], detail, layers, addressColumns, vintage },
    idempotencyKey: run.state.idempotencyKey,
    // A file that cannot be read to its end breaks the upload off, which the server takes for no file at all.
    body: () => pipeline(Readable.from(told(createReadStream(file))), createGzip(), () => undefined),
  });
  const { id, rows } = await sending.catch(async (cause: unknown) => {
    // The server has made no batch of it, so nothing is to be remembered.
    if (cause instanceof Refused) await run.finish();
    throw cause;
  });
  display.end();
  await run.accepted(id);
  console.error(`batch ${id} of ${grouped(rows.total)} rows`);
  return id;
}

/** Waits for the end of a batch, gets its results, and sums them up. Returns the exit code. */
async function finishBatch(
  server: BatchServer,
  id: string,
  {
    before,
    format,
    out,
  }: RunOptions & {
    /** Rows that were answered before this run; null: however many the server says first. */
    readonly before: OutcomeCounts | null;
  },
  stop: AbortSignal,
): Promise<number> {
  const startMs = performance.now();
  const first = await server.find(id);
  const ended = await waitForEnd(server, first, stop);
  const seconds = (performance.now() - startMs) / 1000;
  const isComplete = ended.state === 'completed';
  if (ended.state !== 'expired') {
    const display = new ProgressDisplay(process.stderr);
    const total = isComplete ? ended.rows.total : null;
    const onRow = (done: number): void => {
      if (done !== total) display.show({ kind: 'rows', name: 'results', unit: 'rows', done, total: ended.rows.total });
    };
    const rows = await download(server, { id, format, out, rows: total, onRow });
    display.end();
    if (!isComplete && rows !== null) console.error(`results of ${grouped(rows)} rows`);
  }
  console.error(rowsSummary(countsOf(ended), { before: before ?? countsOf(first), seconds }));
  if (isComplete) return 0;
  console.error(endTold(ended));
  return ENDED_EARLY;
}

async function waitForEnd(server: BatchServer, first: BatchBody, stop: AbortSignal): Promise<BatchBody> {
  const display = new ProgressDisplay(process.stderr);
  const { done: found, total } = first.rows;
  let batch = first;
  for (let waitMs = FIRST_POLL_MS; !hasEnded(batch); waitMs = Math.min(waitMs * 1.5, LONGEST_POLL_MS)) {
    const { state, rows } = batch;
    if (rows.done < total) display.show({ kind: 'rows', name: state, unit: 'rows', done: rows.done, total, found });
    await sleep(waitMs, undefined, { signal: stop });
    batch = await server.find(batch.id);
  }
  display.end();
  return batch;
}

/** @throws Error when the options do not go together. */
function refuseUnfit({ file, resume, out, format }: RunOptions): void {
  if ((file === null) === (resume === null)) throw new Error('give a FILE, or --resume BATCH_ID');
  if (file === '-') throw new Error('a batch needs a file that can be read again: standard input cannot');
  if (file !== null && out !== null && isSameFile(file, out)) throw new Error('--out must be another file than FILE');
  if (out === null && format === 'parquet') throw new Error('--format parquet needs --out FILE');
  if (out !== null) requireWritable(out);
}

/** Before the batch costs anything. @throws Error when its results could not be put there. */
function requireWritable(out: string): void {
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Error(`--out ${out} is a folder: name a file`);
  // The slash: what is above must be a folder.
  accessSync(`${dirname(out)}/`, constants.W_OK);
}

const contentTypes: Readonly<Record<RowsFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** The ending of the name says the format, otherwise the first character does, as in `lookup --file`. */
async function formatOf(file: string): Promise<RowsFormat> {
  const named = formatOfName(file);
  if (named) return named;
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const text = (chunk as string).replace(/^\ufeff/, '').trimStart();
    if (text !== '') return text.startsWith('{') ? 'ndjson' : 'csv';
  }
  return 'csv';
}

function isGone(cause: unknown): boolean {
  return cause instanceof Refused && (cause.code === 404 || cause.code === 410);
}
