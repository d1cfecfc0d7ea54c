/** Results of a batch as they are in a file: one row a line, which is parsed only where it must be. */
import { open, type FileHandle } from 'node:fs/promises';
import { Type } from 'typebox';
import { requireFile } from '../../core/files/require-file.ts';
import { validatorOf } from '../../project/validators.ts';
import { nullable } from '../../schema.ts';
import { messageOf } from '../../words.ts';
import { answerOf, answerTextIn, unlessRefused, type AnswerText } from './answer-text.ts';
import { keptAnswerOf, type KeptAnswer } from './kept-answer.ts';

const READ_BYTES = 1 << 18;

/** Longest line in bytes. A row with a full answer has some ten thousand. */
const MOST_LINE_BYTES = 4 << 20;

const LF = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);

/** What a row begins with. A name or a text cannot hold this without a backslash among its characters. */
const HEAD = /^.*?, ?"status": ?\d{3}(?=[,}])/s;

const isHead = validatorOf<{ readonly row: number; readonly custom_id?: string | null; readonly status: number }>(
  Type.Object({
    row: Type.Number(),
    custom_id: Type.Optional(nullable(Type.String())),
    status: Type.Integer({ minimum: 100, maximum: 599 }),
  }),
);

const BODY = '"body":';

/** A line of a file. */
export interface RowLine {
  /** Identifies the row: by its `custom_id` if it has one, else by its number. */
  readonly key: string;
  readonly row: number;
  readonly customId: string | null;
  readonly status: number;
  readonly text: string;
  readonly place: LinePlace;
}

/** Where a line is, in bytes, and its number. */
interface LinePlace {
  readonly start: number;
  readonly length: number;
  readonly number: number;
}

/** What became of the question of a row. Null: it has no code, or no answer. */
export interface Outcome extends Pick<RowLine, 'status'> {
  readonly code: string | null;
  readonly answer: KeptAnswer | null;
}

export class RowFile implements AsyncDisposable {
  readonly name: string;
  readonly #file: FileHandle;

  private constructor(name: string, file: FileHandle) {
    this.name = name;
    this.#file = file;
  }

  /** @throws Error for what cannot be opened, or read at any place. */
  static async open(name: string): Promise<RowFile> {
    requireFile(name);
    return new RowFile(name, await open(name, 'r'));
  }

  /** Holds a part of the file, in which the longest line has room. @throws Error that names the line for what is no result. */
  async *rows(): AsyncGenerator<RowLine> {
    let [start, number, isEmpty] = [0, 1, true];
    let begun = NOTHING;
    for await (const chunk of this.#file.createReadStream({ start, highWaterMark: READ_BYTES, autoClose: false })) {
      const bytes = chunk as Buffer;
      let from = 0;
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from), number++) {
        const rest = bytes.subarray(from, end);
        const line = begun.length === 0 ? rest : Buffer.concat([begun, rest]);
        const row = this.#rowIn(line, start, number);
        begun = NOTHING;
        start += line.length + 1;
        from = end + 1;
        if (row === null) continue;
        isEmpty = false;
        yield row;
      }
      begun = Buffer.concat([begun, bytes.subarray(from)]);
      if (begun.length > MOST_LINE_BYTES) throw this.#fault(number, 'is too long for a result of a batch');
    }
    const last = this.#rowIn(begun, start, number);
    if (last) yield last;
    else if (isEmpty) throw new Error(`${this.name} is empty: a batch has a result for each of its rows`);
  }

  /** Reads a line again. */
  async at({ start, length, number }: LinePlace): Promise<RowLine> {
    const { buffer } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, start);
    return this.#rowIn(buffer, start, number)!;
  }

  /** @param written the text of its answer. @throws Error that names the file, the row and what cannot be understood. */
  read(line: RowLine, written = answerIn(line)): Outcome {
    const { text, row, status } = line;
    try {
      const answer = written && unlessRefused(() => answerOf(written, '/body'));
      if (answer) return { status, code: null, answer };
      const { code = null, body } = JSON.parse(text) as { code?: string | null; body?: unknown };
      return { status, code, answer: status === 200 ? keptAnswerOf(body, '/body') : null };
    } catch (cause) {
      const words = cause instanceof SyntaxError ? 'is no JSON, as if it were cut off' : messageOf(cause);
      throw new Error(`${this.name}: row ${row}: ${words}`, { cause });
    }
  }

  /** Null: the line is blank. A byte order mark counts as a space. */
  #rowIn(bytes: Buffer, start: number, number: number): RowLine | null {
    const text = bytes.toString().trim();
    if (text === '') return null;
    const [begin] = HEAD.exec(text) ?? [];
    const parsed = (json: string): unknown => unlessRefused((): unknown => JSON.parse(json));
    // Other programs write the members in another order.
    const head = (begin && parsed(`${begin}}`)) ?? parsed(text);
    if (!isHead(head))
      throw this.#fault(
        number,
        'is no result of a batch: each line is a JSON object with "row", "custom_id", "status" and "body"',
      );
    const { row, custom_id: customId = null, status } = head;
    const key = customId === null ? `${row}` : `"${customId}`;
    return { key, row, customId, status, text, place: { start, length: bytes.length, number } };
  }

  #fault(number: number, words: string): Error {
    return new Error(`${this.name}: line ${number} ${words}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** The text of a row's answer; null where a batch would write it otherwise. */
export function answerIn({ text, status }: RowLine): AnswerText | null {
  const body = text.indexOf(BODY);
  const isWhole = status === 200 && body !== -1 && text.endsWith('}');
  return isWhole ? answerTextIn(text.slice(body + BODY.length, -1)) : null;
}
