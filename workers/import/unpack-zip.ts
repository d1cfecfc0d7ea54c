import { createWriteStream, mkdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { openPromise, type Entry, type ZipFile } from 'yauzl';

/** What deflate makes of real data: geometry 2 to 5 times, blank-padded attributes up to 50. */
const MAX_RATIO = 200;
const ALWAYS_ALLOWED_BYTES = 1024 ** 3;

/**
 * Unpacks a zip file into a folder and checks every member's size and CRC. GDAL could read it in place, but then a damaged
 * member shows late or never, and a FileGDB in a zip is read again from its beginning at every seek.
 * @throws Error when it is no zip file, is truncated or damaged, or would unpack to an unreasonable size.
 */
export async function unpackZip(file: string, folder: string): Promise<void> {
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true, validateEntrySizes: true });
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(entry);
    checkSizes(file, folder, entries);
    for (const entry of entries) await unpackEntry(zip, entry, folder);
  } finally {
    zip.close();
  }
}

function checkSizes(file: string, folder: string, entries: readonly Entry[]): void {
  const unpacked = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  const packed = statSync(file).size;
  if (unpacked > ALWAYS_ALLOWED_BYTES && unpacked > packed * MAX_RATIO)
    throw new Error(`would unpack from ${packed} to ${unpacked} bytes: that is no data, but a zip bomb`);
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = statfsSync(folder);
  if (unpacked > bavail * bsize)
    throw new Error(`needs ${unpacked} bytes of disk to unpack, ${bavail * bsize} are free`);
}

async function unpackEntry(zip: ZipFile, entry: Entry, folder: string): Promise<void> {
  if (entry.fileName.endsWith('/')) return;
  const target = resolve(folder, entry.fileName);
  if (!target.startsWith(resolve(folder) + sep)) throw new Error(`has a member outside its folder: ${entry.fileName}`);
  mkdirSync(dirname(target), { recursive: true });
  let sum = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
  });
  await pipeline(await zip.openReadStreamPromise(entry), check, createWriteStream(target));
  if (sum !== entry.crc32)
    throw new Error(`is damaged: the member ${entry.fileName} has another checksum than it states`);
}

/** Path of a folder for the unpacked form of the n-th file. */
export const unpackFolder = (building: string, n: number): string => join(building, 'unpacked', String(n));
