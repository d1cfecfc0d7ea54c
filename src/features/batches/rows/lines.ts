import { checkedText } from './checked-text.ts';
import type { ReadArea } from '../../../messages/lookup.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest line of a row with an area: what `POST /api/lookup/area` takes as a body, and an identifier. */
export const MAX_AREA_LINE = 513 * 1024;

const BYTE_ORDER_MARK = /^\ufeff/;

/** Ctrl-Z or NULs, with which some old programs end a file. */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
const END_OF_OLD_FILES = /[\0\x1a]+$/;

/**
 * Yields the lines of a text in UTF-8 without their ends (LF, CR LF or CR, also mixed), without a byte order mark at the beginning, and without
 * Ctrl-Z or NULs at the end. Of a long run of line ends it reads the beginning only. It never
 * holds more than one chunk and one line: of a line longer than `MAX_AREA_LINE` it yields the beginning, one unit too long, so that its reader
 * can tell. @throws TextFault when it is no such text.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  { turns = new Turns() }: Pick<ReadOptions, 'turns'> = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const runs = new LongRuns();
  let rest: string | null = null;
  for await (const bytes of checkedText(chunks)) {
    const text = decoder.decode(runs.shorten(bytes));
    const lines = splitLines(rest === null ? text.replace(BYTE_ORDER_MARK, '') : text);
    lines[0] = joined(rest ?? '', lines[0]!);
    rest = lines.pop()!;
    for (const line of lines) {
      yield joined('', line);
      const turn = turns.next();
      if (turn) await turn;
    }
    // Also where no line ends.
    await turns.next();
  }
  const last = rest?.replace(END_OF_OLD_FILES, '') ?? '';
  if (last !== '') yield joined('', last);
}

/** Line ends that are kept of a run: no record of CSV has so many lines, so that the rows are the same without the others. */
const KEPT_ENDS = 512;

const LF = 0x0a;
const CR = 0x0d;

/** Leaves out what runs of line ends have beyond `KEPT_ENDS`, also across chunks: each would pass through all readers as an empty line. */
class LongRuns {
  #ends = 0;

  shorten(bytes: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    /** Where the next piece begins; -1: not yet. */
    let start = this.#ends > KEPT_ENDS ? -1 : 0;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] === LF || bytes[at] === CR) {
        if (++this.#ends !== KEPT_ENDS + 1) continue;
        pieces.push(bytes.subarray(start, at));
        start = -1;
      } else {
        if (start === -1) start = at;
        this.#ends = 0;
      }
    }
    if (start === 0) return bytes;
    if (start > 0) pieces.push(bytes.subarray(start));
    return Buffer.concat(pieces);
  }
}

function splitLines(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n');
}

/** The two as one line, of which only the beginning is kept when it is too long. */
function joined(begin: string, end: string): string {
  if (begin.length > MAX_AREA_LINE) return begin;
  const line = begin + end;
  return line.length > MAX_AREA_LINE ? line.slice(0, MAX_AREA_LINE + 1) : line;
}

/** Gets each name of a column or a member that is not used, once. */
export type OnIgnored = (name: string) => void;

/** How a file of places is read. */
export interface ReadOptions {
  readonly onIgnored?: OnIgnored;
  /** Columns that make the address together; without them the column `address` does. */
  readonly addressColumns?: readonly string[] | undefined;
  /** Is told of each line, and of each record of CSV, that says nothing. What it throws ends the reading. */
  readonly onBlank?: () => void;
  readonly turns?: Turns;
  /** Reads rows of NDJSON that are areas; absent or null: such rows are refused. */
  readonly readArea?: ReadArea | null | undefined;
}

/** Longest time in ms for which rows are read before others get the main thread. */
const MOST_MS = 3;

/** Gives others their turn by time: one row may take the time of a thousand others, and what is no row takes time too. */
export class Turns {
  readonly #nowMs: () => number;
  #endMs: number;

  constructor(nowMs = (): number => performance.now()) {
    this.#nowMs = nowMs;
    this.#endMs = nowMs() + MOST_MS;
  }

  /** Null while there is time left; otherwise it is others' turn until this resolves. */
  next(): Promise<void> | null {
    return this.#nowMs() < this.#endMs ? null : this.#give();
  }

  async #give(): Promise<void> {
    await nextTurn();
    this.#endMs = this.#nowMs() + MOST_MS;
  }
}
