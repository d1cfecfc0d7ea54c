import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { replaceFile } from '../../core/files/replace.ts';
import { isOntarioFile, ONTARIO, registerFolders, type RegisterFileKind } from '../../addresses/register-files.ts';
import { checkDiskSpace } from '../../core/snapshots/disk-space.ts';
import type { ProbeOptions } from './probe-file.ts';
import { openRemoteZip } from './remote-zip.ts';
import { makeFolder } from '../../core/files/make-folder.ts';

export interface RegisterDownload extends ProbeOptions {
  /** Of the register's zip file, which holds the files of all provinces. */
  readonly url: string;
  /** Gets `Addresses/` and `Locations/` with Ontario's files; nothing else is kept in it. */
  readonly folder: string;
  readonly onBytes: (bytes: number, total: number) => void;
  /** Free disk that the download leaves; 0 when absent. */
  readonly minFreeBytes?: number;
}

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
export async function downloadRegister(download: RegisterDownload): Promise<void> {
  const { url } = download;
  try {
    const zip = await openRemoteZip(url, download);
    try {
      await fetchMembers(zip, await membersOf(zip), download);
    } finally {
      zip.close();
    }
  } catch (cause) {
    if (cause instanceof Error) cause.message = `${url}: ${cause.message}`;
    throw cause;
  }
}

async function membersOf(zip: ZipFile): Promise<Member[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return (Object.keys(registerFolders) as RegisterFileKind[]).flatMap((kind) => {
    const found = entries.filter(({ fileName }) => isOntarioFile(posix.basename(fileName), kind));
    if (found.length === 0) throw new Error(`there is no ${kind}_${ONTARIO}*.csv in it`);
    return found.map((entry) => ({ entry, path: join(registerFolders[kind], posix.basename(entry.fileName)) }));
  });
}

async function fetchMembers(
  zip: ZipFile,
  members: readonly Member[],
  { folder, onBytes, minFreeBytes = 0 }: RegisterDownload,
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
