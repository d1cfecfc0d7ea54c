import { createReadStream, existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { readFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../core/files/replace.ts';
import { TooLarge } from '../../core/outbound/failures.ts';
import type { DiskFloor } from '../../messages/disk-floor.ts';
import { isSnapshotId } from '../../messages/manifest.ts';
import { checkDiskSpace } from '../../core/snapshots/disk-space.ts';
import { currentText, NotThere, type PlacePath, type SnapshotPlace } from './place.ts';
import { makeFolder } from '../../core/files/make-folder.ts';

/** A folder that `snapshot push` filled, or the data folder of a land-lookup, for example on a mounted disk. */
export class FolderPlace implements SnapshotPlace {
  readonly name: string;
  /** The snapshot in service, where the folder is a data folder. */
  readonly #inService: string | null;
  readonly #root: string;
  readonly #floor: DiskFloor;

  /** @param minFreeBytes free disk that a file which is written leaves. @throws Error when there is no such folder. */
  constructor(folder: string, minFreeBytes: number) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new Error(`there is no folder ${folder}`);
    this.name = folder;
    this.#floor = { folder, minFreeBytes };
    const link = join(folder, 'current');
    const isDataFolder = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isDataFolder && !existsSync(link)) throw new Error(`${link} points to a snapshot that does not exist`);
    this.#inService = isDataFolder ? realpathSync(link) : null;
    this.#root = this.#inService === null ? folder : dirname(this.#inService);
  }

  async readText(path: PlacePath, mostBytes: number): Promise<string> {
    if (path === 'current' && this.#inService !== null) return currentText(basename(this.#inService));
    const { size } = this.#stat(path);
    if (size > mostBytes) throw new TooLarge(`${path} is longer than ${mostBytes} bytes`);
    return await readFile(join(this.#root, path), 'utf8');
  }

  async *readPart(path: PlacePath, from: number, to: number): AsyncGenerator<Uint8Array> {
    this.#stat(path);
    yield* createReadStream(join(this.#root, path), { start: from, end: to - 1 }) as AsyncIterable<Buffer>;
  }

  /** Replaces a file by this text, wholly or not at all. */
  async writeText(path: PlacePath, text: string): Promise<void> {
    await this.#replace(path, (target) => target.writeFile(text));
  }

  /** Does the same by the content of a file on this machine. @param onBytes called with the bytes so far. */
  async writeFile(path: PlacePath, file: string, onBytes: (bytes: number) => void): Promise<void> {
    checkDiskSpace(this.#floor, statSync(file).size);
    let bytes = 0;
    const pieces = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
        onBytes((bytes += piece.length));
        yield piece;
      }
    };
    await this.#replace(path, (target) => target.writeFile(pieces()));
  }

  /** Ids of the stored snapshots, also of unfinished ones. */
  list(): readonly string[] {
    return readdirSync(this.#root).filter(isSnapshotId);
  }

  remove(id: string): void {
    rmSync(join(this.#root, id), { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    // Nothing is open between two calls.
  }

  #stat(path: PlacePath) {
    const found = statSync(join(this.#root, path), { throwIfNoEntry: false });
    if (found?.isFile() !== true) throw new NotThere(`there is no ${path}`);
    return found;
  }

  /** A reader sees the file before or the file after, never half of it. */
  async #replace(path: PlacePath, write: (target: FileHandle) => Promise<void>): Promise<void> {
    if (this.#inService !== null)
      throw new Error(`${this.name} is the data folder of a service: use "snapshot pull" there`);
    const file = join(this.#root, path);
    makeFolder(dirname(file));
    await replaceFile(file, write);
  }
}
