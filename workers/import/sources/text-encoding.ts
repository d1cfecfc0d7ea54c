/** The encoding of a source's text, and what shows that it is another one. */
import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { dbfHeader, siblingsOf } from './check-shapefile.ts';
import { quoted, readStart } from './read-start.ts';
import type { SourceFormat } from './source-format.ts';

/** How the text of a source is read. */
export interface TextEncoding {
  /** Its name, and who gives it, for messages. */
  readonly name: string;
  /** Value of GDAL's open option ENCODING; null where the format has one encoding. */
  readonly option: string | null;
  /** Text of the file, from what GDAL gives. */
  decode(given: string): string;
  /** Text as GDAL has it in the file, for a condition. */
  encode(text: string): string;
  /** @throws Error when what was decoded is text in UTF-8, and said to be in another encoding. */
  check(): void;
}

/** GDAL reads each byte as one character of it, so that nothing is lost before it is decoded here. */
const BYTES = 'ISO-8859-1';

const asItIs: TextEncoding = {
  name: 'UTF-8',
  option: null,
  decode: (text) => text,
  encode: (text) => text,
  check: () => undefined,
};

/**
 * Returns the encoding of a source: that of `sources.json`, or what a Shapefile says in its .cpg or its .dbf, or UTF-8.
 * @throws Error when the encoding is not known, or the format has one of its own.
 */
export function textEncodingOf(path: string, format: SourceFormat, given: string | null): TextEncoding {
  if (format === 'ESRI Shapefile') return shapefileEncoding(path, given);
  if (given !== null && format !== 'JSON')
    throw new Error(`has text in an encoding of its format's own: leave out "encoding": "${given}"`);
  return asItIs;
}

function shapefileEncoding(path: string, given: string | null): TextEncoding {
  const { cpg, dbf } = siblingsOf(path);
  // Some writers put a byte order mark before the name, or end it as C does.
  const said =
    cpg === null
      ? ''
      : readFileSync(cpg, 'latin1')
          .replace(/^\xef\xbb\xbf|\0[^]*$/g, '')
          .trim();
  if (given !== null) return decoding(labelOf(given), `${given} of "encoding"`);
  if (said !== '') return decoding(labelOf(said), `${quoted(said)} of ${basename(cpg!)}`);
  const { language } = dbfHeader(readStart(dbf!));
  if (language === 0) return decoding('utf-8', 'UTF-8, as nothing says another encoding');
  if (windows1252.includes(language)) return decoding('windows-1252', `windows-1252 of ${basename(dbf!)}`);
  // A code page of DOS or of a Macintosh, in which every byte is a character.
  return { ...asItIs, name: `the code page of ${basename(dbf!)}` };
}

/** Language bytes of a .dbf for ANSI code pages of western Europe. */
const windows1252 = [0x03, 0x57, 0x58, 0x59];

/**
 * Returns the name of an encoding as the Encoding Standard has it.
 * @throws Error for a name that is not known.
 */
export function labelOf(name: string): string {
  const [, page = ''] = /^(?:cp|windows|ansi|ibm|oem|ms|code ?page)?[-_ ]*(\d+)$/i.exec(name.trim()) ?? [];
  const [, part] = /8859[-_ ]*(\d{1,2})$/.exec(name.trim()) ?? [];
  const label =
    page === '65001' ? 'utf-8' : part !== undefined ? `iso-8859-${part}` : page === '' ? name : `windows-${page}`;
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new Error(`the encoding "${quoted(name)}" is not known: give "encoding", such as "CP1252" or "UTF-8"`, {
      cause,
    });
  }
}

function decoding(label: string, name: string): TextEncoding {
  const decoder = new TextDecoder(label);
  const bytesOf = label === 'utf-8' ? new Map<string, number>() : singleBytes(decoder);
  let [accented, inUtf8] = [0, 0];
  return {
    name,
    option: BYTES,
    decode: (given) => {
      if (!isAccented.test(given)) return given;
      const bytes = Buffer.from(given, 'latin1');
      accented++;
      inUtf8 += Number(isUtf8(bytes));
      return decoder.decode(bytes);
    },
    encode: (text) =>
      label === 'utf-8'
        ? Buffer.from(text, 'utf8').toString('latin1')
        : Array.from(text, (one) => String.fromCharCode(bytesOf.get(one) ?? one.charCodeAt(0))).join(''),
    check: () => {
      if (label === 'utf-8' || accented === 0 || inUtf8 < accented) return;
      throw new Error(`its text is in UTF-8, and not in ${name}: give "encoding": "UTF-8"`);
    },
  };
}

const isAccented = /[\u0080-\uffff]/;

/** The bytes above ASCII by their characters. */
function singleBytes(decoder: TextDecoder): ReadonlyMap<string, number> {
  return new Map(Array.from({ length: 128 }, (_, i) => [decoder.decode(Uint8Array.of(i + 128)), i + 128]));
}

/** Writes a copy of a JSON file in UTF-8, and returns its path. */
export async function inUtf8(file: string, encoding: string, copy: string): Promise<string> {
  const decoder = new TextDecoder(labelOf(encoding));
  mkdirSync(dirname(copy), { recursive: true });
  await pipeline(
    createReadStream(file),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
      yield decoder.decode();
    },
    createWriteStream(copy),
  );
  return copy;
}
