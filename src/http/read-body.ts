import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify, TextDecoder } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress, type InputType } from 'node:zlib';
import type { Request, RequestHandler } from 'express';
import { firstFault } from '../rows/checked-text.ts';
import { badRequest, type AppError } from '../shared/problems.ts';

export interface BodyOptions {
  /** Of the body as it comes, and when it is decompressed. */
  readonly mostBytes: number;
}

type Decompress = (bytes: InputType, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decompressors: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

export const requireJson: RequestHandler = (req, _res, next) => {
  checkJson(req);
  next();
};

/** @throws AppError BAD_REQUEST when the header does not call the body JSON. */
export function checkJson(req: Request): void {
  const { 'content-type': type, 'content-length': length } = req.headers;
  if (type === 'application/json' && length !== undefined) return;
  if (!req.is('application/json')) {
    throw notJson('send a body with Content-Type: application/json');
  }
}

/** The same for a body that need not be there. */
export const requireJsonIfAny: RequestHandler = (req, _res, next) => {
  const isEmpty = Number(req.headers['content-length'] ?? 0) === 0 && req.headers['transfer-encoding'] === undefined;
  if (!isEmpty && !req.is('application/json'))
    throw notJson('send a body with Content-Type: application/json, or none');
  next();
};

/** The failure of a body that its header does not call JSON. */
function notJson(detail: string): AppError {
  return badRequest(detail, { reason: 'MEDIA_TYPE', param: 'Content-Type' });
}

export interface JsonBodyOptions extends BodyOptions {
  /** Tells a client what to send. */
  readonly example: string;
}

/** Reads a JSON body into `req.body`. */
export function jsonBody(options: JsonBodyOptions): RequestHandler {
  return async (req, res, next) => {
    req.body = await readJson(req, res, options);
    next();
  };
}

/** Reads a JSON body. Without one it is undefined, and an empty one is `{}`. @throws AppError BAD_REQUEST. */
export async function readJson(
  req: IncomingMessage,
  res: ServerResponse,
  { mostBytes, example }: JsonBodyOptions,
): Promise<unknown> {
  const charset = charsetOf(req);
  const bytes = await readBody(req, res, { mostBytes });
  return bytes === null ? undefined : parse(textOf(bytes, charset), example);
}

/**
 * Reads a body; null when the request has none. Refuses one that is too large when its header says so, or else as soon as it is: body-parser
 * would answer when all of it has come.
 * @throws AppError BAD_REQUEST.
 */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  { mostBytes }: BodyOptions,
): Promise<Buffer | null> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-encoding': encoding } = req.headers;
  if (length === undefined && chunked === undefined) return null;
  const decompress = decompressorOf(encoding);
  if (Number(length ?? 0) > mostBytes) throw tooLarge(mostBytes);
  askForBody(req, res);
  const bytes = await collect(req, mostBytes);
  return decompress ? await decompressed(bytes, decompress, mostBytes) : bytes;
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send the body. One that is refused before need not send it. */
export function askForBody({ headers, httpVersion }: IncomingMessage, res: ServerResponse): void {
  if (httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect ?? '')) res.writeContinue();
}

function collect(req: IncomingMessage, mostBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= mostBytes) return;
      stop();
      req.pause();
      reject(tooLarge(mostBytes));
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    };
    const onClose = (): void => {
      stop();
      reject(badRequest('the body ended early', { reason: 'BODY_INCOMPLETE' }));
    };
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** Returns null for a body that is not compressed. @throws AppError BAD_REQUEST. */
function decompressorOf(encoding = 'identity'): Decompress | null {
  const name = encoding.toLowerCase();
  if (name === 'identity') return null;
  const decompress = Object.hasOwn(decompressors, name) ? decompressors[name] : undefined;
  if (decompress) return decompress;
  throw badRequest('the body has a Content-Encoding that is not supported', {
    reason: 'ENCODING',
    param: 'Content-Encoding',
  });
}

async function decompressed(bytes: Buffer, decompress: Decompress, mostBytes: number): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: mostBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(mostBytes);
    throw badRequest('the body is not what its Content-Encoding says', { reason: 'BODY_INCOMPLETE', cause });
  }
}

const UTF_8 = 'utf-8';
const utf8 = new TextDecoder(UTF_8);

/** @throws AppError BAD_REQUEST for a charset of `Content-Type` that no JSON has. */
function charsetOf({ headers }: IncomingMessage): string {
  if (headers['content-type'] === 'application/json') return UTF_8;
  const given = /;\s*charset\s*=\s*(?:"\s*([^"]*?)\s*"|([^";\s]*))/i.exec(headers['content-type'] ?? '');
  const charset = (given?.[1] ?? given?.[2] ?? UTF_8).toLowerCase();
  // Many clients write it so.
  if (charset === UTF_8 || charset === 'utf8') return UTF_8;
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
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badRequest(`the body is not ${charset}, as its Content-Type says`, { reason: 'ENCODING', param: '', cause });
  }
}

function parse(text: string, example: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw badRequest(`the body is not JSON: send ${example}`, { reason: 'NOT_JSON', param: '', cause });
  }
}

function tooLarge(mostBytes: number): AppError {
  return badRequest(`the body is larger than ${mostBytes / 1024} KiB`, { reason: 'BODY_TOO_LARGE' });
}
