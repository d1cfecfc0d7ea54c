import { renameSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AskedRow } from '../../rows/row.ts';
import { rowsOfLines } from '../asked-lines.ts';

const BATCH_FOLDER = /^bat_[0-9a-f]{32}$/;

/** Files of the batches: one folder for each, with a file for the rows of each chunk and one for its answers. */
export class BatchFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Makes the folder of a batch. */
  async add(id: string): Promise<void> {
    await mkdir(this.#folder(id));
  }

  /** Writes the rows of a chunk to the disk. Returns the number of bytes; null when the folder is gone. Their file has its name after `sync`. */
  async writeRows(id: string, index: number, lines: string): Promise<number | null> {
    const bytes = Buffer.from(lines);
    return (await wroteToDisk(this.#input(id, index), bytes)) ? bytes.length : null;
  }

  async readRows(id: string, index: number): Promise<readonly AskedRow[]> {
    return rowsOfLines(await readFile(this.#input(id, index), 'utf8'));
  }

  /** Writes answers to the disk, under a name that only this lease has. Returns null when the folder is gone. */
  async writePart(id: string, index: number, { lease, bytes }: PartOptions): Promise<ResultPart | null> {
    const file = this.#result(id, index);
    const part = `${file}.${lease}.part`;
    try {
      if (!(await wroteToDisk(part, bytes))) return null;
    } catch (cause) {
      await rm(part, { force: true });
      throw cause;
    }
    return {
      keep: () => {
        renameSync(part, file);
      },
      drop: () => rm(part, { force: true }),
    };
  }

  /** Returns null when there is none. */
  readResult(id: string, index: number): Promise<string | null> {
    return readFile(this.#result(id, index), 'utf8').catch((cause: unknown) => {
      if (isMissing(cause)) return null;
      throw cause;
    });
  }

  /** Resolves when the names of a batch's files are on the disk; false when its folder is gone. */
  async sync(id: string): Promise<boolean> {
    try {
      await syncFolder(this.#folder(id));
    } catch (cause) {
      if (isMissing(cause)) return false;
      throw cause;
    }
    return true;
  }

  /** Resolves when the names of the folders are on the disk. */
  syncFolders(): Promise<void> {
    return syncFolder(this.#dir);
  }

  async remove(id: string): Promise<void> {
    await rm(this.#folder(id), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Ids of all folders. */
  async list(): Promise<readonly string[]> {
    return (await readdir(this.#dir)).filter((name) => BATCH_FOLDER.test(name));
  }

  #folder(id: string): string {
    return join(this.#dir, id);
  }

  #input(id: string, index: number): string {
    return join(this.#folder(id), `input-${numbered(index)}.ndjson`);
  }

  #result(id: string, index: number): string {
    return join(this.#folder(id), `result-${numbered(index)}.ndjson`);
  }
}

interface PartOptions {
  readonly lease: string;
  readonly bytes: Uint8Array;
}

/** Answers that are on the disk, and not yet under their name. */
export interface ResultPart {
  /** Gives them their name. At once, so that it can be a part of a transaction. */
  readonly keep: () => void;
  readonly drop: () => Promise<void>;
}

/** Returns false when the folder is gone. */
async function wroteToDisk(file: string, bytes: Uint8Array): Promise<boolean> {
  const opened = await open(file, 'w', 0o600).catch((cause: unknown) => {
    if (isMissing(cause)) return null;
    throw cause;
  });
  if (!opened) return false;
  await using handle = opened;
  await handle.writeFile(bytes);
  await handle.sync();
  return true;
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function numbered(index: number): string {
  return String(index).padStart(5, '0');
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'ENOENT';
}
