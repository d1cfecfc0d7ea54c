import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { checkShapes } from './check-shapes.ts';
import { checkReferences, readStart, isLfsPointer, lfsPointer } from './read-start.ts';

/** The files of a Shapefile: the last letters of the name, and where the file is; null when there is none. */
type Siblings = Readonly<Record<'shx' | 'dbf' | 'prj' | 'cpg', string | null>>;

/** Finds the files beside a Shapefile, whatever the case of their extension. */
export function siblingsOf(path: string): Siblings {
  const stem = basename(path, extname(path));
  const names = readdirSync(dirname(path));
  const beside = (extension: string): string | null => {
    const name = names.find(
      (one) => one.startsWith(`${stem}.`) && one.toLowerCase() === `${stem}.${extension}`.toLowerCase(),
    );
    return name === undefined ? null : join(dirname(path), name);
  };
  return { shx: beside('shx'), dbf: beside('dbf'), prj: beside('prj'), cpg: beside('cpg') };
}

/**
 * Checks the files of a Shapefile before GDAL opens it.
 * @throws Error when one is missing, cut off or only a pointer, when they have different numbers of records, or the CRS refers to a file or a server.
 */
export function checkShapefile(path: string): void {
  const { shx, dbf, prj } = siblingsOf(path);
  const stem = basename(path, extname(path));
  for (const [extension, file] of [
    ['shx', shx],
    ['dbf', dbf],
  ] as const)
    if (file === null) throw new Error(`${stem}.${extension} is missing: a Shapefile needs it beside the .shp`);
  for (const file of [shx!, dbf!, ...(prj === null ? [] : [prj])])
    if (isLfsPointer(readStart(file))) throw new Error(`${basename(file)} ${lfsPointer}`);
  checkLengths(path, shx!, dbf!);
  checkShapes(path, shx!);
  if (prj !== null) checkProjection(prj);
}

/** Of the header of .shp and .shx, and of a record of .shx (ESRI Shapefile Technical Description, July 1998). */
const [HEADER_BYTES, LENGTH_AT, INDEX_BYTES] = [100, 24, 8];

function checkLengths(shp: string, shx: string, dbf: string): void {
  for (const file of [shp, shx]) checkLength(file, readStart(file));
  const { records, headerBytes, recordBytes } = dbfHeader(readStart(dbf));
  const shapes = Math.floor((statSync(shx).size - HEADER_BYTES) / INDEX_BYTES);
  if (shapes !== records)
    throw new Error(`is damaged: ${basename(shx)} has ${shapes} records, but ${basename(dbf)} says ${records}`);
  const bytes = headerBytes + records * recordBytes;
  if (statSync(dbf).size < bytes) throw new Error(`is truncated: ${basename(dbf)} should have ${bytes} bytes`);
}

/** The header says how many words of 16 bits the file has. */
function checkLength(file: string, start: Buffer): void {
  const bytes = start.length < LENGTH_AT + 4 ? HEADER_BYTES : start.readUInt32BE(LENGTH_AT) * 2;
  if (statSync(file).size < bytes) throw new Error(`is truncated: ${basename(file)} should have ${bytes} bytes`);
}

/** What the header of a .dbf says (dBASE III: bytes 4 to 11, and 29 for the language). */
export function dbfHeader(start: Buffer) {
  if (start.length < 32) throw new Error('is truncated: its .dbf has no header');
  return {
    records: start.readUInt32LE(4),
    headerBytes: start.readUInt16LE(8),
    recordBytes: start.readUInt16LE(10),
    language: start.readUInt8(29),
  };
}

/** What the first byte of a record is when it is marked as deleted; GDAL counts such records, and does not read them. */
export const DELETED = 0x2a;

/** Returns how many records of a Shapefile are marked as deleted. */
export function deletedRecords(path: string): number {
  const { dbf } = siblingsOf(path);
  let deleted = 0;
  if (dbf !== null) eachRecord(dbf, (block, at) => (deleted += Number(block[at] === DELETED)));
  return deleted;
}

const RECORDS_AT_ONCE = 4096;

/** Calls the function for each record of a .dbf: with the bytes that it is among, and where it begins. */
export function eachRecord(dbf: string, visit: (block: Buffer, at: number) => void): void {
  const { records, headerBytes, recordBytes } = dbfHeader(readStart(dbf));
  const descriptor = openSync(dbf, 'r');
  try {
    const block = Buffer.alloc(RECORDS_AT_ONCE * recordBytes);
    for (let record = 0; record < records; record += RECORDS_AT_ONCE) {
      const length = readSync(descriptor, block, 0, block.length, headerBytes + record * recordBytes);
      const read = Math.min(records - record, Math.ceil(length / recordBytes));
      for (let i = 0; i < read; i++) visit(block, i * recordBytes);
    }
  } finally {
    closeSync(descriptor);
  }
}

const MOST_PRJ_BYTES = 64 * 1024;

function checkProjection(prj: string): void {
  const bytes = statSync(prj).size;
  if (bytes > MOST_PRJ_BYTES) throw new Error(`${basename(prj)} is no CRS: it has ${bytes} bytes`);
  if (bytes > 0) checkReferences(readFileSync(prj, 'latin1'));
}
