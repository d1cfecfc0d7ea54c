import { isUtf8 } from 'node:buffer';
import { begunCharacter, firstFault } from '../../../core/http/utf8-fault.ts';
import { badRequest } from '../../../messages/problems.ts';

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

/** What to do with a map of any kind. */
export const ROWS_OF_MAP =
  'save points as CSV with lat and lon, and outlines as NDJSON, as "ogr2ogr -f GeoJSONSeq -t_srs EPSG:4326 places.ndjson" writes them';

const TO_CSV = 'save the sheet as CSV';

const UTF_16 = 'the file is UTF-16: save it as UTF-8';

/** First bytes of files that are no text, in hexadecimal digits. */
const signatures: readonly (readonly [hex: string, name: string])[] = [
  ['1f8b', 'the file is compressed with gzip: unpack it, or send it with "Content-Encoding: gzip"'],
  ['377abcaf', 'the file is an archive (7z): unpack it'],
  ['52617221', 'the file is an archive (RAR): unpack it'],
  ['fffe', UTF_16],
  ['feff', UTF_16],
  ['25504446', 'the file is a PDF: send CSV or NDJSON'],
  ['d0cf11e0', `the file is an old Excel workbook, or another document of Office: ${TO_CSV}`],
  ['53514c69746520666f726d6174203300', `the file is a GeoPackage, or another database of SQLite: ${ROWS_OF_MAP}`],
  ['0000270a', `the file is a Shapefile: ${ROWS_OF_MAP}`],
  ['666762', `the file is FlatGeobuf: ${ROWS_OF_MAP}`],
  ['50415231', `the file is Parquet: save it as CSV; if it is a map, ${ROWS_OF_MAP}`],
  ['89504e47', 'the file is a picture (PNG): send CSV or NDJSON'],
  ['ffd8ff', 'the file is a picture (JPEG): send CSV or NDJSON'],
];

/** A zip file, by the first file in it. */
const zipped: readonly (readonly [RegExp, string])[] = [
  [/^(\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/)/, `an Excel workbook, or another document of Office: ${TO_CSV}`],
  [/^mimetype/, `an OpenDocument file: ${TO_CSV}`],
  [/\.kml$/i, `KMZ, a zipped map: ${ROWS_OF_MAP}`],
  [/\.(shp|shx|dbf|prj|cpg|sbn|qpj)$|\.gdb\//i, `a zipped map: ${ROWS_OF_MAP}`],
  [/^/, `a zip file or an Excel workbook: ${TO_CSV}, or unpack it`],
];

/** Bytes that say what kind of file it is: a zip file has the name of its first file there. */
const START_BYTES = 256;

/** Bytes in which letters of UTF-16 are looked for. */
const LETTER_BYTES = 16;

/**
 * Yields the bytes of a file as they come, as long as they are text in UTF-8, cut between characters. The lines before the one that is not are
 * yielded before the error, so that its reader knows which row it is in. @throws TextFault; AppError
 * BAD_REQUEST that says what a file of another kind is.
 */
export async function* checkedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let line = 1;
  /** Characters of the line that has begun. */
  let begun = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of withStart(chunks)) {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
    const whole = all.subarray(0, all.length - unfinished(all));
    rest = all.subarray(whole.length);
    if (!isUtf8(whole)) yield* beforeFault(whole, line, begun);
    yield whole;
    const lastEnd = lastLineEnd(whole);
    line += lineEnds(whole);
    begun = whole.toString('utf8', lastEnd + 1).length + (lastEnd === -1 ? begun : 0);
  }
  if (rest.length === 0) return;
  if (!isUtf8(rest)) yield* beforeFault(rest, line, begun);
  yield rest;
}

/** Yields the same bytes, the first of them checked and together. */
async function* withStart(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let start: Uint8Array[] | null = [];
  let count = 0;
  for await (const chunk of chunks) {
    start?.push(chunk);
    count += chunk.length;
    if (count < START_BYTES) continue;
    yield start ? checkedStart(start) : asBuffer(chunk);
    start = null;
  }
  if (start) yield checkedStart(start);
}

/** @throws AppError BAD_REQUEST for a file of another kind. */
function checkedStart(chunks: readonly Uint8Array[]): Buffer {
  const start = Buffer.concat(chunks);
  const other = kindOf(start);
  if (other !== undefined) throw badRequest(other, other === UTF_16 ? { reason: 'ENCODING' } : {});
  // UTF-16 without a byte order mark has a NUL beside each letter. One NUL alone is a fault of its row.
  const zeros = start.subarray(0, LETTER_BYTES).filter((byte) => byte === 0).length;
  if (zeros > 0 && zeros * 4 >= Math.min(start.length, LETTER_BYTES))
    throw badRequest('the file is binary, or UTF-16: send CSV or NDJSON in UTF-8', { reason: 'ENCODING' });
  return start;
}

function kindOf(start: Buffer): string | undefined {
  if (start.toString('latin1', 0, 4) !== 'PK\u0003\u0004')
    return signatures.find(([hex]) => start.toString('hex', 0, hex.length / 2) === hex)?.[1];
  const nameBytes = start.length >= 30 ? start.readUInt16LE(26) : 0;
  const name = start.toString('utf8', 30, 30 + nameBytes);
  return `the file is ${zipped.find(([pattern]) => pattern.test(name))![1]}`;
}

/** Yields the lines before the first one that is no text, and then fails. */
function* beforeFault(bytes: Buffer, line: number, begun: number): Generator<Uint8Array, never> {
  let start = 0;
  for (let end = ends(bytes, 0); isUtf8(bytes.subarray(start, end)); end = ends(bytes, start)) start = end;
  if (start > 0) yield bytes.subarray(0, start);
  const at = start + firstFault(bytes.subarray(start, ends(bytes, start)));
  const column = bytes.toString('utf8', start, at).length + 1 + (start === 0 ? begun : 0);
  const fault = `the byte 0x${bytes[at]!.toString(16)} is not UTF-8: save the file as UTF-8`;
  throw new TextFault(fault, { line: line + lineEnds(bytes.subarray(0, start)), column });
}

const LF = 0x0a;
const CR = 0x0d;

/** Returns where the next line begins. A line may end with LF, CR LF or CR. */
function ends(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at++) if (isEnd(bytes, at)) return at + 1;
  return bytes.length;
}

/** Returns where the last line ends; -1 when none does. */
function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR));
}

function lineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (isEnd(bytes, at)) count++;
  return count;
}

/** A CR before an LF ends no line of its own. */
function isEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF);
}

/** Returns how many bytes at the end may be the beginning of a character, or of a CR LF. */
function unfinished(bytes: Buffer): number {
  return bytes.at(-1) === CR ? 1 : begunCharacter(bytes);
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
