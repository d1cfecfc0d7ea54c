import { textOf } from './utf8.ts';

/** Longest line of a row with an address or a point, in UTF-16 units. An address needs 300. */
export const MAX_LINE = 16_384;

/** Longest line of a row with an area: what `POST /api/lookup/area` takes as a body, and an identifier. */
export const MAX_AREA_LINE = 513 * 1024;

/**
 * Yields the lines of a text in UTF-8 without their ends (LF, CR LF or CR, also mixed). It never holds more than one chunk and
 * one line: of a line longer than `MAX_AREA_LINE` it yields the beginning, one unit too long, so that its reader can tell.
 * @throws as `textOf`.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  // A CR at the end of a piece may be half of a CR LF.
  let held = '';
  for await (const piece of textOf(chunks)) {
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    const lines = splitLines(held === '' ? text : text.slice(0, -1));
    lines[0] = joined(rest, lines[0]!);
    rest = lines.pop()!;
    for (const line of lines) yield joined('', line);
  }
  if (rest !== '' || held !== '') yield joined('', rest);
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
