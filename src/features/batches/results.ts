/** The results of a batch: the lines that are stored of a chunk, and what a client downloads. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { counted, noRows, outcomes, type AnsweredRow } from './rows/row.ts';
import type { WriterOptions } from './rows/table.ts';
import { withAttribution } from '../../core/layers/describe-licences.ts';
import { parquetOf } from './rows/write-parquet.ts';
import { writerOf, type RowWriter } from './rows/writers.ts';
import { AppError, badRequest, problems, publicMembers } from '../../messages/problems.ts';
import type { BatchStore } from './batch-store.ts';
import { hash } from 'node:crypto';
import type { TriedRow } from './answer-rows.ts';
import { hasEnded, ROWS_PER_CHUNK, type BatchJob, type ChunkResult } from './job.ts';
import { gone } from './store/room.ts';
import { fail, type Failure, type Outcome } from '../../messages/outcome.ts';
import type { ResultFormat } from './wire/batch.ts';
import type { BatchRow } from './wire/batch-rows.ts';
import type { LimitReason } from '../../messages/reasons.ts';

/** Formats that a client may read while the batch runs, and from any row. The others begin or end with what is known at the end only. */
const inParts: readonly ResultFormat[] = ['ndjson', 'csv'];

/** UTF-16 units that are taken apart in one turn of the event loop, because single lookups wait meanwhile. */
const UNITS_PER_TURN = 1 << 14;

/** UTF-16 units that are given out together: 192 KiB at most, and the last row. */
const UNITS_TOGETHER = 1 << 16;

type ReadableStore = Pick<BatchStore, 'readyChunks' | 'readResult'>;

/**
 * Returns the results behind `afterRow` that can be read by now. The parts of NDJSON or CSV that a client gets one after another are, joined, the
 * same bytes as the whole at once: what stands before the first row (the header of CSV) and in it (the statements of the licences) comes without `afterRow` only.
 * Memory holds one chunk; for Parquet, one row group.
 * @throws AppError CONFLICT for a format that needs the end of the batch, BAD_REQUEST for one that is not read from a row on. The stream
 * throws what `BatchStore.readResult` throws.
 */
export function resultsStream(
  store: ReadableStore,
  job: BatchJob,
  {
    format,
    afterRow,
    catalogue,
    memberColumns = [],
    attribution,
  }: Pick<WriterOptions, 'catalogue' | 'memberColumns' | 'attribution'> & {
    readonly format: ResultFormat;
    /** Number of the last row that the client has; 0: none. */
    readonly afterRow: number;
  },
): AsyncIterable<string | Uint8Array> {
  if (!inParts.includes(format)) refuseParts(job, format, afterRow);
  const options: WriterOptions = { catalogue, memberColumns, attribution, withLookupIds: true };
  const texts = (units: number): AsyncGenerator<string> => storedText(store, job, { afterRow, units });
  if (format === 'ndjson') return ndjsonOf(texts(UNITS_TOGETHER), afterRow === 0 ? attribution : null);
  const rows = rowsOf(texts(UNITS_PER_TURN));
  return format === 'parquet' ? parquetOf(rows, options) : textOf(rows, writerOf(format, options), afterRow === 0);
}

function refuseParts(job: BatchJob, format: ResultFormat, afterRow: number): void {
  if (!hasEnded(job)) {
    const detail = `the batch is ${job.state}, and ${format} is complete at its end only: wait, or ask for ${inParts.join(' or ')}`;
    throw new AppError('CONFLICT', detail);
  }
  if (afterRow > 0) {
    throw badRequest(`${format} has no parts: leave out "after", or ask for ${inParts.join(' or ')}`, {
      param: 'after',
    });
  }
}

/** Yields whole lines, piece by piece, each in a turn of its own. @param units about how long each piece is, in UTF-16 units. */
async function* storedText(
  store: ReadableStore,
  job: BatchJob,
  { afterRow, units }: { afterRow: number; units: number },
): AsyncGenerator<string> {
  const ready = await store.readyChunks(job);
  // They were deleted since the job was read: nothing must look like all.
  if (ready === 0 && hasEnded(job) && outcomes.some((outcome) => job.counts[outcome] > 0)) throw gone();
  let skipped = afterRow % ROWS_PER_CHUNK;
  for (let index = Math.floor(afterRow / ROWS_PER_CHUNK); index < ready; index++) {
    const text = await store.readResult(job, index);
    let begin = endOfLines(text, skipped);
    skipped = 0;
    while (begin < text.length) {
      const end = text.indexOf('\n', begin + units) + 1 || text.length;
      yield text.slice(begin, end);
      begin = end;
      await nextTurn();
    }
  }
}

/** Returns where the first lines end. */
function endOfLines(text: string, count: number): number {
  let end = 0;
  for (let line = 0; line < count; line++) end = text.indexOf('\n', end) + 1 || text.length;
  return end;
}

async function* ndjsonOf(texts: AsyncIterable<string>, attribution: readonly string[] | null): AsyncGenerator<string> {
  let missing = attribution;
  for await (const text of texts) {
    const end = missing ? text.indexOf('\n') + 1 : 0;
    yield missing ? withAttribution(text.slice(0, end), missing) + text.slice(end) : text;
    missing = null;
  }
}

async function* rowsOf(texts: AsyncIterable<string>): AsyncGenerator<AnsweredRow> {
  for await (const text of texts) {
    for (const line of text.split('\n')) if (line !== '') yield rowOfLine(line);
  }
}

