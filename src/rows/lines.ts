/** Longest line that is kept whole, in UTF-16 units. An address needs 300. */
export const MAX_LINE = 16_384;

/**
 * Yields the lines of a text in UTF-8 without their ends (LF, CR LF, or CR in a file without LF). It never holds more than one chunk and
 * one line: of a line longer than `MAX_LINE` it yields the beginning, one unit too long, so that its reader can tell.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Bytes that are not UTF-8 become U+FFFD, which no address may hold.
  const decoder = new TextDecoder();
  let rest = '';
  let end: string | null = null;
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    end ??= endIn(text);
    const lines = text.split(end ?? '\n');
    rest = lines.pop()!.slice(0, MAX_LINE + 1);
    for (const line of lines) yield withoutReturn(line);
  }
  rest += decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

/** Null when the text holds no end of a line, or a CR as its last character, which may be half of one. */
function endIn(text: string): string | null {
  if (text.includes('\n')) return '\n';
  return text.slice(0, -1).includes('\r') ? '\r' : null;
}

function withoutReturn(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.length > MAX_LINE ? whole.slice(0, MAX_LINE + 1) : whole;
}
