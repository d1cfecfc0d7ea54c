import { renameSync, statSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { diskShortage } from '../../../messages/disk-floor.ts';
import type { ChunkName } from '../job.ts';
import { keptOrMade } from './kept-file.ts';
import { noRoom } from './room.ts';

/** Answers that are stored, and that nobody finds yet. */
export interface WrittenAnswers {
  readonly bytes: number;
  /** Gives them the name by which they are found. At once, so that it can be a part of a transaction. */
  readonly keep: () => void;
  readonly drop: () => Promise<void>;
}

/** A file that is made of the answers of a batch. */
export interface KeptFile {
  /** Of the batch. */
  readonly id: string;
  readonly name: string;
  readonly mostBytes: number;
}

const BATCH_FOLDER = /^bat_[0-9a-f]{32}$/;

export interface BatchFilesOptions {
  readonly dir: string;
  /** Free disk that batches leave. */
  readonly minFreeDiskBytes: number;
  /** Counts bytes that a batch keeps besides its answers against the share of its key; false when they are too many. */
  readonly mayKeep: (id: string, bytes: number) => boolean;
}

/** Files of the batches: one folder for each, with a file for the rows of each chunk and one for its answers. */
export class BatchFiles {
  readonly #options: BatchFilesOptions;

  constructor(options: BatchFilesOptions) {
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

  /** See `BatchStore.keptOrMade`. What is longer than `mostBytes` is not kept. */
  keptOrMade({ id, name, mostBytes }: KeptFile, make: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
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
