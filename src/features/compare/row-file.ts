/** Results of a batch as they are in a file: one row a line, which is parsed only where it must be. */
import { open, type FileHandle } from 'node:fs/promises';
import { keptAnswerOf, type KeptAnswer } from './kept-answer.ts';

const READ_BYTES = 1 << 20;

/** Longest line in bytes. A row with a full answer has some ten thousand. */
const MOST_LINE_BYTES = 4 << 20;

const LF = 0x0a;
const STATUS = Buffer.from(',"status":');

/** Begins what an answer rests on, in the text of its row. */
export const SNAPSHOT = ',"snapshot":';

/** Of an answer and its row. */
const END = '}}';

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
  /** What the last answer that was read rests on, which is the same in all rows of a batch, and its text. */
  #restsOn: { readonly snapshot: KeptAnswer['snapshot']; readonly text: Buffer } | null = null;

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
    let [start, held, number] = [0, 0, 1];
    for (;;) {
      const { bytesRead } = await this.#file.read(buffer, held, buffer.length - held, start + held);
      held += bytesRead;
      const text = buffer.subarray(0, held);
      let from = 0;
      for (let end = text.indexOf(LF); end !== -1; end = text.indexOf(LF, from)) {
        if (end > from) yield this.#head(text.subarray(from, end), start + from, number);
        from = end + 1;
        number++;
      }
      if (held - from > MOST_LINE_BYTES) throw this.#fault(number, 'is too long for a result of a batch');
      if (bytesRead === 0) {
        if (held > from) yield this.#head(text.subarray(from), start + from, number);
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

  /**
   * Reads the answer of a row. @param part in place of the answer: a part of it, without what it rests on, which is the same as in the last one.
   * @throws Error that names what cannot be understood.
   */
  read({ line, row, customId, status }: RowLine, part?: string): ReadRow {
    const { code = null, body } = (
      part === undefined ? parsed(line) : { body: { ...(parsed(part) as object), snapshot: this.#restsOn?.snapshot } }
    ) as { readonly code?: string | null; readonly body?: unknown };
    if (status !== 200) return { row, customId, status, code, answer: null };
    try {
      const answer = keptAnswerOf(body, '/body');
      const { snapshot } = answer;
      if (part === undefined) this.#restsOn = { snapshot, text: Buffer.from(`${SNAPSHOT}${JSON.stringify(snapshot)}`) };
      return { row, customId, status, code, answer };
    } catch (cause) {
      throw new Error(`${this.name}: row ${row}: ${(cause as Error).message}`, { cause });
    }
  }

  /** Whether the last answer that was read has the same text from this place of the line on: nothing of what it rests on is unknown then. */
  restsAsRead(line: Buffer, from: number): boolean {
    const text = this.#restsOn?.text;
    const end = from + (text?.length ?? 0);
    return text?.compare(line, from, end) === 0 && line.toString('latin1', line.length - END.length) === END;
  }

  #head(line: Buffer, start: number, number: number | null): RowLine {
    const at = line.indexOf(STATUS);
    // A name or a text cannot hold these characters without a backslash among them.
    const head = at === -1 ? null : parsed(line.subarray(0, at), '}');
    const { row, custom_id: customId = null } = (head ?? {}) as Partial<Record<'row' | 'custom_id', unknown>>;
    const status = Number.parseInt(line.toString('latin1', at + STATUS.length, at + STATUS.length + 4), 10);
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

function parsed(text: Buffer | string, end = ''): unknown {
  try {
    return JSON.parse(text.toString() + end);
  } catch {
    return undefined;
  }
}
