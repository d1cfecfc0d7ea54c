import { existsSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RetryPolicy, withRetries } from '../../core/outbound/retry.ts';
import { type ChunkList, parseChunkList, chunkSpan } from '../../messages/chunk-list.ts';
import type { SnapshotManifest, StoredSnapshot } from '../../messages/manifest.ts';
import { idInService, readableSnapshots, readManifest } from '../../core/snapshots/current.ts';
import { checkDiskSpace, takeImportLock, openPulling } from '../../core/snapshots/building.ts';
import { snapshotsFolder } from '../../core/snapshots/folders.ts';
import { publishSnapshot, useSnapshot } from '../../core/snapshots/publish.ts';
import { ChunkFile } from './chunk-file.ts';
import { parseForeignManifest } from './foreign-manifest.ts';
import { type SnapshotFile, type SnapshotPlace, NotThere, readCurrentId } from './place.ts';
import { Transient } from '../../core/outbound/failures.ts';
import type { DiskFloor } from '../../messages/disk-floor.ts';

export interface SnapshotPull {
  readonly dataDir: string;
  /** Free disk that the pull leaves. */
  readonly minFreeBytes: number;
  readonly retry: RetryPolicy;
  /**
   * Checks a snapshot in its folder before it is put into service.
   * @throws Error when it cannot be served.
   */
  readonly verify: (folder: string) => Promise<void>;
  /** Called while chunks arrive: bytes that are on the disk, those of the whole file, and those that a run before or the last snapshot had. */
  readonly onProgress: (done: number, total: number, found: number) => void;
}

export interface PulledSnapshot {
  readonly id: string;
  /** `in service`: nothing to do. `stored`: it was on the disk. */
  readonly was: 'in service' | 'stored' | 'elsewhere';
  /** Bytes of land.gpkg that came from the place, in this run. */
  readonly fetchedBytes: number;
  readonly bytes: number;
}

/**
 * Fetches the snapshot that a place has in service, checks it, and puts it into service here. It fetches only chunks that neither an interrupted
 * pull nor the last snapshot here has.
 * @throws Error that names the place and says what is wrong; the snapshot in service is then unchanged.
 */
