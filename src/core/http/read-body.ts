import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress, type ZlibOptions } from 'node:zlib';
import type { Request, Response } from 'express';
import { clientNetwork } from '../settings/networks.ts';
import { firstFault } from './utf8-fault.ts';
import { requireShape, type ShapeRules } from '../lookup/json-shape.ts';
import { AppError, badRequest } from '../../messages/problems.ts';
import { requestContextOf } from './request-context.ts';
import type { Services } from './services.ts';

interface Encoding {
  readonly decompressor: (options: Pick<ZlibOptions, 'chunkSize'>) => Transform;
  /** Of what is decompressed. Absent: as the route says. */
  readonly mostBytes?: number;
}

/** Of what is decompressed at once. With the 16 KiB of Node.js, gzip takes nearly twice the time. */
const DECOMPRESSED_AT_ONCE = 256 * 1024;

/** Of a body as it comes, compressed: 5,000 positions of three numbers of 17 digits have 124 kB. */
const MOST_BYTES_COMPRESSED = 160 * 1024;

/** Brotli takes four times as long as gzip for numbers: room for 5,000 positions of two. */
const MOST_BYTES_OF_BROTLI = 256 * 1024;

const encodings: Readonly<Record<string, Encoding>> = {
  gzip: { decompressor: createGunzip },
  // The same (RFC 9110, section 8.4.1.3).
  'x-gzip': { decompressor: createGunzip },
  deflate: { decompressor: createInflate },
  br: { decompressor: createBrotliDecompress, mostBytes: MOST_BYTES_OF_BROTLI },
  zstd: { decompressor: createZstdDecompress },
};

/** @param isOptional the body need not be there. @throws AppError BAD_REQUEST when the header does not call the body JSON. */
export function checkJson(req: Request, isOptional = false): void {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': chunked } = req.headers;
  if (type === 'application/json' && length !== undefined) return;
  if (isOptional && Number(length ?? 0) === 0 && chunked === undefined) return;
  if (!req.is('application/json')) {
    const detail = `send a body with Content-Type: application/json${isOptional ? ', or none' : ''}`;
    throw badRequest(detail, { reason: 'MEDIA_TYPE', param: 'Content-Type' });
  }
}

export interface JsonBodyOptions {
  /** Of the body as it comes, and when it is decompressed. */
  readonly mostBytes: number;
  /** Tells a client what to send. */
  readonly example: string;
  /** What is counted before it is parsed. Without it a body may have anything, and should be small. */
  readonly shape?: ShapeRules;
  /** True: the body is given as `SentText`, because its reader needs to parse a part of it alone. */
  readonly isText?: boolean;
}

/** A body that is not parsed, or is parsed already. */
export interface SentText {
  /** UTF-8 of a small body, which need not be JSON; null: look at its value. */
  readonly bytes: Buffer | null;
  /** The value of the whole body. @throws AppError BAD_REQUEST. */
  readonly value: () => unknown;
}

type BodyReaders = Pick<Services, 'bodies' | 'refusedRequests'>;

/** Bodies beyond this are parsed one after the other. */
const LARGE_BYTES = 16 * 1024;

/** Whether a body may turn out to be large. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined || !(Number(headers['content-length']) <= LARGE_BYTES);
}

/**
 * Reads the JSON body of a request, which is small without a key: the only place where that is done. Without a body it is undefined, and an empty one is `{}`.
 * @throws AppError BAD_REQUEST; RATE_LIMITED for a key that had too many requests refused; RATE_LIMITED or DB_ERROR when too many bodies are under way.
 */
export async function readJson(
  { bodies, refusedRequests }: BodyReaders,
  res: Response,
  options: JsonBodyOptions,
): Promise<unknown> {
  const { req } = res;
  const charset = charsetOf(req);
  const requestContext = requestContextOf(res);
  const { key } = requestContext;
  const mostBytes = key ? options.mostBytes : Math.min(options.mostBytes, LARGE_BYTES);
  const holder = key?.id ?? clientNetwork(req.ip);
  let heldBytes = 0;
  const willHold = (bytes: number): void => {
    bodies.hold(holder, bytes);
    heldBytes += bytes;
  };
  try {
    const sent = await collectBody(req, res, { mostBytes, willHold });
    if (sent === null) return given(undefined, options);
    const isLarge = mostBytes > LARGE_BYTES && (sent.encoding !== null || sent.bytes.length > LARGE_BYTES);
    // Nearly all bodies: without the promises of the others.
    if (!isLarge && sent.encoding === null)
      return options.isText ? unparsed(sent.bytes, charset, options) : jsonOf(sent.bytes, charset, options);
    const count = (bytes: number): void => {
      if (isLarge) requestContext.largeBodyBytes = (requestContext.largeBodyBytes ?? 0) + bytes;
    };
    const read = async (): Promise<unknown> =>
      given(jsonOf(await decompressed(sent, count), charset, options), options);
    if (!isLarge) return await read();
    return await bodies.inTurn(() => {
      // Others of the same moment may have been refused meanwhile.
      if (key) refusedRequests.check(key.id);
      count(sent.bytes.length);
      return read();
    });
  } finally {
    bodies.release(holder, heldBytes);
  }
}

