import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;

/** A line of a register has some hundred bytes. */
const MOST_LINE_BYTES = 1024 ** 2;

/**
 * Decodes the text of a register file: UTF-8 since 2024, Latin-1 before, and sometimes a Latin-1 line in a UTF-8 file.
 * It decides for each line.
 * @param chunks bytes of the file, cut anywhere.
 * @throws Error when a line has no end within reason.
 */
export async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (rest.length > MOST_LINE_BYTES)
      throw new Error(`a line has more than ${MOST_LINE_BYTES} bytes: that is no register`);
    if (end > 0) yield text(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield text(rest);
}

function text(lines: Buffer): string {
  if (isUtf8(lines)) return lines.toString('utf8');
  const parts: string[] = [];
  for (let from = 0; from < lines.length;) {
    const newline = lines.indexOf(NEWLINE, from);
    const to = newline < 0 ? lines.length : newline + 1;
    const line = lines.subarray(from, to);
    parts.push(isUtf8(line) ? line.toString('utf8') : latin1.decode(line));
    from = to;
  }
  return parts.join('');
}

/** Windows-1252, the superset of Latin-1 that office programs write. */
const latin1 = new TextDecoder('windows-1252');
