import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { moveIntoPlace } from '../../../core/files/replace.ts';

interface Making {
  readonly mostBytes: number;
  /** Whether the disk has room for so many. */
  readonly hasRoom: () => Promise<boolean>;
  /** Counts the bytes of the file against what its owner may keep; false when they are too many. */
  readonly mayKeep: (bytes: number) => boolean;
  readonly make: () => AsyncIterable<Uint8Array>;
}

/** Bytes that are read at once. */
const READ_BYTES = 128 * 1024;

/** Gives the bytes of a file, if it is there, otherwise those that are made, and keeps these as the file once all of them were taken. */
export async function* keptOrMade(
  file: string,
  { mostBytes, hasRoom, mayKeep, make }: Making,
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
