import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asTransient, checkStatus, IdleTimer, initOf, Transient } from './http.ts';
import { withRetries, type RetryPolicy } from './retry.ts';

/** A file as it was fetched: `state.json` beside it. */
export interface FileState {
  readonly format: 1;
  readonly url: string;
  readonly name: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** When it was fetched. */
  readonly finishedAt: string;
}

export interface FileDownload {
  readonly url: string;
  readonly folder: string;
  readonly retry: RetryPolicy;
  readonly idleMs: number;
  readonly onBytes: (bytes: number, total: number | null) => void;
}

/**
 * Fetches a file, unless the server says that the one in the folder is still the same. What broke off goes on where it
 * stopped, if the server still has the same file.
 * @throws Error when it cannot be had, is empty, or is a web page.
 */
export async function downloadFile(download: FileDownload): Promise<FileState> {
  mkdirSync(download.folder, { recursive: true });
  const stored = readFileState(download);
  try {
    return await withRetries(download.retry, () => fetchOnce(download, stored));
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${download.url}: ${cause.message}`;
    throw cause;
  }
}

/** What the folder holds of this URL, or null. */
export function readFileState({ url, folder }: Pick<FileDownload, 'url' | 'folder'>): FileState | null {
  const file = join(folder, 'state.json');
  if (!existsSync(file)) return null;
  const state = JSON.parse(readFileSync(file, 'utf8')) as FileState;
  return state.url === url && existsSync(join(folder, state.name)) ? state : null;
}

async function fetchOnce(download: FileDownload, stored: FileState | null): Promise<FileState> {
  const partial = partialOf(download);
  const idle = new IdleTimer(download.idleMs);
  try {
    const headers = partial ? partial.headers : conditions(stored);
    const response = await fetch(download.url, { ...initOf({ headers }), signal: idle.signal });
    if (response.status === 304 && stored) return stored;
    if (response.status === 416) {
      partial?.forget();
      throw new Transient('the rest of the file is not to be had');
    }
    checkStatus(response);
    const continues = partial !== null && response.status === 206;
    if (!continues) partial?.forget();
    await receive(response, download, { idle, from: continues ? partial.bytes : 0 });
    return await finish(response, download);
  } catch (cause) {
    throw asTransient(cause, idle);
  } finally {
    idle.stop();
  }
}

/** Conditions under which the server need not send the file again. */
function conditions(stored: FileState | null): Record<string, string> {
  if (stored?.etag != null) return { 'if-none-match': stored.etag };
  if (stored?.lastModified != null) return { 'if-modified-since': stored.lastModified };
  return {};
}

/** Far beyond any layer of the province: what is longer is not what was meant. */
const MOST_FILE_BYTES = 64 * 1024 ** 3;

const partFile = (folder: string): string => join(folder, 'file.part');
const partNote = (folder: string): string => join(folder, 'file.part.json');

/** What a broken attempt left, with the validator that tells whether the server still has the same file. */
function partialOf({ url, folder }: FileDownload) {
  const [file, note] = [partFile(folder), partNote(folder)];
  if (!existsSync(file) || !existsSync(note)) return null;
  const known = JSON.parse(readFileSync(note, 'utf8')) as { url: string; validator: string };
  const bytes = statSync(file).size;
  if (known.url !== url || bytes === 0) return null;
  return {
    bytes,
    headers: { range: `bytes=${bytes}-`, 'if-range': known.validator },
    forget: () => {
      rmSync(file, { force: true });
      rmSync(note, { force: true });
    },
  };
}

async function receive(
  response: Response,
  { url, folder, onBytes }: FileDownload,
  { idle, from }: { readonly idle: IdleTimer; readonly from: number },
): Promise<void> {
  const etag = response.headers.get('etag');
  // A weak tag does not promise the same bytes.
  const validator = etag?.startsWith('"') === true ? etag : response.headers.get('last-modified');
  if (validator !== null) writeFileSync(partNote(folder), JSON.stringify({ url, validator }));
  const length = Number(response.headers.get('content-length') ?? NaN);
  const total = Number.isFinite(length) ? from + length : null;
  let bytes = from;
  await writePart(partFile(folder), response.body, {
    from,
    onPiece: (length) => {
      idle.restart();
      onBytes((bytes += length), total);
    },
  });
  if (total !== null && bytes !== total && response.headers.get('content-encoding') === null)
    throw new Transient(`the file broke off after ${bytes} of ${total} bytes`);
}

interface PartWriting {
  readonly from: number;
  readonly onPiece: (bytes: number) => void;
}

/**
 * Each piece is in the file before the next is asked for, and the file is closed before anyone looks at its length: a stream that is
 * destroyed may still have a write under way, which would land behind what the next attempt appends.
 */
async function writePart(file: string, body: Response['body'], { from, onPiece }: PartWriting): Promise<void> {
  const target = await open(file, from > 0 ? 'a' : 'w');
  let bytes = from;
  try {
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      onPiece(piece.length);
      bytes += piece.length;
      if (bytes > MOST_FILE_BYTES) throw new Error(`the file is longer than ${MOST_FILE_BYTES} bytes`);
      await target.writeFile(piece);
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

async function finish(response: Response, { url, folder }: FileDownload): Promise<FileState> {
  const part = partFile(folder);
  rmSync(partNote(folder), { force: true });
  const bytes = statSync(part).size;
  if (bytes === 0) throw new Transient('the file is empty (0 bytes)');
  const hash = createHash('sha256');
  let start = '';
  for await (const piece of createReadStream(part) as AsyncIterable<Buffer>) {
    start ||= piece.subarray(0, 40).toString('latin1');
    hash.update(piece);
  }
  if (/^\s*</.test(start)) throw new Transient(`the file is a web page: ${JSON.stringify(start)}`);
  const state: FileState = {
    format: 1,
    url,
    name: `source-${basename(decodeURIComponent(new URL(url).pathname))}`,
    etag: response.headers.get('etag'),
    lastModified: response.headers.get('last-modified'),
    bytes,
    sha256: hash.digest('hex'),
    finishedAt: new Date().toISOString(),
  };
  renameSync(part, join(folder, state.name));
  writeFileSync(join(folder, 'state.json'), JSON.stringify(state, null, 2), { flush: true });
  return state;
}
