import { posix } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { isOntarioFile, ONTARIO, type RegisterFileKind } from '../../../src/addresses/register-files.ts';
import { membersOf } from '../sources/unpack-zip.ts';
import { unpackedMember } from '../sources/zip-member.ts';
import { newestDate, type RegisterFile, type RegisterFiles } from './files.ts';

/**
 * Finds Ontario's files in the register's zip file, which contains those of all provinces.
 * @param name path of the zip file.
 * @throws Error when it has none, or is a zip bomb.
 */
export async function registerZip(zip: ZipFile, name: string): Promise<{ files: RegisterFiles; close: () => void }> {
  const close = (): void => {
    zip.close();
  };
  try {
    const entries = await membersOf(zip, name);
    const addresses = members(zip, entries, 'Address', name);
    const locations = members(zip, entries, 'Location', name);
    const dates = [...addresses, ...locations].map(({ entry }) => entry.getLastModDate().getTime());
    return { files: { addresses, locations, date: newestDate(dates) }, close };
  } catch (cause) {
    close();
    throw cause;
  }
}

interface Member extends RegisterFile {
  readonly entry: Entry;
}

function members(zip: ZipFile, entries: readonly Entry[], kind: RegisterFileKind, zipName: string): Member[] {
  const found = entries.filter(({ fileName }) => isOntarioFile(posix.basename(fileName), kind));
  if (found.length === 0) throw new Error(`${zipName} has no ${kind}_${ONTARIO}*.csv`);
  found.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
  return found.map((entry) => ({
    entry,
    name: posix.basename(entry.fileName),
    bytes: entry.uncompressedSize,
    open: () => unpackedMember(zip, entry),
  }));
}
