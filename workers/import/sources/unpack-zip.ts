import { crc32 } from 'node:zlib';
import { type Entry, type ZipFile, openPromise } from 'yauzl';
import { createWriteStream, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DiskFloor } from '../../../src/messages/disk-floor.ts';
import { checkDiskSpace } from '../progress.ts';

/** Yields the unpacked content of a member. @throws Error when its checksum or size is wrong. */
export async function* unpackedMember(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32)
    throw new Error(`is damaged: the checksum of the member ${entry.fileName} differs from the one in the zip file`);
}

/** Limit above the compression of real data: geometry 2 to 5 times, blank-padded attributes up to 50. */
const MAX_RATIO = 200;
const ALWAYS_ALLOWED_BYTES = 1024 ** 3;
/** As for a downloaded file. */
const MOST_UNPACKED_BYTES = 64 * 1024 ** 3;
/** A file geodatabase has some hundred files, and the address register of all provinces some thousand. */
const MOST_MEMBERS = 10_000;

/**
 * Opens a zip file, lists its members, and closes it after the work.
 * @throws Error when it is not a zip file, is truncated, or would unpack to an unreasonable size.
 */
export async function withZip<T>(
  file: string,
  work: (zip: ZipFile, members: readonly Entry[]) => Promise<T>,
): Promise<T> {
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true, validateEntrySizes: true });
  try {
    return await work(zip, await membersOf(zip, file));
  } finally {
    zip.close();
  }
}

/**
 * Lists the members of a zip file, without what macOS adds. Members that overlap count once each.
 * @throws Error when there are too many, or they would unpack to an unreasonable size.
 */
export async function membersOf(zip: ZipFile, file: string): Promise<Entry[]> {
  if (zip.entryCount > MOST_MEMBERS) throw new Error(`has ${zip.entryCount} members, more than ${MOST_MEMBERS}`);
  const members: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (!isOfMac(entry)) members.push(entry);
  const [packed, unpacked] = [statSync(file).size, unpackedSize(members)];
  if (unpacked > MOST_UNPACKED_BYTES || (unpacked > ALWAYS_ALLOWED_BYTES && unpacked > packed * MAX_RATIO))
    throw new Error(`would unpack from ${packed} to ${unpacked} bytes: that is not data but a zip bomb`);
  return members;
}

/** What macOS adds to a zip file: for each file another one, of the same name with "._" in front, which holds none of its data. */
function isOfMac({ fileName }: Entry): boolean {
  return /(^|\/)(?:__MACOSX\/|\._[^/]*$)/.test(fileName);
}

/**
 * Unpacks a zip file into a folder and checks every member's size and CRC.
 * @throws Error when it is not a zip file, is truncated or damaged, or does not fit on the disk.
 */
export function unpackZip(file: string, { folder, minFreeBytes }: DiskFloor): Promise<void> {
  return withZip(file, async (zip, members) => {
    mkdirSync(folder, { recursive: true });
    let left = unpackedSize(members);
    for (const entry of members) {
      // Again before each member: others write to the disk too.
      checkDiskSpace({ folder, minFreeBytes }, left);
      await unpackEntry(zip, entry, folder);
      left -= entry.uncompressedSize;
    }
  });
}

function unpackedSize(members: readonly Entry[]): number {
  return members.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
}

async function unpackEntry(zip: ZipFile, entry: Entry, folder: string): Promise<void> {
  if (entry.fileName.endsWith('/')) return;
  const target = resolve(folder, entry.fileName);
  if (!target.startsWith(resolve(folder) + sep)) throw new Error(`has a member outside its folder: ${entry.fileName}`);
  mkdirSync(dirname(target), { recursive: true });
  await pipeline(unpackedMember(zip, entry), createWriteStream(target));
}
