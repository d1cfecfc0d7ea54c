import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type FileState, type PartialFile, FileStore, isUnusedAndFresh } from './file-store.ts';
import {
  type FileVersion,
  ifStillSame,
  isOtherVersion,
  isSameVersion,
  isUntold,
  unlessSame,
  versionOf,
} from './file-version.ts';
import { type Answer, checkStatus, contentRange, send } from '../../core/outbound/client.ts';
import { Transient } from '../../core/outbound/failures.ts';
import { checkLogin, LOGIN_BYTES } from './login-page.ts';
import { type RetryPolicy, withRetries } from '../../core/outbound/retry.ts';
import type { DiskFloor } from '../../messages/disk-floor.ts';
import { checkDiskSpace } from '../../core/snapshots/building.ts';
import { type FileHandle, open } from 'node:fs/promises';

interface FileDownload {
  readonly url: string;
  readonly folder: string;
  readonly retry: RetryPolicy;
  readonly idleMs: number;
  /** Free disk that the download leaves; 256 MiB when absent, because an import that follows needs the disk too. */
  readonly minFreeBytes?: number;
  readonly onBytes: (bytes: number, total: number | null) => void;
}

/**
 * Fetches a file, unless the one in the folder is unchanged. An interrupted download continues where it stopped, also
 * in a later process, if the server still has the same file. An attempt that brought data does not count against the
 * number of attempts.
 * @throws Error when it cannot be fetched, is empty, is a web page, or does not fit on the disk.
 */
