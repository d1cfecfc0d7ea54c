import { AppError } from '../shared/problems.ts';

/**
 * Yields the text of UTF-8 bytes, without a byte order mark at the beginning.
 * @throws AppError BAD_REQUEST when the bytes are no UTF-8, with the line and the column of the first that are not; or are another kind of file.
 */
export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const place = new TextPlace();
  let isFirst = true;
  for await (const bytes of wholeCharacters(withBegin(chunks))) {
    if (isFirst) refuseOtherFiles(bytes);
    const text = decoded(bytes, place);
    place.pass(text);
    yield isFirst ? text.replace(/^\ufeff/, '') : text;
    isFirst = false;
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

function decoded(bytes: Uint8Array, place: TextPlace): string {
  try {
    return strict.decode(bytes);
  } catch {
    const text = lenient.decode(bytes);
    place.pass(text.slice(0, text.indexOf('\ufffd')));
    throw new AppError(
      'BAD_REQUEST',
      `the file is not UTF-8: see line ${place.line}, column ${place.column}. Save it in that encoding`,
    );
  }
}

/** Bytes that say what kind of file it is. */
const BEGIN_BYTES = 1000;

/** Yields the same bytes, at least `BEGIN_BYTES` of them first. */
async function* withBegin(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begin: Uint8Array[] | null = [];
  let count = 0;
  for await (const chunk of chunks) {
    begin?.push(chunk);
    count += chunk.length;
    if (count < BEGIN_BYTES) continue;
    yield begin ? Buffer.concat(begin) : chunk;
    begin = null;
  }
  if (begin) yield Buffer.concat(begin);
}

/** Yields the same bytes, cut between characters. Bytes that are no UTF-8 are cut anywhere. */
async function* wholeCharacters(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.length - unfinishedBytes(bytes);
    rest = bytes.slice(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

/** Number of bytes at the end that begin a character without ending it. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return count < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? count : 0;
  }
  return 0;
}

/** Where a text has come to, from 1. */
class TextPlace {
  line = 1;
  column = 1;
  #endsWithReturn = false;

  pass(text: string): void {
    // The second half of a CR LF is no line of its own.
    const ends = /\r\n|\r|\n/g;
    if (this.#endsWithReturn && text.startsWith('\n')) ends.lastIndex = 1;
    let begin = ends.lastIndex;
    while (ends.test(text)) {
      this.line++;
      this.column = 1;
      begin = ends.lastIndex;
    }
    this.column += text.length - begin;
    if (text !== '') this.#endsWithReturn = text.endsWith('\r');
  }
}

/** How other kinds of files begin, and what to do with them. */
const otherFiles: readonly (readonly [readonly number[], string])[] = [
  [[0x1f, 0x8b], 'compressed with gzip: unpack it, or send it with Content-Encoding: gzip'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP file or a spreadsheet: save its table as CSV in UTF-8'],
  [[0xff, 0xfe], 'UTF-16: save it as UTF-8'],
  [[0xfe, 0xff], 'UTF-16: save it as UTF-8'],
  [[0x00, 0x00, 0xfe, 0xff], 'UTF-32: save it as UTF-8'],
];

function refuseOtherFiles(bytes: Uint8Array): void {
  const found = otherFiles.find(([begin]) => begin.every((byte, i) => bytes[i] === byte));
  if (found) throw new AppError('BAD_REQUEST', `the file is ${found[1]}`);
  // UTF-16 without a byte order mark: a letter has a NUL beside it.
  const begin = bytes.subarray(0, BEGIN_BYTES);
  if (begin.filter((byte) => byte === 0).length * 4 >= begin.length) {
    throw new AppError(
      'BAD_REQUEST',
      'the file holds characters NUL: it is binary, or UTF-16. Save it as text in UTF-8',
    );
  }
}