export async function pullSnapshot(place: SnapshotPlace, pull: SnapshotPull): Promise<PulledSnapshot> {
  const { dataDir } = pull;
  const lock = takeImportLock(dataDir);
  try {
    const id = await withRetries(pull.retry, () => readCurrentId(place));
    return await bringIntoService(id, place, pull);
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${place.name}: ${cause.message}`;
    throw cause;
  } finally {
    lock[Symbol.dispose]();
  }
}

async function bringIntoService(id: string, place: SnapshotPlace, pull: SnapshotPull): Promise<PulledSnapshot> {
  const { dataDir, verify } = pull;
  const last = lastSnapshot(dataDir);
  const stored = join(snapshotsFolder(dataDir), id);
  const bytes = last?.manifest.checksum.bytes ?? 0;
  if (last?.id === id && idInService(dataDir) === id) return { id, was: 'in service', fetchedBytes: 0, bytes };
  if (existsSync(join(stored, 'manifest.json'))) {
    checkKind(readManifest(stored), last);
    await verify(stored);
    useSnapshot(dataDir, id);
    return { id, was: 'stored', fetchedBytes: 0, bytes };
  }
  return await fetchSnapshot({ id, place, last }, pull);
}

interface Wanted {
  readonly id: string;
  readonly place: SnapshotPlace;
  /** Newest snapshot here, whose chunks need not be fetched. */
  readonly last: StoredSnapshot | null;
}

async function fetchSnapshot({ id, place, last }: Wanted, pull: SnapshotPull): Promise<PulledSnapshot> {
  const { dataDir, verify } = pull;
  const read = (file: SnapshotFile): Promise<string> => readFile(place, id, { file, pull });
  const manifest = parseForeignManifest(await read('manifest.json'), id);
  checkKind(manifest, last);
  const text = await read('chunks.json');
  const list = parseChunkList(text, 'chunks.json', manifest.checksum);
  const folder = openPulling(dataDir, id);
  const fetchedBytes = await fillLandFile({ id, place, last }, { folder, list, pull });
  writeFileSync(join(folder, 'chunks.json'), text);
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  try {
    await verify(folder);
  } catch (cause) {
    // Every chunk is as stated: fetching it again would bring the same.
    rmSync(folder, { recursive: true });
    throw cause;
  }
  publishSnapshot(dataDir, folder, manifest);
  return { id, was: 'elsewhere', fetchedBytes, bytes: list.bytes };
}

/** Far above the files of any snapshot but `land.gpkg`. */
const MOST_TEXT_BYTES = 32 * 1024 ** 2;

async function readFile(
  place: SnapshotPlace,
  id: string,
  { file, pull }: { readonly file: SnapshotFile; readonly pull: SnapshotPull },
): Promise<string> {
  try {
    return await withRetries(pull.retry, () => place.readText(`${id}/${file}`, MOST_TEXT_BYTES));
  } catch (cause) {
    if (!(cause instanceof NotThere)) throw cause;
    const hint =
      file === 'chunks.json'
        ? 'an earlier version made this snapshot: run "land-lookup snapshot verify" on the machine that has it'
        : 'it may have been deleted since: try again';
    throw new Error(`${cause.message}; ${hint}`, { cause });
  }
}

function checkKind({ sample, gazetteer }: SnapshotManifest, last: StoredSnapshot | null): void {
  if (sample && last?.manifest.sample === false)
    throw new Error('it has the invented sample in service, which does not replace real data');
  if (gazetteer === null && last?.manifest.gazetteer)
    throw new Error('it has a snapshot without addresses in service, which does not replace one with addresses');
}

/** Makes the `land.gpkg` of the folder. Returns the number of bytes that came from the place. */
async function fillLandFile(
  { id, place, last }: Wanted,
  { folder, list, pull }: { folder: string; list: ChunkList; pull: SnapshotPull },
): Promise<number> {
  const { minFreeBytes, retry, onProgress } = pull;
  const floor = { folder, minFreeBytes };
  const file = new ChunkFile(join(folder, 'land.gpkg'), list);
  try {
    checkDiskSpace(floor, file.missingBytes);
    const chunks = last ? readChunks(last) : null;
    if (last && chunks) file.takeFrom(join(last.dir, 'land.gpkg'), chunks);
    const found = list.bytes - file.missingBytes;
    onProgress(found, list.bytes, found);
    let fetched = 0;
    const onBytes = (bytes: number): void => {
      fetched += bytes;
      onProgress(list.bytes - file.missingBytes, list.bytes, found);
    };
    await fetchChunks({ place, id, list, file, retry, floor, onBytes });
    file.sync();
    return fetched;
  } finally {
    file[Symbol.dispose]();
  }
}

/** The snapshot in service, or the newest that can be read when none is. */
function lastSnapshot(dataDir: string): StoredSnapshot | null {
  const stored = readableSnapshots(dataDir);
  return stored.find(({ id }) => id === idInService(dataDir)) ?? stored[0] ?? null;
}

/** Returns the chunks of a stored snapshot; null when an earlier version published it without, or the list is damaged. */
function readChunks({ dir, manifest }: Pick<StoredSnapshot, 'dir' | 'manifest'>): ChunkList | null {
  const file = join(dir, 'chunks.json');
  try {
    return existsSync(file) ? parseChunkList(readFileSync(file, 'utf8'), file, manifest.checksum) : null;
  } catch {
    return null;
  }
}

interface ChunkFetch {
  readonly place: SnapshotPlace;
  readonly id: string;
  readonly list: ChunkList;
  readonly file: ChunkFile;
  readonly retry: RetryPolicy;
  readonly floor: DiskFloor;
  /** Called with the length of each piece that arrives. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Fetches the chunks that the file lacks, neighbours by one request. After a broken connection it goes on with the byte that it reached. An
 * attempt that brought data does not count against the number of attempts.
 * @throws Error when they cannot be fetched, or one has another checksum twice; or when the disk has no room.
 */
async function fetchChunks(fetch: ChunkFetch): Promise<void> {
  for (const run of runsOf(fetch.file.missing)) {
    const receiver = new Receiver(run, fetch);
    let most = receiver.received;
    await withRetries(
      fetch.retry,
      () => receiver.fetch(),
      () => most < (most = receiver.received),
    );
  }
}

interface Run {
  readonly first: number;
  readonly last: number;
}

function runsOf(missing: Iterable<number>): Run[] {
  const runs: { first: number; last: number }[] = [];
  for (const index of missing) {
    const run = runs.at(-1);
    if (run?.last === index - 1) run.last = index;
    else runs.push({ first: index, last: index });
  }
  return runs;
}

/** Receives neighbouring chunks and stores each as soon as it is whole. */
class Receiver {
  readonly #fetch: ChunkFetch;
  readonly #run: Run;
  readonly #buffer: Buffer;
  #index: number;
  /** Bytes of the chunk `#index` that are in the buffer. */
  #filled = 0;
  /** The chunk that arrived with another checksum. */
  #damaged: number | null = null;
  /** Bytes in all attempts. */
  received = 0;

  constructor(run: Run, fetch: ChunkFetch) {
    this.#fetch = fetch;
    this.#run = run;
    this.#index = run.first;
    this.#buffer = Buffer.allocUnsafe(fetch.list.chunkBytes);
  }

  /** One attempt. */
  async fetch(): Promise<void> {
    const { place, id, list, onBytes } = this.#fetch;
    const { to } = chunkSpan(list, this.#run.last);
    const from = chunkSpan(list, this.#index).from + this.#filled;
    for await (const piece of place.readPart(`${id}/land.gpkg`, from, to)) {
      onBytes(piece.length);
      this.received += piece.length;
      this.#take(piece);
    }
    if (this.#index <= this.#run.last) throw new Transient('the file broke off');
  }

  #take(piece: Uint8Array): void {
    const { list } = this.#fetch;
    for (let at = 0; at < piece.length;) {
      if (this.#index > this.#run.last) throw new Error('the server sends more than it was asked for');
      const { from, to } = chunkSpan(list, this.#index);
      const part = piece.subarray(at, at + to - from - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === to - from) this.#store();
    }
  }

  #store(): void {
    const { file, floor, list, id } = this.#fetch;
    const chunk = this.#buffer.subarray(0, this.#filled);
    checkDiskSpace(floor, chunk.length);
    this.#filled = 0;
    if (file.put(this.#index, chunk)) {
      this.#index++;
      return;
    }
    const { from, to } = chunkSpan(list, this.#index);
    const words = `${id}/land.gpkg is damaged: bytes ${from} to ${to - 1} have another checksum than chunks.json states`;
    // It may have been damaged on its way, which another attempt shows.
    if (this.#damaged === this.#index) throw new Error(words);
    this.#damaged = this.#index;
    throw new Transient(words);
  }
}