async function* textOf(
  rows: AsyncIterable<AnsweredRow>,
  { head, foot, row }: RowWriter,
  withHead: boolean,
): AsyncGenerator<string> {
  let text = withHead ? head : '';
  for await (const one of rows) {
    text += row(one);
    if (text.length < UNITS_TOGETHER) continue;
    yield text;
    text = '';
  }
  if (text + foot !== '') yield text + foot;
}

/** Stands before the last member of a line. In a text of JSON its quotes would be escaped. */
const BODY = ',"body":';

/** Reads a line of a chunk's result (`ChunkResult.text`). The body of an answer stays the text that it is. */
export function rowOfLine(line: string): AnsweredRow {
  const at = line.indexOf(BODY);
  const head = JSON.parse(`${line.slice(0, at)}}`) as Pick<BatchRow, 'row' | 'custom_id' | 'code' | 'lookupId'>;
  const { row, custom_id: customId, code, lookupId } = head;
  const body = line.slice(at + BODY.length, line.lastIndexOf('}'));
  if (code === null) return { row, customId, lookupId, answer: { ok: true, value: body } };
  const { detail = problems[code].title, ...extras } = JSON.parse(body) as { readonly detail?: string };
  return { row, customId, lookupId, answer: fail(code, detail, extras) };
}

interface AnsweredLine {
  readonly row: number;
  readonly customId: string | null;
  /** Empty unless the row has 200. */
  readonly lookupId: string;
  /** The answer without its text, which is in the line. */
  readonly outcome: Outcome<null>;
  readonly line: readonly Uint8Array[];
}

/** The answers of a chunk, as lines of its result in parts. */
export class ChunkAnswers {
  readonly #batchId: string;
  readonly #lines: AnsweredLine[] = [];
  readonly #faults: Error[] = [];

  constructor(batchId: string) {
    this.#batchId = batchId;
  }

  /** Takes the answers that are stored (`ChunkResult.text`) as they are. */
  static stored(batchId: string, text: string): ChunkAnswers {
    const answers = new ChunkAnswers(batchId);
    for (const stored of text.trimEnd().split('\n')) {
      const { row, customId, lookupId, answer } = rowOfLine(stored);
      const outcome: Outcome<null> = answer.ok ? { ok: true, value: null } : answer;
      answers.#lines.push({ row, customId, lookupId: lookupId ?? '', outcome, line: [Buffer.from(`${stored}\n`)] });
    }
    return answers;
  }

  add(tried: TriedRow): void {
    const { row, customId, answer, fault } = tried;
    const lookupId = answer.ok ? rowLookupId(this.#batchId, row) : '';
    const line = rowLine(tried, lookupId);
    this.#lines.push({ row, customId, lookupId, line, outcome: answer.ok ? { ok: true, value: null } : answer });
    if (fault) this.#faults.push(fault);
  }

  /** Failures of the service. */
  get faults(): readonly Error[] {
    return this.#faults;
  }

  /** Ids of the rows with 200. */
  get lookupIds(): string[] {
    return this.#lines.filter(({ outcome }) => outcome.ok).map(({ lookupId }) => lookupId);
  }

  /** The result, in which the lookups `beyond` the budget are refused, and the ids of those that are billed. */
  resultWithout(beyond: ReadonlySet<string>, refusal: () => string): ChunkResult & { readonly ids: readonly string[] } {
    const ids: string[] = [];
    const parts: Uint8Array[] = [];
    let counts = noRows;
    for (const one of this.#lines) {
      const { lookupId, line } = one;
      const refused = beyond.has(lookupId)
        ? fail('RATE_LIMITED', refusal(), { reason: 'PER_MONTH' satisfies LimitReason })
        : null;
      const outcome = refused ?? one.outcome;
      if (outcome.ok) ids.push(lookupId);
      parts.push(...(refused ? refusedLine(one, refused) : line));
      counts = counted(counts, outcome);
    }
    return { text: Buffer.concat(parts), counts, ids };
  }
}

function refusedLine({ row, customId, lookupId }: AnsweredLine, answer: Failure): readonly Uint8Array[] {
  return rowLine({ row, customId, answer }, lookupId);
}

/** Digits of the time in a batch's id, behind `bat_`. */
const TIME_DIGITS = 12;
const HASH_DIGITS = 20;

/**
 * Returns the id of the lookup that a row is: `lkp_`, the batch's time as in its id, and 20 digits of the SHA-256 of batch and row. A row that is
 * answered twice has the same id both times, so that it is billed once.
 */
export function rowLookupId(batchId: string, row: number): string {
  const time = batchId.slice('bat_'.length, 'bat_'.length + TIME_DIGITS);
  return `lkp_${time}${hash('sha256', `${batchId}:${row}`).slice(0, HASH_DIGITS)}`;
}

const END = Buffer.from('}\n');

/** Returns the parts of a row's line in the results: NDJSON in UTF-8, with its line end. `lookupId` is that of a row with 200. */
function rowLine({ row, customId, answer }: Omit<TriedRow, 'fault'>, lookupId: string): readonly Uint8Array[] {
  const head = `{"row":${row},"custom_id":${JSON.stringify(customId)}`;
  if (answer.ok) {
    return [Buffer.from(`${head},"status":200,"code":null,"lookupId":"${lookupId}","body":`), answer.value, END];
  }
  const { status } = problems[answer.code];
  const line = `${head},"status":${status},"code":"${answer.code}","lookupId":null,"body":${JSON.stringify(publicMembers(answer))}`;
  return [Buffer.from(line), END];
}
