import { extname } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { unpackedMember } from './zip-member.ts';
import { withZip } from './unpack-zip.ts';

/**
 * The path at which GDAL reads the only FileGDB of a zip file where it lies. Null when the zip file holds something else or more, or
 * when reading it in place would take too long: then it has to be unpacked.
 *
 * GDAL inflates a member from one of 100 resting points when it seeks, so rows in the order of the file are read as fast as from
 * an unpacked file, and rows in any other order some hundred times slower (docs/decisions/0046).
 * @param isChecked whether every member's checksum was compared before: GDAL itself ends a damaged member like a whole one.
 * @throws Error when it is no zip file, or is truncated or damaged.
 */
export function zippedFileGdb(file: string, isChecked: boolean): Promise<string | null> {
  return withZip(file, async (zip, members) => {
    const folder = onlyFileGdb(members);
    if (folder === null) return null;
    if (!isChecked) for (const member of members) await check(zip, member);
    return (await isInOrder(zip, members)) ? `/vsizip/{${file}}/${folder}` : null;
  });
}

const otherSources = ['.gpkg', '.shp', '.geojson', '.json'];

function onlyFileGdb(members: readonly Entry[]): string | null {
  const folders = new Set<string>();
  for (const { fileName } of members) {
    const folder = /^(?:.*?\/)?[^/]+\.gdb(?=\/)/i.exec(fileName)?.[0];
    if (folder !== undefined) folders.add(folder);
    else if (otherSources.includes(extname(fileName).toLowerCase())) return null;
  }
  const [folder, ...more] = folders;
  return folder !== undefined && more.length === 0 ? folder : null;
}

async function check(zip: ZipFile, member: Entry): Promise<void> {
  const chunks = unpackedMember(zip, member);
  while ((await chunks.next()).done !== true);
}

/** How often its own size may be inflated to read a table. */
const MOST_INFLATED = 3;

/** Resting points of a member that GDAL keeps (`VSIGZipHandle`). */
const RESTING_POINTS = 100;

/** Takes milliseconds to inflate. */
const SMALL_TABLE_BYTES = 256 * 1024;

/** Of a table's row index: enough for 100 million rows. */
const MOST_INDEX_BYTES = 512 * 1024 ** 2;

/** Whether the rows of every table lie in the order of their ids, nearly. */
async function isInOrder(zip: ZipFile, members: readonly Entry[]): Promise<boolean> {
  const sizes = new Map(members.map(({ fileName, uncompressedSize }) => [fileName, uncompressedSize]));
  for (const member of members.filter(({ fileName }) => /\.gdbtablx$/i.test(fileName))) {
    const tableBytes = sizes.get(member.fileName.slice(0, -1) + 'e') ?? 0;
    if (member.uncompressedSize > MOST_INDEX_BYTES) return false;
    const pieces: Buffer[] = [];
    for await (const piece of unpackedMember(zip, member)) pieces.push(piece);
    if (backwardSeeks(Buffer.concat(pieces)) > MOST_INFLATED * RESTING_POINTS && tableBytes > SMALL_TABLE_BYTES)
      return false;
  }
  return true;
}

const HEADER_BYTES = 16;
/** The only one that GDAL 3.6 writes, and ArcGIS below 2 billion rows. */
const VERSION = 3;

/**
 * How many rows lie before the row of the next lower id, by the table's index of rows: a header with the number of bytes per offset, then
 * the offset of each id's row, 0 where there is none (the FileGDB format as GDAL's authors describe it).
 */
function backwardSeeks(index: Buffer): number {
  if (index.length < HEADER_BYTES || index.readUInt32LE(0) !== VERSION) return Infinity;
  const offsetBytes = index.readUInt32LE(12);
  if (offsetBytes < 4 || offsetBytes > 6) return Infinity;
  const end = HEADER_BYTES + index.readUInt32LE(4) * 1024 * offsetBytes;
  let [seeks, last] = [0, 0];
  for (let at = HEADER_BYTES; at < Math.min(end, index.length - offsetBytes + 1); at += offsetBytes) {
    const offset = index.readUIntLE(at, offsetBytes);
    if (offset === 0) continue;
    if (offset < last) seeks++;
    last = offset;
  }
  return seeks;
}
