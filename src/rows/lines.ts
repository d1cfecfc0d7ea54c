import { checkedText } from './checked-text.ts';

/** Longest line of a row with an address or a point, in UTF-16 units. An address needs 300. */
export const MAX_LINE = 16_384;

/** Longest line of a row with an area: what `POST /api/lookup/area` takes as a body, and an identifier. */
export const MAX_AREA_LINE = 513 * 1024;

const BYTE_ORDER_MARK = /^\ufeff/;

/** Ctrl-Z or NULs, with which some old programs end a file. */
// eslint-disable-next-line no-control-regex -- these characters are meant.
const END_OF_OLD_FILES = /[\0\x1a]+$/;

/**
 * Yields the lines of a text in UTF-8 without their ends (LF, CR LF or CR, also mixed), without a byte order mark at the beginning, and without
 * Ctrl-Z or NULs at the end. It never
 * holds more than one chunk and one line: of a line longer than `MAX_AREA_LINE` it yields the beginning, one unit too long, so that its reader
 * can tell. @throws TextFault when it is no such text.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest: string | null = null;
  for await (const bytes of checkedText(chunks)) {
    const text = decoder.decode(bytes);
    const lines = splitLines(rest === null ? text.replace(BYTE_ORDER_MARK, '') : text);
    lines[0] = joined(rest ?? '', lines[0]!);
    rest = lines.pop()!;
    for (const line of lines) yield joined('', line);
  }
  const last = rest?.replace(END_OF_OLD_FILES, '') ?? '';
  if (last !== '') yield joined('', last);
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
