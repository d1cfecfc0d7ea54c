import { parse } from 'csv-parse/sync';

/** A record of a register has some hundred characters. */
const MOST_RECORD_LENGTH = 64 * 1024;

/**
 * Yields the records of CSV text that arrives in pieces of whole lines. Lines without quotes, which are nearly all
 * lines of a register, are split at their commas. That is ten times as fast as the parser, which reads the others.
 * @throws Error when a quote is never closed, or the parser refuses a record.
 */
export async function* records(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  /** Lines of a record with a line break in a quoted field. */
  let open = '';
  for await (const line of lines(pieces)) {
    if (open === '' && !line.includes('"')) {
      const text = line.trimEnd();
      if (text !== '') yield text.split(',');
      continue;
    }
    open += line;
    if (open.length > MOST_RECORD_LENGTH)
      throw new Error(`a quoted field has no end within ${MOST_RECORD_LENGTH} characters`);
    if (!isClosed(open)) continue;
    yield* parse(open);
    open = '';
  }
  if (open !== '') throw new Error('a quoted field has no end');
}

/** Yields lines with their ends, the first without a byte order mark. */
async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const piece of pieces) {
    let from = isFirst && piece.startsWith('\ufeff') ? 1 : 0;
    isFirst = false;
    while (from < piece.length) {
      const newline = piece.indexOf('\n', from);
      const to = newline < 0 ? piece.length : newline + 1;
      yield piece.slice(from, to);
      from = to;
    }
  }
}

function isClosed(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}
