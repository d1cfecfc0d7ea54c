/** Results of a batch as they are in a file: one row a line, which is parsed only where it must be. */
import { open, type FileHandle } from 'node:fs/promises';
import { keptAnswerOf, type KeptAnswer } from './kept-answer.ts';

const READ_BYTES = 1 << 20;

/** Longest line in bytes. A row with a full answer has some ten thousand. */
const MOST_LINE_BYTES = 4 << 20;

const LF = 0x0a;
const NUMBER_OF_BODY = Buffer.from('"body":');
const AFTER_LAYERS = Buffer.from(',"dataAsOf":');
const EVIDENCE = Buffer.from(',"evidence":{');
const SNAPSHOT = Buffer.from(',"snapshot":{');
const STATUS = Buffer.from(',"status":');

/** A line, and where it is. */
export interface RowLine {
  /** Identifies the row: by its `custom_id` if it has one, else by its number. */
  readonly key: string;
  readonly row: number;
  readonly customId: string | null;
  readonly status: number;
  readonly line: Buffer;
  readonly start: number;
}

export type LinePlace = Pick<RowLine, 'start'> & { readonly length: number };

/** A row with its answer; `body` null: it has none. */
export interface ReadRow extends Pick<RowLine, 'row' | 'customId' | 'status'> {
  readonly code: string | null;
  readonly answer: KeptAnswer | null;
}

export class RowFile implements AsyncDisposable {
  readonly name: string;
  readonly #file: FileHandle;
  /** The end of the last line that was checked: it has what the answers rest on, which is the same in all lines of a batch. */
  #checkedEnd: Buffer = Buffer.alloc(0);

  private constructor(name: string, file: FileHandle) {
    this.name = name;
    this.#file = file;
  }

  static async open(name: string): Promise<RowFile> {
    return new RowFile(name, await open(name, 'r'));
  }

  /** Holds a part of the file and one line. @throws Error that names the line for what is no result. */
  async *rows(): AsyncGenerator<RowLine> {
    let rest: Buffer = Buffer.alloc(0);
    let start = 0;
    for (let position = 0, number = 1; ;) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position);
      position += bytesRead;
      const text: Buffer =
        rest.length === 0 ? buffer.subarray(0, bytesRead) : Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = text.indexOf(LF); end !== -1; end = text.indexOf(LF, from)) {
        if (end > from) yield this.#head(text.subarray(from, end), start + from, number);
        from = end + 1;
        number++;
      }
      rest = text.subarray(from);
      start += from;
      if (rest.length > MOST_LINE_BYTES) throw this.#fault(number, 'is too long for a result of a batch');
      if (bytesRead > 0) continue;
      if (rest.length > 0) yield this.#head(rest, start, number);
      return;
    }
  }

  /** Reads a line again. */
  async at({ start, length }: LinePlace): Promise<RowLine> {
    const { buffer } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, start);
    return this.#head(buffer, start, null);
  }

  /** Reads the answer of a row. @throws Error that names what cannot be understood. */
  read({ line, ...row }: RowLine): ReadRow {
    const { row: number, customId, status } = row;
    const { code = null, body } = parsed(line) as { readonly code?: string | null; readonly body?: unknown };
    if (status !== 200) return { row: number, customId, status, code, answer: null };
    try {
      const answer = keptAnswerOf(body, '/body');
      this.#checkedEnd = Buffer.from(line.subarray(line.lastIndexOf(SNAPSHOT)));
      return { row: number, customId, status, code, answer };
    } catch (cause) {
      throw new Error(`${this.name}: row ${number}: ${(cause as Error).message}`, { cause });
    }
  }

  /** Whether the line ends as the last one that was read: then nothing of its end is unknown. */
  endsAsRead(line: Buffer, from: number): boolean {
    return line.subarray(from).equals(this.#checkedEnd);
  }

  #head(line: Buffer, start: number, number: number | null): RowLine {
    const at = line.indexOf(STATUS);
    // A name or a text cannot hold these characters without a backslash among them.
    const head = at === -1 ? undefined : parsed(Buffer.concat([line.subarray(0, at), Buffer.from('}')]));
    const { row, custom_id: customId = null } = (head ?? parsed(line) ?? {}) as Partial<
      Record<'row' | 'custom_id', unknown>
    >;
    const status = Number.parseInt(line.toString('latin1', at + STATUS.length, at + STATUS.length + 4), 10);
    if (
      at === -1 ||
      typeof row !== 'number' ||
      (customId !== null && typeof customId !== 'string') ||
      Number.isNaN(status)
    )
      throw this.#fault(
        number,
        'is no result of a batch: each line is a JSON object with "row", "custom_id", "status" and "body"',
      );
    return { key: customId === null ? `${row}` : `"${customId}`, row, customId, status, line, start };
  }

  #fault(number: number | null, words: string): Error {
    return new Error(`${this.name}: line ${number ?? ''} ${words}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

/** Whether two rows have the same point, values and evidence without its distances, by their texts: most rows of two files do. */
export function hasSameText(
  before: RowLine,
  now: RowLine,
  files: Readonly<Record<'before' | 'now', RowFile>>,
): boolean {
  const [then, today] = [partsOf(before.line), partsOf(now.line)];
  return (
    then !== null &&
    today !== null &&
    then.layers.equals(today.layers) &&
    isSameButDistances(then.evidence, today.evidence) &&
    files.before.endsAsRead(before.line, then.end) &&
    files.now.endsAsRead(now.line, today.end)
  );
}

/** The parts that a batch writes in this order. None of their names can stand in a text without a backslash. */
function partsOf(line: Buffer): { readonly layers: Buffer; readonly evidence: Buffer; readonly end: number } | null {
  const body = line.indexOf(NUMBER_OF_BODY);
  const dates = line.indexOf(AFTER_LAYERS, body);
  const evidence = line.indexOf(EVIDENCE, dates);
  const end = line.lastIndexOf(SNAPSHOT);
  if (body === -1 || dates === -1 || evidence === -1 || end < evidence) return null;
  return { layers: line.subarray(body, dates), evidence: line.subarray(evidence, end), end };
}

const COLON = 0x3a;
const QUOTE = 0x22;
const DISTANCES: ReadonlySet<string> = new Set(
  ['distanceM', 'searchedM', 'boundaryDistanceM', 'nearBoundary'].flatMap((name) => [`{"${name}"`, `,"${name}"`]),
);

/** Where two texts differ, both must be in the value of a distance: they are the same up to there. */
function isSameButDistances(one: Buffer, other: Buffer): boolean {
  let [i, j] = [0, 0];
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      i++;
      j++;
    } else {
      if (!DISTANCES.has(nameBefore(one, i))) return false;
      i = endOfValue(one, i);
      j = endOfValue(other, j);
    }
  }
  return i === one.length && j === other.length;
}

/** The name of the member in whose value a byte is, in its quotes and with what is before it; of a text that is no name, something else. */
function nameBefore(text: Buffer, from: number): string {
  let end = from;
  while (end > 0 && text[end] !== COLON) end--;
  let start = end - 2;
  while (start > 0 && text[start] !== QUOTE) start--;
  return text.toString('latin1', start - 1, end);
}

/** Of a number, true, false or null. */
function endOfValue(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== 0x2c && text[at] !== 0x7d) at++;
  return at;
}