export async function downloadFile(download: FileDownload): Promise<FileState> {
  const store = new FileStore(download.folder, download.url);
  let most = store.readPartial()?.bytes ?? 0;
  const hasProgressed = () => {
    const now = store.readPartial()?.bytes ?? 0;
    const isMore = now > most;
    most = Math.max(most, now);
    return isMore;
  };
  try {
    return await withRetries(download.retry, () => fetchOnce(download, store), hasProgressed);
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${download.url}: ${cause.message}`;
    throw cause;
  }
}

async function fetchOnce(download: FileDownload, store: FileStore): Promise<FileState> {
  const partial = store.readPartial();
  if (partial && !partial.isWhole) return fetchRest(download, store, partial);
  return fetchUnlessSame(download, store, partial?.version ?? null);
}

/** `whole` is a file with every byte on the disk that has not yet replaced the stored one. */
async function fetchUnlessSame(
  download: FileDownload,
  store: FileStore,
  whole: FileVersion | null,
): Promise<FileState> {
  const stored = store.readState();
  const known = whole ?? (stored?.check === 'damaged' ? null : stored);
  const response = await get(download, known ? unlessSame(known) : {});
  const isUnchanged = response.status === 304;
  if (!isUnchanged) checkStatus(response);
  if (!known || !(isUnchanged || isStill(known, versionOf(response)))) return fetchWhole(response, download, store);
  await response.cancel();
  return whole ? finish(download, { store, version: whole }) : stored!;
}

function get({ url, idleMs }: FileDownload, headers: Readonly<Record<string, string>>): Promise<Answer> {
  // Ranges count the bytes that are sent, so the server must not compress them.
  return send({ url, idleMs, headers: { 'accept-encoding': 'identity', ...headers } });
}

/** Says whether the offered file is the known one, for servers that ignore conditions and always send the file. */
function isStill(known: FileVersion | FileState, offered: FileVersion): boolean {
  if (isSameVersion(known, offered)) return true;
  const isFresh = !('check' in known) || isUnusedAndFresh(known);
  return isFresh && isUntold(known) && isUntold(offered) && known.bytes !== null && known.bytes === offered.bytes;
}

async function fetchWhole(response: Answer, download: FileDownload, store: FileStore): Promise<FileState> {
  const version = versionOf(response);
  checkDiskSpace(floorOf(download), version.bytes ?? 0);
  store.beginPartial(version);
  await receive(response, download, { store, from: 0, version });
  return finish(download, { store, version });
}

/** Bytes that are fetched again and compared when a server offers nothing to identify the file. */
const OVERLAP_BYTES = 4096;

async function fetchRest(
  download: FileDownload,
  store: FileStore,
  { bytes, version }: PartialFile,
): Promise<FileState> {
  const condition = ifStillSame(version);
  const overlap = 'if-range' in condition ? 0 : Math.min(bytes, OVERLAP_BYTES);
  const from = bytes - overlap;
  const response = await get(download, { range: `bytes=${from}-`, ...condition });
  if (response.status === 200) return fetchWhole(response, download, store);
  if (response.status !== 416) checkStatus(response);
  const part = contentRange(response.headers);
  if (response.status !== 206 || part?.from !== from || isOtherVersion(version, versionOf(response))) {
    await response.cancel();
    store.forgetPartial();
    throw new Transient(
      'the rest of the file is not to be had: the server has another file now, or does not say what it sends',
    );
  }
  checkDiskSpace(floorOf(download), Math.max(0, (version.bytes ?? 0) - bytes));
  await receive(response, download, { store, from, overlap, version });
  return finish(download, { store, version });
}

const SPARE_BYTES = 256 * 1024 ** 2;

/** Checked before the first gigabyte, and with each piece: the server need not say how long the file is. */
function floorOf({ folder, minFreeBytes = SPARE_BYTES }: FileDownload): DiskFloor {
  return { folder, minFreeBytes };
}

async function receive(
  response: Answer,
  download: FileDownload,
  {
    store,
    from,
    overlap = 0,
    version,
  }: {
    readonly store: FileStore;
    /** Position in the file of the first byte that arrives. */
    readonly from: number;
    /** Number of first bytes that are already on the disk. */
    readonly overlap?: number;
    readonly version: FileVersion;
  },
): Promise<void> {
  const { onBytes } = download;
  let bytes = from + overlap;
  if (from > 0) onBytes(bytes, version.bytes);
  await writePart(store, response.body, {
    from,
    overlap,
    onPiece: (length) => {
      checkDiskSpace(floorOf(download));
      onBytes((bytes += length), version.bytes);
    },
  });
  if (version.bytes !== null && bytes !== version.bytes)
    throw new Transient(`the file broke off after ${bytes} of ${version.bytes} bytes`);
}

async function finish(
  { url }: FileDownload,
  { store, version }: { readonly store: FileStore; readonly version: FileVersion },
): Promise<FileState> {
  const hash = createHash('sha256');
  let [start, bytes] = ['', 0];
  for await (const piece of createReadStream(store.partFile) as AsyncIterable<Buffer>) {
    start ||= piece.subarray(0, LOGIN_BYTES).toString('latin1');
    bytes += piece.length;
    hash.update(piece);
  }
  if (bytes === 0 || /^\s*</.test(start)) {
    store.forgetPartial();
    checkLogin({ url, status: 200 }, start);
    const what = bytes === 0 ? 'empty (0 bytes)' : `a web page: ${JSON.stringify(start.slice(0, 40))}`;
    throw new Transient(`the file is ${what}`);
  }
  const sha256 = hash.digest('hex');
  const before = store.readState();
  const isDamagedStill = before?.check === 'damaged' && before.sha256 === sha256;
  const state: FileState = {
    format: 1,
    url,
    name: `source-${basename(decodeURIComponent(new URL(url).pathname))}`,
    etag: version.etag,
    lastModified: version.lastModified,
    bytes,
    sha256,
    finishedAt: new Date().toISOString(),
    usedAt: null,
    check: isDamagedStill ? 'damaged at its server' : null,
  };
  store.takeOver(state);
  return state;
}

/** Far above any layer of the province; a longer file is not the intended one. */
const MOST_FILE_BYTES = 64 * 1024 ** 3;

/**
 * Appends what arrives to the partial file. It writes each piece before it reads the next, and closes the file before
 * anyone reads its length. A destroyed stream could still have a write under way, which would land after the bytes of
 * the next attempt.
 * @throws Transient when the first bytes differ from those on the disk: the server has another file.
 */
async function writePart(
  store: FileStore,
  pieces: AsyncIterable<Uint8Array>,
  {
    from,
    overlap,
    onPiece,
  }: {
    /** Position in the file of the first byte that arrives. */
    readonly from: number;
    /** Number of first bytes that are already on the disk; they are compared. */
    readonly overlap: number;
    /** Called with the length of each piece that is new. */
    readonly onPiece: (bytes: number) => void;
  },
): Promise<void> {
  const target = await open(store.partFile, 'a');
  try {
    let at = from;
    for await (const piece of pieces) {
      const known = piece.subarray(0, Math.max(0, from + overlap - at));
      if (known.length > 0 && !store.holds(known, at)) refuse(store);
      at += piece.length;
      if (at > MOST_FILE_BYTES) throw new Error(`the file is longer than ${MOST_FILE_BYTES} bytes`);
      await append(target, piece.subarray(known.length), onPiece);
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

async function append(target: FileHandle, piece: Uint8Array, onPiece: (bytes: number) => void): Promise<void> {
  onPiece(piece.length);
  if (piece.length > 0) await target.writeFile(piece);
}

function refuse(store: FileStore): never {
  store.forgetPartial();
  throw new Transient('the file at the server is another one than the one that was begun');
}
