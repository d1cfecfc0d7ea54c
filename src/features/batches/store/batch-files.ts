import { renameSync, statSync, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { diskShortage } from '../../../messages/disk-floor.ts';
import type { ChunkName } from '../job.ts';
import { noRoom } from './room.ts';
import { randomUUID } from 'node:crypto';
import { moveIntoPlace } from '../../../core/files/replace.ts';

/** Answers that are stored, and that nobody finds yet. */
export interface WrittenAnswers {
  readonly bytes: number;
  /** Gives them the name by which they are found. At once, so that it can be a part of a transaction. */
  readonly keep: () => void;
  readonly drop: () => Promise<void>;
}

const BATCH_FOLDER = /^bat_[0-9a-f]{32}$/;

/** Files of the batches: one folder for each, with a file for the rows of each chunk and one for its answers. */
export class BatchFiles {
  readonly #options;

  constructor(options: {
    readonly dir: string;
    /** Free disk that batches leave. */
    readonly minFreeDiskBytes: number;
    /** Counts bytes that a batch keeps besides its answers against the share of its key; false when they are too many. */
    readonly mayKeep: (id: string, bytes: number) => boolean;
  }) {
    this.#options = options;
  }

  /** Returns the free bytes of the disk. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#options.dir);
    return bavail * bsize;
  }

  /** @throws AppError DB_ERROR when so many bytes more do not fit. */
  checkDisk(freeBytes: number, neededBytes: number): void {
    const { dir: folder, minFreeDiskBytes: minFreeBytes } = this.#options;
    const shortage = diskShortage(freeBytes, neededBytes, { folder, minFreeBytes });
    if (shortage !== null) throw noRoom(shortage);
  }

  /** Makes the folder of a batch. */
  async begin(id: string): Promise<void> {
    await mkdir(this.#folder(id));
    await syncFolder(this.#options.dir);
  }

  /** False when the folder of the batch is gone. @throws AppError when there is no room. */
  async writeRows(chunk: ChunkName, lines: Uint8Array): Promise<boolean> {
    this.checkDisk(await this.freeBytes(), 0);
    return await wroteToDisk(this.#file('input', chunk), lines);
  }

  /** Null when they are gone. */
  readRows(chunk: ChunkName): Promise<string | null> {
    return textOf(this.#file('input', chunk));
  }

  /** Writes answers under a name of their own. Null when the folder of the batch is gone. @throws AppError when there is no room. */
  async writeAnswers(to: ChunkName & { readonly attempt: string }, text: Uint8Array): Promise<WrittenAnswers | null> {
    this.checkDisk(await this.freeBytes(), text.length);
    const file = this.#file('result', to);
    const part = `${file}.${to.attempt}.part`;
    const drop = (): Promise<void> => rm(part, { force: true });
    try {
      if (!(await wroteToDisk(part, text))) return null;
    } catch (cause) {
      await drop();
      throw cause;
    }
    const keep = (): void => {
      renameSync(part, file);
    };
    return { bytes: text.length, keep, drop };
  }

  /** Null when there are none. */
  readAnswers(chunk: ChunkName): Promise<string | null> {
    return textOf(this.#file('result', chunk));
  }

  /** See `BatchStore.keptOrMade`. What is longer than `mostBytes` is not kept. @param id of the batch. */
  keptOrMade(
    { id, name, mostBytes }: { id: string; name: string; mostBytes: number },
    make: () => AsyncIterable<Uint8Array>,
  ): AsyncIterable<Uint8Array> {
    const hasRoom = async (): Promise<boolean> => {
      const { dir: folder, minFreeDiskBytes: minFreeBytes } = this.#options;
      return diskShortage(await this.freeBytes(), mostBytes, { folder, minFreeBytes }) === null;
    };
    const mayKeep = (bytes: number): boolean => this.#options.mayKeep(id, bytes);
    return keptOrMade(join(this.#folder(id), name), { mostBytes, hasRoom, mayKeep, make });
  }

  /** Says whether the answers of a chunk are in place; at once, so that it can be a part of a transaction. */
  hasAnswers(chunk: ChunkName): boolean {
    return statSync(this.#file('result', chunk), { throwIfNoEntry: false })?.isFile() === true;
  }

  /** Resolves when the names of a batch are on the disk; false when its folder is gone. */
  async sync(id: string): Promise<boolean> {
    return (await syncFolder(this.#folder(id)).catch(nullIfMissing)) !== null;
  }

  async remove(id: string): Promise<void> {
    await rm(this.#folder(id), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Ids of all folders. */
  async list(): Promise<readonly string[]> {
    return (await readdir(this.#options.dir)).filter((name) => BATCH_FOLDER.test(name));
  }

  #folder(id: string): string {
    return join(this.#options.dir, id);
  }

  #file(kind: 'input' | 'result', { id, index }: ChunkName): string {
    return join(this.#folder(id), `${kind}-${String(index).padStart(5, '0')}.ndjson`);
  }
}

/** Returns false when the folder is gone. */
async function wroteToDisk(file: string, bytes: Uint8Array): Promise<boolean> {
  const opened = await open(file, 'w', 0o600).catch(nullIfMissing);
  if (!opened) return false;
  await using handle = opened;
  await handle.writeFile(bytes);
  await handle.sync();
  return true;
}

function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(nullIfMissing);
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function nullIfMissing(cause: unknown): null {
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw cause;
}

/** Bytes that are read at once. */
const READ_BYTES = 128 * 1024;

/** Gives the bytes of a file, if it is there, otherwise those that are made, and keeps these as the file once all of them were taken. */
export async function* keptOrMade(
  file: string,
  {
    mostBytes,
    hasRoom,
    mayKeep,
    make,
  }: {
    readonly mostBytes: number;
    /** Whether the disk has room for so many. */
    readonly hasRoom: () => Promise<boolean>;
    /** Counts the bytes of the file against what its owner may keep; false when they are too many. */
    readonly mayKeep: (bytes: number) => boolean;
    readonly make: () => AsyncIterable<Uint8Array>;
  },
): AsyncGenerator<Uint8Array> {
  const kept = await open(file, 'r').catch(() => null);
  if (kept !== null) {
    await using handle = kept;
    yield* handle.createReadStream({ highWaterMark: READ_BYTES, autoClose: false }) as AsyncIterable<Uint8Array>;
    return;
  }
  // With a name of its own: another process may make the same file.
  const part = `${file}.${randomUUID()}.part`;
  await using keeping = new Keeping((await hasRoom()) ? await open(part, 'wx', 0o600).catch(() => null) : null, part);
  let left = mostBytes;
  for await (const bytes of make()) {
    left -= bytes.length;
    if (left < 0) await keeping.stop();
    else await keeping.add(bytes);
    yield bytes;
  }
  await keeping.finish(file, () => mayKeep(mostBytes - left));
}

/** A file while it is written. What cannot be kept is no failure of whoever takes the bytes. */
class Keeping implements AsyncDisposable {
  #handle: FileHandle | null;
  readonly #part: string;

  constructor(handle: FileHandle | null, part: string) {
    this.#handle = handle;
    this.#part = part;
  }

  async add(bytes: Uint8Array): Promise<void> {
    await this.#handle?.writeFile(bytes).catch(() => this.stop());
  }

  async finish(file: string, mayKeep: () => boolean): Promise<void> {
    if (this.#handle === null) return;
    try {
      await this.#handle.sync();
      // Another one may have kept it meanwhile.
      if (!existsSync(file) && mayKeep()) moveIntoPlace(this.#part, file);
      else await this.stop();
    } catch {
      await this.stop();
    }
  }

  async stop(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    if (handle === null) return;
    await handle.close();
    await rm(this.#part, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
