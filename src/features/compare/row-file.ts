/** Results of a batch as they are in a file: one row a line, which is parsed only where it must be. */
import { open, type FileHandle } from 'node:fs/promises';
import { messageOf } from '../../words.ts';
import { AnswerReader, answerTextIn, type AnswerText } from './answer-text.ts';
import { keptAnswerOf, type KeptAnswer } from './kept-answer.ts';

const READ_BYTES = 1 << 20;

/** Longest line in bytes. A row with a full answer has some ten thousand. */
const MOST_LINE_BYTES = 4 << 20;

const [LF, CR] = [0x0a, 0x0d];

/** The byte order mark that some programs write before a text. */
const MARK = Buffer.from('\uFEFF');

const STATUS = Buffer.from(',"status":');

/** A status as batches write it: another spelling of a number could be taken for another status. */
const WRITTEN_STATUS = /^ ?(\d{3})[,}]/;

const BODY = Buffer.from('"body":');

/** A brace. */
const CLOSED = 0x7d;

/** A line, and where it is. */
export interface RowLine {
  /** Identifies the row: by its `custom_id` if it has one, else by its number. */
  readonly key: string;
  readonly row: number;
  readonly customId: string | null;
  readonly status: number;
  /** As the file has it, until the next row is read. */
  readonly line: Buffer;
  readonly start: number;
}

export type LinePlace = Pick<RowLine, 'start'> & { readonly length: number };

/** A row with its answer; null: it has none. */
export interface ReadRow extends Pick<RowLine, 'row' | 'customId' | 'status'> {
  readonly code: string | null;
  readonly answer: KeptAnswer | null;
}

export class RowFile implements AsyncDisposable {
  readonly name: string;
  readonly #file: FileHandle;
  readonly #answers = new AnswerReader('/body');

  private constructor(name: string, file: FileHandle) {
    this.name = name;
    this.#file = file;
  }

  static async open(name: string): Promise<RowFile> {
    return new RowFile(name, await open(name, 'r'));
  }

  /** Holds a part of the file, in which the longest line has room. @throws Error that names the line for what is no result. */
  async *rows(): AsyncGenerator<RowLine> {
    let buffer = Buffer.allocUnsafe(READ_BYTES);
    let [start, held, number, isEmpty] = [0, 0, 1, true];
    for (;;) {
      const { bytesRead } = await this.#file.read(buffer, held, buffer.length - held, start + held);
      held += bytesRead;
      const text = buffer.subarray(0, held);
      let from = start === 0 ? beginOf(text) : 0;
      for (let end = text.indexOf(LF); end !== -1; end = text.indexOf(LF, from)) {
        if (!isBlank(text, from, end)) yield this.#head(text.subarray(from, end), start + from, number);
        isEmpty &&= isBlank(text, from, end);
        from = end + 1;
        number++;
      }
      if (held - from > MOST_LINE_BYTES) throw this.#fault(number, 'is too long for a result of a batch');
      if (bytesRead === 0) {
        if (held > from) yield this.#head(text.subarray(from), start + from, number);
        else if (isEmpty) throw new Error(`${this.name} is empty: a batch has a result for each of its rows`);
        return;
      }
      const next = from === 0 && held === buffer.length ? Buffer.allocUnsafe(2 * held) : buffer;
      held = buffer.copy(next, 0, from, held);
      buffer = next;
      start += from;
    }
  }

  /** Reads a line again. */
  async at({ start, length }: LinePlace): Promise<RowLine> {
    const { buffer } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, start);
    return this.#head(buffer, start, null);
  }

  /** Reads a part of a row's answer. @throws SyntaxError for one that must be read whole; otherwise as `read`. */
  readPart({ row }: RowLine, ...part: Parameters<AnswerReader['read']>): KeptAnswer {
    try {
      return this.#answers.read(...part);
    } catch (cause) {
      throw cause instanceof SyntaxError
        ? cause
        : new Error(`${this.name}: row ${row}: ${messageOf(cause)}`, { cause });
    }
  }

  /** @throws Error that names what cannot be understood. */
  read({ line, row, customId, status }: RowLine): ReadRow {
    try {
      const { code = null, body } = JSON.parse(line.toString()) as { code?: string | null; body?: unknown };
      return { row, customId, status, code, answer: status === 200 ? keptAnswerOf(body, '/body') : null };
    } catch (cause) {
      const words = cause instanceof SyntaxError ? 'is no JSON, as if it were cut off' : messageOf(cause);
      throw new Error(`${this.name}: row ${row}: ${words}`, { cause });
    }
  }

  #head(line: Buffer, start: number, number: number | null): RowLine {
    const at = line.indexOf(STATUS);
    // A name or a text cannot hold these characters without a backslash among them.
    const head = at === -1 ? null : parsed(line.subarray(0, at), '}');
    const { row, custom_id: customId = null } = (head ?? {}) as Partial<Record<'row' | 'custom_id', unknown>>;
    const from = at + STATUS.length;
    const status = Number(WRITTEN_STATUS.exec(line.toString('latin1', from, from + 8))?.[1]);
    const isNamed = customId === null || typeof customId === 'string';
    if (at !== -1 && typeof row === 'number' && isNamed && !Number.isNaN(status))
      return { key: customId === null ? `${row}` : `"${customId}`, row, customId, status, line, start };
    throw this.#fault(
      number,
      'is no result of a batch: each line is a JSON object with "row", "custom_id", "status" and "body"',
    );
  }

  #fault(number: number | null, words: string): Error {
    return new Error(`${this.name}: line ${number ?? ''} ${words}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** The text of a row's answer; null where a batch would write it otherwise. */
export function answerIn({ line, status }: RowLine): AnswerText | null {
  const body = line.indexOf(BODY);
  const isWhole = status === 200 && body !== -1 && line.at(-1) === CLOSED;
  return isWhole ? answerTextIn(line.toString('utf8', body + BODY.length, line.length - 1)) : null;
}

function isBlank(text: Buffer, from: number, end: number): boolean {
  return end === from || (end === from + 1 && text[from] === CR);
}

/** Where the first line begins. */
function beginOf(text: Buffer): number {
  return text.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
}

function parsed(text: Buffer | string, end = ''): unknown {
  try {
    return JSON.parse(text.toString() + end);
  } catch {
    return undefined;
  }
}
