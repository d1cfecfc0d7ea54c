import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Entry, type ZipFile, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { replaceFile } from '../../core/files/replace.ts';
import { type RegisterFileKind, checkParts, isOntarioFile, ONTARIO, registerFolders } from '../../messages/import.ts';
import { checkDiskSpace } from '../../core/snapshots/building.ts';
import { type ProbeOptions, versionOf } from './file-version.ts';
import { makeFolder } from '../../core/files/make-folder.ts';
import { type Answer, checkStatus, contentRange, readBody, send } from '../../core/outbound/client.ts';
import { naming, Transient } from '../../core/outbound/failures.ts';
import { Retries, withRetries } from '../../core/outbound/retry.ts';
import { Readable } from 'node:stream';

interface Member {
  readonly entry: Entry;
  /** Below the folder. */
  readonly path: string;
}

/**
 * Fetches Ontario's files out of the register's zip file. Each is unpacked, has the checksum that the zip file states, and bears the date
 * of its member. A file that an earlier run has fetched is not fetched again, unless the zip file states another checksum now.
 * @throws Error when the zip file cannot be had in parts, has no files of Ontario, is damaged, or the disk is too small.
 */
export async function downloadRegister(
  download: ProbeOptions & {
    /** Of the register's zip file, which holds the files of all provinces. */
    readonly url: string;
    /** Gets `Addresses/` and `Locations/` with Ontario's files; nothing else is kept in it. */
    readonly folder: string;
    readonly onBytes: (bytes: number, total: number) => void;
    /** Free disk that the download leaves; 0 when absent. */
    readonly minFreeBytes?: number;
  },
): Promise<void> {
  const { url } = download;
  await naming(url, async () => {
    const zip = await openRemoteZip(url, download);
    try {
      await fetchMembers(zip, await membersOf(zip), download);
    } finally {
      zip.close();
    }
  });
}

async function membersOf(zip: ZipFile): Promise<Member[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return (Object.keys(registerFolders) as RegisterFileKind[]).flatMap((kind) => {
    const found = entries.filter(({ fileName }) => isOntarioFile(posix.basename(fileName), kind));
    if (found.length === 0) throw new Error(`there is no ${kind}_${ONTARIO}*.csv in it`);
    const members = found.map((entry) => ({ entry, name: posix.basename(entry.fileName) }));
    checkParts(
      'it',
      members.map(({ name }) => name),
      kind,
    );
    return members.map(({ entry, name }) => ({ entry, path: join(registerFolders[kind], name) }));
  });
}

async function fetchMembers(
  zip: ZipFile,
  members: readonly Member[],
  { folder, onBytes, minFreeBytes = 0 }: Parameters<typeof downloadRegister>[0],
): Promise<void> {
  beginUnlessSame(folder, members);
  const missing = members.filter(({ path }) => !existsSync(join(folder, path)));
  const floor = { folder, minFreeBytes };
  checkDiskSpace(floor, sizeOf(missing));
  const total = sizeOf(members);
  let bytes = total - sizeOf(missing);
  for (const { entry, path } of missing) {
    await fetchMember(zip, entry, join(folder, path), (count) => {
      checkDiskSpace(floor);
      onBytes((bytes += count), total);
    });
  }
}

function sizeOf(members: readonly Member[]): number {
  return members.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
}

/** Empties the folder when it holds files of another register. */
function beginUnlessSame(folder: string, members: readonly Member[]): void {
  const note = join(folder, 'members.json');
  const wanted = JSON.stringify(members.map(({ entry, path }) => [path, entry.uncompressedSize, entry.crc32]));
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  for (const name of Object.values(registerFolders)) makeFolder(join(folder, name));
  writeFileSync(note, wanted, { flush: true });
}

