import { closeSync, openSync, readSync } from 'node:fs';
import { type Path, Announcements } from './announcements.ts';
import { JsonPath } from './json-path.ts';
import { checkCrsText, quoted, readStart, unreadable } from './read-start.ts';

const CHUNK_BYTES = 1024 * 1024;
/** GeoJSON needs ten levels. */
const MOST_LEVELS = 64;
/** Longest key that is compared, as it is written: "\u0063\u0072\u0073" is a "crs" too. */
const MOST_KEY_BYTES = 128;
const MOST_VALUE_BYTES = 64 * 1024;

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const [OPEN_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, CLOSE_ARRAY, COMMA] = [0x5b, 0x7b, 0x7d, 0x5d, 0x2c];
/** Stands before each text of a sequence (RFC 7464). */
const RECORD_SEPARATOR = 0x1e;
const byteOrderMark = Buffer.from('\ufeff');

/** What a byte outside of strings is; the check of a large file passes over the plain ones. A word begins null, true and false. */
const [FORBIDDEN, PLAIN, SPECIAL, WORD] = [0, 1, 2, 3];
const kindOf = new Uint8Array(256).fill(FORBIDDEN);
// GDAL also reads comments and other quotes, which would hide a key from this check.
for (const byte of Buffer.from(' \t\r\n+-.eE0123456789rulsa')) kindOf[byte] = PLAIN;
for (const byte of Buffer.from('[]{}:,"')) kindOf[byte] = SPECIAL;
for (const byte of Buffer.from('ntf')) kindOf[byte] = WORD;

/**
 * Checks a JSON file before GDAL reads it. GDAL fetches a `crs` of type "link", also one inside a geometry, and opens the
 * files that a `crs` names; GDAL 3.6 has no option against it. GDAL also leaves out what it cannot read, and what a file says of itself.
 * @throws Error when the text is not JSON, ends early, is nested too deep, has a CRS that is not a name or a definition, or a coordinate that is no
 * number; when it says itself that it is not whole, or is an error of a server.
 */
export function checkJson(file: string): void {
  scanned(file).end();
}

/** Returns how many features of a JSON file have a position among their coordinates, whether or not GDAL reads them. */
export function placedInJson(file: string): number {
  return scanned(file).placed;
}

/** Returns how many features a file of one JSON text after the other has; null when it is one text. */
export function sequenceLength(file: string): number | null {
  const { roots } = scanned(file, (scan) => scan.isOneText);
  return roots > 1 || startsWithSeparator(file) ? roots : null;
}

function startsWithSeparator(file: string): boolean {
  return readStart(file)[0] === RECORD_SEPARATOR;
}

/** Which attributes are taken, by their names in lower case, and what takes them, as they are written. */
type Attributes = { readonly names: ReadonlySet<string>; take(name: string, text: string): void } | null;

/** Gives the values of attributes of Esri JSON with one of these names (in lower case), feature by feature, without those that are null. */
export function eachAttribute(
  file: string,
  names: ReadonlySet<string>,
  take: (name: string, text: string) => void,
): void {
  scanned(file, undefined, new Scan({ names, take }));
}

/** Reads a file to its end, or until it is known to be enough. */
function scanned(file: string, isEnough: (scan: Scan) => boolean = () => false, scan = new Scan()): Scan {
  const descriptor = openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let length = 1; length > 0 && !isEnough(scan);) {
      length = readSync(descriptor, chunk);
      scan.read(chunk.subarray(0, length));
    }
    return scan;
  } finally {
    closeSync(descriptor);
  }
}