/** A value that is parsed, as its reader wants it. */
function given(value: unknown, { isText }: JsonBodyOptions): unknown {
  return isText ? ({ bytes: null, value: () => value } satisfies SentText) : value;
}

function unparsed(bytes: Buffer, charset: string, options: JsonBodyOptions): SentText {
  return { bytes: charset === UTF_8 && isUtf8(bytes) ? bytes : null, value: () => jsonOf(bytes, charset, options) };
}

/** Reads a body of a request without a key; null when the request has none. @throws AppError BAD_REQUEST. */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  { mostBytes }: Pick<JsonBodyOptions, 'mostBytes'>,
): Promise<Buffer | null> {
  const sent = await collectBody(req, res, { mostBytes, willHold: () => undefined });
  return sent && (await decompressed(sent));
}

/** A body as it came. */
interface SentBody {
  /** Of the body as it comes, and when it is decompressed. */
  readonly mostBytes: number;
  readonly mostOfRoute: number;
  readonly bytes: Buffer;
  readonly encoding: Encoding | null;
}

/**
 * Returns null when the request has no body. Refuses one that is too large when its header says so, or else as soon as it is: body-parser
 * would answer when all of it has come.
 * @param willHold is told of bytes before they are held. @throws AppError when they are too many.
 * @throws AppError BAD_REQUEST, and what `willHold` throws.
 */
async function collectBody(
  req: IncomingMessage,
  res: ServerResponse,
  { mostBytes: mostOfRoute, willHold }: { readonly mostBytes: number; readonly willHold: (bytes: number) => void },
): Promise<SentBody | null> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': name } = req.headers;
  if (length === undefined && chunked === undefined) return null;
  const encoding = name === undefined ? null : encodingOf(name);
  const mostBytes = Math.min(mostOfRoute, encoding === null ? mostOfRoute : MOST_BYTES_COMPRESSED);
  const isLengthKnown = length !== undefined && chunked === undefined;
  if (isLengthKnown) {
    if (Number(length) > mostBytes) throw tooLarge(mostBytes, mostOfRoute);
    willHold(Number(length));
  }
  askForBody(req, res);
  const bytes = await collect(req, { mostBytes, mostOfRoute, willHold: isLengthKnown ? null : willHold });
  return { bytes, encoding, mostBytes: Math.min(mostOfRoute, encoding?.mostBytes ?? mostOfRoute), mostOfRoute };
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send the body. One that is refused before need not send it. */
export function askForBody({ headers, httpVersion }: IncomingMessage, res: ServerResponse): void {
  if (httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect ?? '')) res.writeContinue();
}

/** Pieces of a body that may be of any size, as many as the smallest bodies have bytes; beyond them each has so many bytes on average. Each costs some 4 µs. */
const MOST_SMALL_PIECES = 8 * 1024;
const SMALL_BYTES = 64;

function tooSmallPieces(): AppError {
  return badRequest('the body comes in too many small pieces: send larger ones', { reason: 'BODY_INCOMPLETE' });
}

