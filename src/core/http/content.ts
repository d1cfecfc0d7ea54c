import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { projectDir } from '../../project/project.ts';

/** The best first: Brotli's copies of the page's scripts are a fifth smaller than gzip's. */
export const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

/** `npm run build` puts the compressed copies of static files here, under the hash of what they are copies of. */
export const compressedDir = join(projectDir, 'dist', 'static');

/** A compressed copy that saves fewer bytes than this is not worth the client's work. */
const LEAST_SAVED_BYTES = 256;

/** Path below `compressedDir`. */
export function compressedName(hash: string, encoding: Encoding): string {
  return `${hash}.${encoding === 'br' ? 'br' : 'gz'}`;
}

export function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Compresses in libuv's threads. `best` takes seconds for a large script; otherwise it takes some 20 ms per MB. */
export function compress(bytes: Buffer, encoding: Encoding, { best = false } = {}): Promise<Buffer> {
  if (encoding === 'gzip') return zip(bytes, { level: best ? 9 : 6 });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: best ? 11 : 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotli(bytes, { params });
}

/** Bytes that many clients get. All of them share one copy in memory, and one compressed copy for each encoding. */
export class Content {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly #copies = new Map<Encoding, Promise<Buffer | null>>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.hash = hashOf(bytes);
  }

  /** Returns the copy that `npm run build` has made, otherwise makes one; null when it would hardly be smaller. */
  compressed(encoding: Encoding): Promise<Buffer | null> {
    let copy = this.#copies.get(encoding);
    if (!copy) {
      copy = this.#read(encoding).then((bytes) =>
        bytes.length + LEAST_SAVED_BYTES < this.bytes.length ? bytes : null,
      );
      copy.catch(() => this.#copies.delete(encoding));
      this.#copies.set(encoding, copy);
    }
    return copy;
  }

  #read(encoding: Encoding): Promise<Buffer> {
    return readFile(join(compressedDir, compressedName(this.hash, encoding))).catch(() =>
      compress(this.bytes, encoding),
    );
  }
}

/**
 * Returns what a function makes of some parts, such as the snapshot in service. It is made when it is first asked for, and again when one of the parts is
 * another value than before; the last one alone is kept. So a document costs nothing when it is asked for again.
 */
export function kept<Made>(parts: () => readonly unknown[], make: () => Made): () => Made {
  let last: { readonly parts: readonly unknown[]; readonly made: Made } | undefined;
  return () => {
    const now = parts();
    if (last === undefined || now.some((part, i) => part !== last?.parts[i])) last = { parts: now, made: make() };
    return last.made;
  };
}

/** Returns a text that is made of some parts, kept as content. */
export function contentOf(parts: () => readonly unknown[], text: () => string): () => Content {
  return kept(parts, () => new Content(Buffer.from(text())));
}

/**
 * Sends content in the best encoding that the client takes, or 304 when the client has it.
 * @param type the `Content-Type`.
 * @param isNamedByContent true: the URL is of this content only, so that browsers keep it for a year. Otherwise they ask each time whether it has changed.
 */
export async function sendContent(
  req: Request,
  res: Response,
  content: Content,
  sending: { readonly type: string; readonly isNamedByContent?: boolean },
): Promise<void> {
  const { type, isNamedByContent = false } = sending;
  res.vary('Accept-Encoding');
  res.setHeader('Cache-Control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache');
  // Weak, because it is the same for all encodings.
  res.setHeader('ETag', `W/"${content.hash}"`);
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  const encoding = encodings.find((one) => req.acceptsEncodings(one));
  const copy = encoding === undefined ? null : await content.compressed(encoding);
  if (encoding !== undefined && copy) res.setHeader('Content-Encoding', encoding);
  const bytes = copy ?? content.bytes;
  // Not `res.set`, which would add a charset that JSON does not have.
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}
