import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { emptyGeoPackage } from '../support/material/small-gazetteer.ts';
import { smallRegister, writeRegister } from '../support/material/small-register.ts';
import { writeZip } from '../support/material/zip.ts';
import { otherProvince, writeRegisterZip } from './register-zip.ts';

describe('where a register comes from', () => {
  const folder = temporaryFolder();
  const zipFile = join(folder.path, '202606.zip');
  before(() => {
    writeRegister(folder.path, smallRegister);
    writeRegisterZip(zipFile, folder.path);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  let files = 0;
  const importFrom = (from: string) =>
    importAddresses({ from, gpkg: emptyGeoPackage(join(folder.path, `${++files}.gpkg`)) });
  const failureOf = async (outcome: Promise<unknown>): Promise<string> => {
    const cause = await outcome.then(
      () => 'no error',
      (error: unknown) => error,
    );
    return cause instanceof Error ? cause.message : String(cause);
  };

  it('reads the zip file as it reads the folder, and dates it by its members', async () => {
    const fromFolder = await importFrom(folder.path);
    const fromZip = await importFrom(zipFile);
    const { addressRows, civicPoints, streets, outliers, dropped } = fromFolder;
    expect(fromZip).to.deep.include({ addressRows, civicPoints, streets, outliers, dropped });
    expect(fromZip.asOf).to.match(/^\d{4}-\d\d-\d\d$/);
  });

  it('refuses a zip file without Ontario, a damaged one, and what is no zip file', async () => {
    const other = join(folder.path, 'other.zip');
    writeZip(other, { 'Addresses/Address_24_part_1.csv': otherProvince });
    expect(await failureOf(importFrom(other))).to.match(/other\.zip has no Address_35\*\.csv/);
    const bytes = readFileSync(zipFile);
    const damaged = join(folder.path, 'damaged.zip');
    // The checksum that the directory states for the addresses.
    const entry = bytes.lastIndexOf('Addresses/Address_35_part_1.csv') - 46;
    bytes.writeUInt32LE(1, entry + 16);
    writeFileSync(damaged, bytes);
    expect(await failureOf(importFrom(damaged))).to.match(/Address_35_part_1\.csv: is damaged/);
    writeFileSync(damaged, 'not a zip file at all');
    expect(await failureOf(importFrom(damaged))).to.match(/not a zip file/);
    expect(await failureOf(importFrom(join(folder.path, 'absent')))).to.match(/has no Address_35\*\.csv/);
  });

  const addresses = 'Addresses/Address_35_part_1.csv';
  const incomplete: Readonly<Record<string, readonly [copies: readonly string[], says: RegExp]>> = {
    'without a part between others': [
      ['Addresses/Address_35_part_2.csv', 'Addresses/Address_35_part_4.csv'],
      /lacks Address_35_part_3\.csv: fetch the register again/,
    ],
    'of two releases': [
      ['Addresses/Address_35.csv'],
      /has files of several releases \(Address_35\.csv, Address_35_part_1\.csv\)/,
    ],
  };
  for (const [what, [copies, says]] of Object.entries(incomplete))
    it(`refuses a register ${what}, in a folder and in a zip file`, async () => {
      using other = temporaryFolder();
      writeRegister(other.path, smallRegister);
      const locations = 'Locations/Location_35_part_1.csv';
      const bytes = readFileSync(join(other.path, addresses));
      for (const name of copies) writeFileSync(join(other.path, name), bytes);
      expect(await failureOf(importFrom(other.path))).to.match(says);
      const zip = join(other.path, 'a.zip');
      const members = [...copies, addresses].map((name) => [name, bytes] as const);
      writeZip(zip, { ...Object.fromEntries(members), [locations]: readFileSync(join(other.path, locations)) });
      expect(await failureOf(importFrom(zip))).to.match(says);
    });
});
