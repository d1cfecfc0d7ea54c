import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { ImportProgress } from '../../src/messages/import.ts';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openGazetteer } from '../../workers/engine/gazetteer/open.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { emptyGeoPackage, imported, openImmutable } from '../support/material/small-gazetteer.ts';
import {
  smallRegister,
  writeRegister,
  type RegisterLayout,
  type RegisterRow,
} from '../support/material/small-register.ts';
import { writeZip } from '../support/material/zip.ts';

describe('importing an address register', () => {
  for (const layout of ['2023', '2024', '2026'] as const satisfies RegisterLayout[]) {
    it(`reads the ${layout} layout by its header names, in its encoding`, async () => {
      // Before 2026 a register has building points only.
      const rows = smallRegister.filter(({ at }) => layout === '2026' || at !== null);
      using register = await imported(rows, layout);
      expect(register.record.addressRows).to.equal(rows.length);
      expect(openGazetteer(register.dataset).geocode('499 av. des Épinettes, Orléans')).to.have.nested.property(
        'found.address',
        '499 Des Épinettes Ave, Orléans, ON K1E 2Z5, Canada',
      );
    });
  }

  it('records what it imported', async () => {
    using register = await imported(smallRegister);
    expect(register.record).to.deep.include({
      asOf: '2026-06-26',
      licence: 'Statistics Canada Open Licence',
      addressRows: smallRegister.length,
      civicPoints: smallRegister.length - 2,
      dropped: {},
      sample: false,
    });
    expect(register.record.attribution).to.match(
      /^Adapted from Statistics Canada, National Address Register, 2026-06-26\./,
    );
  });

  it('counts what it leaves out, by reason', async () => {
    const row = smallRegister[0]!;
    const odd: RegisterRow[] = [
      { ...row, province: '24' },
      { ...row, civic: 0 },
      { ...row, street: [''], mailStreet: [''] },
    ];
    using register = await imported([...smallRegister, ...odd]);
    expect(register.record.dropped).to.deep.equal({ 'other province': 1, 'no civic number': 1, 'no street name': 1 });
  });

  it('registers its tables as attributes and replaces those of an earlier import', async () => {
    using folder = temporaryFolder();
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    for (const civic of [100, 200]) {
      writeRegister(folder.path, [{ ...smallRegister[0]!, civic }]);
      await importAddresses({ from: folder.path, gpkg });
    }
    const db = new Database(gpkg, { readonly: true });
    const contents = db.prepare('SELECT data_type, count(*) AS n FROM gpkg_contents GROUP BY 1').all();
    db.close();
    expect(contents).to.deep.equal([{ data_type: 'attributes', n: 9 }]);
    const dataset = openImmutable(gpkg);
    const gazetteer = openGazetteer(dataset);
    expect(gazetteer.geocode('200 Queen St W, Toronto')).to.have.property('found');
    expect(gazetteer.geocode('100 Queen St W, Toronto')).to.have.nested.property(
      'refused.reason',
      'CIVIC_NOT_ON_STREET',
    );
    dataset.close();
  });

  it('reports progress to the end', async () => {
    using folder = temporaryFolder();
    writeRegister(folder.path, smallRegister);
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    const seen: ImportProgress[] = [];
    await importAddresses({ from: folder.path, gpkg, onProgress: (progress) => seen.push(progress) });
    for (const name of ['register locations', 'register addresses']) {
      const last = seen.filter((progress) => progress.kind === 'rows' && progress.name === name).at(-1);
      expect(last?.kind === 'rows' && last.done === last.total, name).to.equal(true);
    }
  });

  it('reads a single Latin-1 line inside a UTF-8 file', async () => {
    using folder = temporaryFolder();
    writeRegister(
      folder.path,
      smallRegister.filter(({ at }) => at !== null),
      '2024',
    );
    const latin1 = temporaryFolder();
    writeRegister(latin1.path, [{ ...smallRegister.find(({ mail }) => mail === 'ORLÉANS')!, civic: 501 }], '2023');
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    const lineOf = (file: string): Buffer => {
      const bytes = readFileSync(join(latin1.path, file));
      return bytes.subarray(bytes.indexOf(0x0a) + 1);
    };
    appendFileSync(join(folder.path, 'Addresses/Address_35_part_1.csv'), lineOf('Addresses/Address_35.csv'));
    appendFileSync(join(folder.path, 'Locations/Location_35_part_1.csv'), lineOf('Locations/Location_35.csv'));
    latin1[Symbol.dispose]();
    await importAddresses({ from: folder.path, gpkg });
    const dataset = openImmutable(gpkg);
    expect(openGazetteer(dataset).geocode('501 Des Épinettes Ave, Orléans')).to.have.nested.property(
      'found.components.streetName',
      'Des Épinettes',
    );
    dataset.close();
  });

  it('refuses a folder without Ontario files, a file without a needed column, and a register without positions', async () => {
    using folder = temporaryFolder();
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    const failure = async (): Promise<string> => {
      const outcome = await importAddresses({ from: folder.path, gpkg }).catch((error: unknown) => error);
      return outcome instanceof Error ? outcome.message : 'no error';
    };
    expect(await failure()).to.match(/has no Address_35\*\.csv/);
    writeRegister(folder.path, smallRegister);
    writeFileSync(join(folder.path, 'Locations/Location_35_part_1.csv'), 'LOC_GUID,CSD_CODE\n1,2\n');
    expect(await failure()).to.equal('Location_35_part_1.csv: there is no column BG_LATITUDE or REPPOINT_LATITUDE');
    writeRegister(folder.path, [smallRegister[0]!, { ...smallRegister[1]!, at: [10, 10] }]);
    expect(await failure()).to.match(/only 1 of 2 addresses have a position in Ontario/);
  });

  it('refuses a line and a quoted field without end, a link out of the folder, and a zip file with too many members', async () => {
    using folder = temporaryFolder();
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    const failure = async (from: string): Promise<string> => {
      const outcome = await importAddresses({ from, gpkg }).catch((error: unknown) => error);
      return outcome instanceof Error ? outcome.message : 'no error';
    };
    const register = join(folder.path, 'register');
    const file = join(register, 'Locations/Location_35_part_1.csv');
    writeRegister(register, smallRegister);
    const header = readFileSync(file, 'utf8').split('\n')[0]!;
    writeFileSync(file, `${header}\n${'x'.repeat(3_000_000)}`);
    expect(await failure(register)).to.match(/^Location_35_part_1\.csv: a line has more than 1048576 bytes/);
    writeFileSync(file, `${header}\n"${'x\n'.repeat(100_000)}`);
    expect(await failure(register)).to.match(
      /^Location_35_part_1\.csv: a quoted field has no end within 65536 characters/,
    );
    rmSync(file);
    symlinkSync('/etc/hostname', file);
    expect(await failure(register)).to.match(
      /Location_35_part_1\.csv is a link that leads out of the folder: copy the file/,
    );
    const zip = join(folder.path, 'register.zip');
    writeZip(zip, Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}.csv`, Buffer.from('x')])));
    expect(await failure(zip)).to.match(/has 10001 members, more than 10000/);
  });

  it('is refused by a program with another normaliser, and absent where no register was imported', async () => {
    using folder = temporaryFolder();
    writeRegister(folder.path, smallRegister);
    const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
    await importAddresses({ from: folder.path, gpkg });
    const failureAfter = (sql: string): string => {
      const db = new Database(gpkg);
      db.exec(sql);
      db.close();
      const dataset = openImmutable(gpkg);
      try {
        openGazetteer(dataset);
        return 'no error';
      } catch (error) {
        return String(error);
      } finally {
        dataset.close();
      }
    };
    const older = `UPDATE gazetteer_directory SET data = CAST(json_set(CAST(data AS TEXT), '$.normaliser', 0) AS BLOB)`;
    expect(failureAfter(older)).to.match(/built with address normaliser 0, but this program has/);
    const absent = `DROP TABLE gazetteer_directory; DELETE FROM gpkg_contents WHERE table_name = 'gazetteer_directory'`;
    expect(failureAfter(absent)).to.match(/has no table "gazetteer_directory": run `land-lookup load-addresses`/);
  });
});