/** Follows strings and levels, and collects the values of keys that name a CRS or speak of the whole file. */
class Scan {
  /** JSON texts that have begun, and how many of those that ended are features. */
  roots = 0;
  #featureRoots = 0;
  #announced = new Announcements();
  readonly #path = new JsonPath();
  /** Of the first reference system in Esri JSON: its number, and the newer one. */
  #codes: readonly unknown[] | null = null;
  /** Of the chunk. */
  #from = 0;
  #level = 0;
  #inString = false;
  #isEscaped = false;
  /** The bytes of the last string: a key when a colon follows. */
  #text = Buffer.alloc(0);
  #value: {
    readonly key: string;
    readonly level: number;
    /** Of a member that announces something; null: it is a CRS, or an attribute. */
    readonly path: Path | null;
    readonly isAttribute: boolean;
    text: string;
  } | null = null;
  readonly #attributes: Attributes;

  constructor(attributes: Attributes = null) {
    this.#attributes = attributes;
  }

  get placed(): number {
    return this.#path.placed;
  }

  /** A list of features in the first text: no file of several texts has one. */
  get isOneText(): boolean {
    return this.#path.featureLists > 0;
  }

  read(chunk: Buffer): void {
    let at = this.#from === 0 && chunk.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark.length : 0;
    while (at < chunk.length) at = this.#inString ? this.#readString(chunk, at) : this.#readOutside(chunk, at);
    this.#from += chunk.length;
  }

  end(): void {
    const { featureLists, features } = this.#path;
    if (this.#inString || this.#level !== 0) throw new Error(unreadable(this.#from));
    if (this.roots > 1 && this.#featureRoots < this.roots)
      throw new Error(
        `holds ${this.roots} JSON texts, of which only the first would be read: write each to a file of its own`,
      );
    if (featureLists > 1) throw new Error('has the member "features" twice, of which only one would be read');
    if (this.#featureRoots > 0) return;
    const { error } = this.#announced;
    if (error !== null && featureLists === 0)
      throw new Error(`holds no data, but what an ArcGIS server or another one refused: ${quoted(error)}`);
    if (featureLists === 0 && typeof this.#announced.type !== 'string')
      throw new Error('has no "features" and no "type" of its own: write what is inside of it to a file of its own');
    const more = this.#announced.moreThan(features);
    if (more !== null) throw new Error(notWhole(features, more));
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
      if (kindOf[byte] === PLAIN || (byte === RECORD_SEPARATOR && this.#level === 0)) continue;
      if (kindOf[byte] === FORBIDDEN)
        throw new Error(`is not JSON: ${JSON.stringify(String.fromCharCode(byte))} at byte ${this.#from + at}`);
      if (kindOf[byte] === WORD || byte === QUOTE)
        this.#path.notNumber(chunk.toString('latin1', at, at + 8), { level: this.#level, at: this.#from + at });
      if (byte === QUOTE) {
        this.#inString = true;
        this.#text = Buffer.alloc(0);
        return at + 1;
      }
      this.#follow(byte, this.#from + at);
    }
    return chunk.length;
  }

  /** Goes up or down with a byte that is special. */
  #follow(byte: number, at: number): void {
    if (byte === COLON) this.#beginValue();
    else if (byte === COMMA) this.#path.comma();
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++this.#level > MOST_LEVELS) throw new Error(`is nested more than ${MOST_LEVELS} levels deep at byte ${at}`);
      if (this.#level === 1) this.#beginText();
      this.#path.open(this.#level, at, byte === OPEN_OBJECT);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#path.close(--this.#level, at);
      if (this.#level === 0 && this.#announced.type === 'Feature') this.#featureRoots++;
    }
  }

  #beginText(): void {
    this.roots++;
    this.#announced = new Announcements();
  }

  #beginValue(): void {
    if (this.#value) return;
    const name = nameOf(this.#text);
    const path = this.#path.enter(this.#level, name);
    const isAttribute = this.#path.isAttribute(this.#level) && this.#attributes?.names.has(name.toLowerCase()) === true;
    if (path !== null || isAttribute || isCrs.test(name))
      this.#value = { key: name, level: this.#level, path, isAttribute, text: '' };
  }

  /** Runs before the byte changes the level. */
  #readInValue(byte: number, bytes: Buffer): void {
    const { key, level, path, isAttribute, text } = this.#value!;
    if (this.#level > level || (byte !== COMMA && byte !== CLOSE_OBJECT)) {
      this.#collect(bytes);
      return;
    }
    this.#value = null;
    const written = Buffer.from(text, 'latin1').toString('utf8');
    const value = parsed(written);
    if (isAttribute) {
      if (value !== null) this.#attributes!.take(key, typeof value === 'string' ? value : written);
      return;
    }
    if (path) this.#announced.note(path, value);
    else checkCrsMember(key, value);
    if (!path && isReference.test(key)) this.#checkSame(value);
  }

  /** GDAL believes one of several, and places all features by it. */
  #checkSame(reference: unknown): void {
    const { wkid, latestWkid } = (reference ?? {}) as Readonly<Record<string, unknown>>;
    const codes = [wkid, latestWkid].filter((code) => typeof code === 'number');
    if (codes.length === 0) return;
    this.#codes ??= codes;
    if (!codes.some((code) => this.#codes!.includes(code)))
      throw new Error(
        `gives several reference systems (${String(this.#codes[0])} and ${String(codes[0])}): write the features of each to a file of its own`,
      );
  }

  #collect(bytes: Buffer): void {
    const value = this.#value!;
    value.text += bytes.toString('latin1');
    if (value.text.length > MOST_VALUE_BYTES)
      throw new Error(`has a "${value.key}" of more than ${MOST_VALUE_BYTES} bytes`);
  }
}

function notWhole(features: number, more: string): string {
  return (
    `holds only the first ${features} features of more: it says ${more}. Fetch the rest too: ogr2ogr whole.gpkg "ADDRESS/query?where=1=1&outFields=*&f=json" ` +
    'asks an ArcGIS server for page after page, and OAPIF:ADDRESS or WFS:ADDRESS in its place other servers; load-layers without --from fetches all ' +
    'of a layer by itself'
  );
}

/** Nearly all bytes of a file are digits: this loop decides how long the check takes. */
function nextSpecial(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && kindOf[chunk[at]!] === PLAIN) at++;
  return at;
}

/** Members that GDAL reads a CRS from; it ignores case. */
const isCrs = /^(crs|spatialReference)$/i;
const isReference = /^spatialReference$/i;

/** Returns a member's name from the bytes between its quotes; '' for one that is too long to be one of those that matter. */
function nameOf(bytes: Buffer): string {
  if (bytes.length === MOST_KEY_BYTES) return '';
  const name = bytes.includes(BACKSLASH) ? parsed(`"${bytes.toString('utf8')}"`) : bytes.toString('latin1');
  return typeof name === 'string' ? name : '';
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
