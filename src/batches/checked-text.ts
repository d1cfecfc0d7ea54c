import { isUtf8 } from 'node:buffer';

/** A file that is not text in UTF-8. */
export class TextFault extends Error {
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;

  constructor(message: string, { line, column }: { readonly line: number; readonly column: number }) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** First bytes of files that are no text, in hexadecimal digits. */
const signatures: readonly (readonly [hex: string, name: string])[] = [
  ['1f8b', 'the file is compressed with gzip: send it with "Content-Encoding: gzip"'],
  ['504b0304', 'the file is a zip file or an Excel workbook: save the sheet as CSV'],
  ['fffe', 'the file is UTF-16: save it as UTF-8'],
  ['feff', 'the file is UTF-16: save it as UTF-8'],
  ['25504446', 'the file is a PDF: send CSV or NDJSON'],
];
const LONGEST_SIGNATURE = 4;

/**
 * Yields the bytes of a file as they come, as long as they are text in UTF-8. The lines before the one that is not are yielded before the
 * error, so that its reader knows which row it is in. @throws TextFault.
 */
export async function* checkedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let line = 1;
  /** Characters of the line that has begun. */
  let begun = 0;
  let rest: Buffer = Buffer.alloc(0);
  let isStart = true;
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : asBuffer(chunk);
    if (isStart && bytes.length < LONGEST_SIGNATURE) {
      rest = bytes;
      continue;
    }
    if (isStart) refuseSignature(bytes);
    isStart = false;
    const whole = bytes.subarray(0, bytes.length - unfinished(bytes));
    rest = bytes.subarray(whole.length);
    if (!isText(whole)) yield* beforeFault(whole, line, begun);
    yield whole;
    const lastEnd = whole.lastIndexOf(0x0a);
    line += lineEnds(whole);
    begun = whole.toString('utf8', lastEnd + 1).length + (lastEnd === -1 ? begun : 0);
  }
  if (rest.length === 0) return;
  if (isStart) refuseSignature(rest);
  if (!isText(rest)) yield* beforeFault(rest, line, begun);
  yield rest;
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Yields the lines before the first one that is no text, and then fails. */
function* beforeFault(bytes: Buffer, line: number, begun: number): Generator<Uint8Array, never> {
  let start = 0;
  for (let end = ends(bytes, 0); isText(bytes.subarray(start, end)); end = ends(bytes, start)) start = end;
  if (start > 0) yield bytes.subarray(0, start);
  const at = start + faultIn(bytes.subarray(start, ends(bytes, start)));
  const column = bytes.toString('utf8', start, at).length + 1 + (start === 0 ? begun : 0);
  throw new TextFault(faultOf(bytes[at]!), { line: line + lineEnds(bytes.subarray(0, start)), column });
}

function faultOf(byte: number): string {
  if (byte === 0) return 'the file is binary: send CSV or NDJSON';
  return `the byte 0x${byte.toString(16)} is not UTF-8: save the file as UTF-8`;
}

/** Returns where the first character of a line begins that is none. */
function faultIn(line: Buffer): number {
  let good = 0;
  let bad = line.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const start = line.subarray(0, middle);
    if (isText(start.subarray(0, middle - unfinished(start)))) good = middle;
    else bad = middle;
  }
  return good - unfinished(line.subarray(0, good));
}

/** Returns where the next line begins. */
function ends(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0x0a, start);
  return end === -1 ? bytes.length : end + 1;
}

function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

/** Returns how many bytes at the end may be the beginning of a character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length && byte < 0xf8 ? back : 0;
  }
  return 0;
}

function refuseSignature(bytes: Buffer): void {
  const start = bytes.toString('hex', 0, LONGEST_SIGNATURE);
  const found = signatures.find(([hex]) => start.startsWith(hex));
  if (found) throw new TextFault(found[1], { line: 1, column: 1 });
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
