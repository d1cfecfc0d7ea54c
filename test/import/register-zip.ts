import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../support/material/zip.ts';

/** What a province's files would be if they were read: not CSV, and more than the reader keeps of a zip file's end. */
export const otherProvince = randomBytes(300_000);

/** Ontario's files, as the register's folder and its zip file have them. */
export const ontarioFiles = ['Addresses/Address_35_part_1.csv', 'Locations/Location_35_part_1.csv'] as const;

/** Writes the register's zip file of all provinces, with Ontario's files from a folder. */
export function writeRegisterZip(file: string, folder: string): void {
  const [addresses, locations] = ontarioFiles;
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  writeZip(file, {
    'Addresses/Address_24_part_1.csv': otherProvince,
    [addresses]: read(addresses),
    'Locations/Location_24.csv': otherProvince,
    [locations]: read(locations),
    'Addresses/Address_46_part_1.csv': otherProvince,
    'readme.txt': Buffer.from('the register'),
  });
}