function collect(
  req: IncomingMessage,
  options: { mostBytes: number; mostOfRoute: number; willHold: ((bytes: number) => void) | null },
): Promise<Buffer> {
  const { mostBytes, mostOfRoute, willHold } = options;
  return new Promise((resolve, reject) => {
    const expected = Math.min(Number(req.headers['content-length'] ?? 0), mostBytes);
    let memory: Buffer = NOTHING;
    let length = 0;
    let pieces = 0;
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (length + chunk.length > mostBytes) throw tooLarge(mostBytes, mostOfRoute);
        if (++pieces > MOST_SMALL_PIECES + length / SMALL_BYTES) throw tooSmallPieces();
        willHold?.(chunk.length);
        memory = length === 0 ? chunk : appended(memory, length, { chunk, expected });
        length += chunk.length;
      } catch (cause) {
        stop();
        req.pause();
        reject(AppError.from(cause));
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(memory.subarray(0, length));
    };
    const onClose = (): void => {
      stop();
      reject(badRequest('the body ended early', { reason: 'BODY_INCOMPLETE' }));
    };
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

const NOTHING = Buffer.alloc(0);

/**
 * Returns memory with a piece behind its first `length` bytes: a client may send bytes one by one, and each piece of Node.js takes some hundred bytes more.
 * @param expected bytes of all pieces, or 0.
 */
function appended(
  memory: Buffer,
  length: number,
  { chunk, expected }: { readonly chunk: Buffer; readonly expected: number },
): Buffer {
  let room = memory;
  if (length + chunk.length > memory.length) {
    room = Buffer.allocUnsafe(Math.max(length + chunk.length, expected, 2 * memory.length));
    memory.copy(room, 0, 0, length);
  }
  chunk.copy(room, length);
  return room;
}

/** Returns null for a body that is not compressed. @throws AppError BAD_REQUEST. */
function encodingOf(given: string): Encoding | null {
  const name = given.toLowerCase();
  if (name === 'identity') return null;
  const encoding = Object.hasOwn(encodings, name) ? encodings[name] : undefined;
  if (encoding) return encoding;
  throw badRequest('the body has a Content-Encoding that is not supported', {
    reason: 'ENCODING',
    param: 'Content-Encoding',
  });
}

/** @param count is told of bytes as they are decompressed, also of a body that turns out to be broken. @throws AppError BAD_REQUEST. */
function decompressed(
  { bytes, encoding, mostBytes, mostOfRoute }: SentBody,
  count: (bytes: number) => void = () => undefined,
): Buffer | Promise<Buffer> {
  if (encoding === null) return bytes;
  const stream = encoding.decompressor({ chunkSize: Math.min(mostBytes, DECOMPRESSED_AT_ONCE) });
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      count(part.length);
      if (length > mostBytes) stream.destroy(tooLarge(mostBytes, mostOfRoute));
    });
    stream.on('end', () => {
      resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    });
    stream.on('error', (cause) => {
      const isOurs = cause instanceof AppError;
      const broken = 'the body is not what its Content-Encoding says';
      reject(isOurs ? cause : badRequest(broken, { reason: 'BODY_INCOMPLETE', cause }));
    });
    stream.end(bytes);
  });
}

const UTF_8 = 'utf-8';
const utf8 = new TextDecoder(UTF_8);

/** @throws AppError BAD_REQUEST for a charset of `Content-Type` that no JSON has. */
function charsetOf({ headers }: IncomingMessage): string {
  if (headers['content-type'] === 'application/json') return UTF_8;
  const given = /;\s*charset\s*=\s*(?:"\s*([^"]*?)\s*"|([^";\s]*))/i.exec(headers['content-type'] ?? '');
  const charset = (given?.[1] ?? given?.[2] ?? UTF_8).toLowerCase();
  // Many clients write it so, and what is ASCII is UTF-8.
  if ([UTF_8, 'utf8', 'us-ascii'].includes(charset)) return UTF_8;
  if (/^utf-16(le|be)?$/.test(charset)) return charset;
  throw badRequest('the body must be UTF-8', { reason: 'ENCODING', param: 'Content-Type' });
}

/** @throws AppError BAD_REQUEST for bytes that are not of the charset: a text with other letters would be another place. */
function textOf(bytes: Buffer, charset: string): string {
  if (charset === UTF_8) {
    if (isUtf8(bytes)) return utf8.decode(bytes);
    const at = firstFault(bytes);
    const fault = `the body is not UTF-8, at byte ${at + 1} (0x${bytes[at]!.toString(16).padStart(2, '0')}): send UTF-8`;
    throw badRequest(fault, { reason: 'ENCODING', param: '' });
  }
  // Which one it is, its mark says (RFC 2781, section 3.2).
  const isBigEndian = charset === 'utf-16' && bytes[0] === 0xfe && bytes[1] === 0xff;
  try {
    return new TextDecoder(isBigEndian ? 'utf-16be' : charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badRequest(`the body is not ${charset}, as its Content-Type says`, { reason: 'ENCODING', param: '', cause });
  }
}

function jsonOf(bytes: Buffer, charset: string, { example, shape }: JsonBodyOptions): unknown {
  const text = textOf(bytes, charset);
  if (text === '') return {};
  if (shape) requireShape(charset === UTF_8 ? bytes : Buffer.from(text), shape);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw badRequest(`the body is not JSON: send ${example}`, { reason: 'NOT_JSON', param: '', cause });
  }
}

/** @param mostOfRoute what an uncompressed body may have. */
function tooLarge(mostBytes: number, mostOfRoute: number): AppError {
  const advice = mostBytes < mostOfRoute ? `: without Content-Encoding it may have ${mostOfRoute / 1024}` : '';
  return badRequest(`the body is larger than ${mostBytes / 1024} KiB${advice}`, { reason: 'BODY_TOO_LARGE' });
}