/** The file has its name only when it is whole: that is all that a later run needs to know. */
async function fetchMember(zip: ZipFile, entry: Entry, file: string, onBytes: (count: number) => void): Promise<void> {
  let sum = 0;
  const counted = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      sum = crc32(piece, sum);
      onBytes(piece.length);
      yield piece;
    }
  };
  const pieces = await zip.openReadStreamPromise(entry);
  await replaceFile(file, async (part) => {
    await part.writeFile(counted(pieces as AsyncIterable<Buffer>));
    if (sum !== entry.crc32)
      throw new Error(`${entry.fileName}: is damaged: it has another checksum than the zip file states`);
    const date = entry.getLastModDate();
    await part.utimes(date, date);
  });
}

/** Holds a zip file's directory of hundreds of members. */
const TAIL_BYTES = 128 * 1024;

/**
 * Opens a zip file on a web server, of which only what is read is fetched.
 * @throws Error when the server does not give parts, or does not answer after several attempts.
 */
async function openRemoteZip(url: string, options: ProbeOptions): Promise<ZipFile> {
  const file = new RemoteFile(url, options);
  const { tail, bytes } = await file.tail(TAIL_BYTES);
  const reader = new PartReader(file, tail, bytes);
  return fromRandomAccessReaderPromise(reader, bytes, {
    autoClose: false,
    lazyEntries: true,
    validateEntrySizes: true,
  });
}

class PartReader extends RandomAccessReader {
  readonly #file: RemoteFile;
  readonly #tail: Buffer;
  readonly #tailFrom: number;

  constructor(file: RemoteFile, tail: Buffer, bytes: number) {
    super();
    this.#file = file;
    this.#tail = tail;
    this.#tailFrom = bytes - tail.length;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const from = start - this.#tailFrom;
    const bytes = from >= 0 ? [this.#tail.subarray(from, end - this.#tailFrom)] : this.#file.read(start, end);
    return Readable.from(bytes, { objectMode: false });
  }
}

/** A file on a web server, read in parts. After a broken connection it goes on at the byte it reached. */
class RemoteFile {
  readonly #url: string;
  readonly #options: ProbeOptions;
  /** Of the first answer: another one means that the file was replaced. */
  #version: string | null = null;

  constructor(url: string, options: ProbeOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** The last bytes, and the length of the whole. */
  tail(count: number): Promise<{ tail: Buffer; bytes: number }> {
    return withRetries(this.#options.retry, async () => {
      const { body, from, bytes } = await this.#request(`bytes=-${count}`);
      const tail = await readBody({ body }, count);
      if (tail.length !== bytes - from) throw new Transient('the answer broke off');
      return { tail, bytes };
    });
  }

  /** The bytes from `start` to before `end`. */
  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    const retries = new Retries(this.#options.retry);
    for (let at = start; at < end;) {
      try {
        const { body, from } = await this.#request(`bytes=${at}-${end - 1}`);
        if (from !== at) throw new Error('the server gave another part than the one asked for');
        for await (const piece of body) {
          at += piece.length;
          retries.reset();
          yield piece;
        }
        if (at < end) throw new Transient('the answer broke off');
      } catch (cause) {
        await retries.waitAfter(cause);
      }
    }
  }

  /** `from`: place in the file of the first byte. `bytes`: of the whole file. */
  async #request(range: string) {
    const headers = { range, 'accept-encoding': 'identity' };
    const answer = await send({ url: this.#url, idleMs: this.#options.idleMs, headers });
    try {
      return { body: answer.body, ...this.#partOf(answer) };
    } catch (cause) {
      await answer.cancel();
      throw cause;
    }
  }

  #partOf(answer: Answer) {
    checkStatus(answer);
    if (answer.status !== 206) throw new Error('the server gives whole files only: download it, and give its path');
    const { etag, lastModified } = versionOf(answer);
    const version = JSON.stringify([etag, lastModified]);
    this.#version ??= version;
    if (version !== this.#version) throw new Error('the server replaced the file meanwhile: start again');
    const { from, total } = contentRange(answer.headers) ?? { from: 0, total: null };
    if (total === null) throw new Error('the server does not say which part it gives');
    return { from, bytes: Number(total) };
  }
}
