import { closeSync, openSync, readSync } from 'node:fs';
import { checkCrsText, quoted } from './crs-text.ts';
import { unreadable } from './unreadable.ts';

const CHUNK_BYTES = 1024 * 1024;
/** GeoJSON needs ten levels. */
const MOST_LEVELS = 64;
/** Longest key that is compared, as it is written: "\u0063\u0072\u0073" is a "crs" too. */
const MOST_KEY_BYTES = 128;
const MOST_CRS_BYTES = 64 * 1024;

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [0x5b, 0x7b, 0x7d, 0x2c];
const byteOrderMark = Buffer.from('\ufeff');

/** What a byte outside of strings is; the check of a large file passes over the plain ones. */
const [FORBIDDEN, PLAIN, SPECIAL] = [0, 1, 2];
const kindOf = new Uint8Array(256).fill(FORBIDDEN);
// GDAL also reads comments and other quotes, which would hide a key from this check.
for (const byte of Buffer.from(' \t\r\n+-.eE0123456789truefalsn')) kindOf[byte] = PLAIN;
for (const byte of Buffer.from('[]{}:,"')) kindOf[byte] = SPECIAL;

/**
 * Checks a JSON file before GDAL reads it. GDAL fetches a `crs` of type "link", also one inside a geometry, and opens the
 * files that a `crs` names; GDAL 3.6 has no option against it.
 * @throws Error when the text is not JSON, ends early, is nested too deep, or has a CRS that is not a name or a definition.
 */
export function checkJson(file: string): void {
  const scan = new Scan();
  const descriptor = openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let length = 1; length > 0;) {
      length = readSync(descriptor, chunk);
      scan.read(chunk.subarray(0, length));
    }
    scan.end();
  } finally {
    closeSync(descriptor);
  }
}

/** Follows strings and levels, and collects the values of keys that name a CRS. */
class Scan {
  /** Of the chunk. */
  #from = 0;
  #level = 0;
  #inString = false;
  #isEscaped = false;
  /** The bytes of the last string: a key when a colon follows. */
  #text = Buffer.alloc(0);
  /** The value that is being collected, and the level that it is on. */
  #value: { readonly key: string; readonly level: number; text: string } | null = null;

  read(chunk: Buffer): void {
    let at = this.#from === 0 && chunk.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark.length : 0;
    while (at < chunk.length) at = this.#inString ? this.#readString(chunk, at) : this.#readOutside(chunk, at);
    this.#from += chunk.length;
  }

  end(): void {
    if (this.#inString || this.#level !== 0) throw new Error(unreadable(this.#from));
  }

  /** Returns the place after the string, or the end of the chunk. */
  #readString(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) break;
    }
    const piece = chunk.subarray(from, Math.min(at, from + MOST_KEY_BYTES));
    this.#text = Buffer.concat([this.#text, piece]).subarray(0, MOST_KEY_BYTES);
    this.#inString = at === chunk.length;
    const end = Math.min(at + 1, chunk.length);
    if (this.#value) this.#collect(chunk.subarray(from, end));
    return end;
  }

  /** Returns the place of the next string's content, or the end of the chunk. */
  #readOutside(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      if (!this.#value) at = nextSpecial(chunk, at);
      const byte = chunk[at];
      if (byte === undefined) break;
      if (this.#value) this.#readInValue(byte, chunk.subarray(at, at + 1));
      if (kindOf[byte] === PLAIN) continue;
      if (kindOf[byte] === FORBIDDEN)
        throw new Error(`is not JSON: ${JSON.stringify(String.fromCharCode(byte))} at byte ${this.#from + at}`);
      if (byte === QUOTE) {
        this.#inString = true;
        this.#text = Buffer.alloc(0);
        return at + 1;
      }
      if (byte === COLON) this.#beginValue();
      else this.#level += step(byte);
      if (this.#level > MOST_LEVELS)
        throw new Error(`is nested more than ${MOST_LEVELS} levels deep at byte ${this.#from + at}`);
    }
    return chunk.length;
  }

  #beginValue(): void {
    const key = this.#value ? null : crsKey(this.#text);
    if (key !== null) this.#value = { key, level: this.#level, text: '' };
  }

  /** Runs before the byte changes the level. */
  #readInValue(byte: number, bytes: Buffer): void {
    const { key, level, text } = this.#value!;
    if (this.#level > level || (byte !== COMMA && byte !== CLOSE_OBJECT)) {
      this.#collect(bytes);
      return;
    }
    this.#value = null;
    checkCrsMember(key, parsed(Buffer.from(text, 'latin1').toString('utf8')));
  }

  #collect(bytes: Buffer): void {
    const value = this.#value!;
    value.text += bytes.toString('latin1');
    if (value.text.length > MOST_CRS_BYTES)
      throw new Error(`has a "${value.key}" of more than ${MOST_CRS_BYTES} bytes`);
  }
}

/** Nearly all bytes of a file are digits: this loop decides how long the check takes. */
function nextSpecial(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && kindOf[chunk[at]!] === PLAIN) at++;
  return at;
}

function step(byte: number): number {
  if (byte === COMMA) return 0;
  return byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 1 : -1;
}

/** Returns the member's name when the bytes between quotes are one that GDAL reads a CRS from; GDAL ignores case. */
function crsKey(bytes: Buffer): string | null {
  if (bytes.length < 3 || bytes.length === MOST_KEY_BYTES) return null;
  const key = parsed(`"${bytes.toString('utf8')}"`);
  return typeof key === 'string' && /^(crs|spatialReference)$/i.test(key) ? key : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Only an object is a CRS: text or a number is an attribute of that name. */
function checkCrsMember(key: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    if (value === undefined) throw new Error(`has a "${key}" that is not JSON`);
    return;
  }
  if (key.toLowerCase() === 'crs') checkGeoJsonCrs(value);
  else checkEsriReference(value);
}

/** GDAL compares the names of members without case, and only the beginning of the type: anything but the known form is refused. */
function checkGeoJsonCrs(crs: object): void {
  const { type, properties } = crs as { readonly type?: unknown; readonly properties?: unknown };
  const values: unknown[] = Object.values(properties ?? {});
  const isPlain = Object.keys(crs).every((key) => key === 'type' || key === 'properties') && typeof type === 'string';
  if (
    isPlain &&
    /^(name|ogc)$/i.test(type) &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string')
  ) {
    values.forEach(checkCrsText);
    return;
  }
  if (isPlain && /^epsg$/i.test(type) && values.length > 0 && values.every((value) => Number.isInteger(value))) return;
  throw new Error(
    `has a "crs" of the type "${quoted(String(type))}" (${quoted(JSON.stringify(properties ?? null))}), for which an import asks ` +
      'nobody: replace it by {"type": "name", "properties": {"name": "EPSG:…"}}, or remove it and give "crs" in sources.json',
  );
}

function checkEsriReference(reference: object): void {
  for (const text of Object.values(reference)) if (typeof text === 'string' && text !== '') checkCrsText(text);
}
