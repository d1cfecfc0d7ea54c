import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fromRandomAccessReaderPromise } from 'yauzl';
import { importAddresses } from '../../workers/import/addresses/import-register.ts';
import { openHttpRanges } from '../../workers/import/addresses/http-ranges.ts';
import { registerZip } from '../../workers/import/addresses/zip.ts';
import { temporaryFolder } from '../support/folder.ts';
import { RangeServer, type RangeFault } from './range-server.ts';
import { emptyGeoPackage } from '../support/small-gazetteer.ts';
import { smallRegister, writeRegister } from '../support/small-register.ts';
import { writeZip } from '../support/zip.ts';

/** What a province's files would be if they were read: not CSV, and more than the reader keeps of a zip file's end. */
const otherProvince = randomBytes(300_000);

describe('where a register comes from', () => {
  const folder = temporaryFolder();
  const zipFile = join(folder.path, '202606.zip');
  before(() => {
    writeRegister(folder.path, smallRegister);
    const read = (name: string): Buffer => readFileSync(join(folder.path, name));
    writeZip(zipFile, {
      'Addresses/Address_24_part_1.csv': otherProvince,
      'Addresses/Address_35_part_1.csv': read('Addresses/Address_35_part_1.csv'),
      'Locations/Location_24.csv': otherProvince,
      'Locations/Location_35_part_1.csv': read('Locations/Location_35_part_1.csv'),
      'Addresses/Address_46_part_1.csv': otherProvince,
      'readme.txt': Buffer.from('the register'),
    });
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

  describe('on a web server', () => {
    let server: RangeServer;
    beforeEach(async () => {
      server = await RangeServer.start(readFileSync(zipFile));
    });
    afterEach(() => server[Symbol.asyncDispose]());

    const options = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const;
    /** Reads every byte of Ontario's files. */
    const readAll = async (): Promise<string> => {
      const { reader, bytes } = await openHttpRanges(new URL(server.url), { pauseMs: 1, stallMs: 200 });
      const zip = await fromRandomAccessReaderPromise(reader, bytes, options);
      const { files: found, close } = await registerZip(zip, server.url);
      const chunks: Buffer[] = [];
      for (const file of [...found.addresses, ...found.locations]) {
        for await (const chunk of file.open()) chunks.push(chunk);
      }
      close();
      return Buffer.concat(chunks).toString();
    };
    const whole = (): string =>
      ['Addresses/Address_35_part_1.csv', 'Locations/Location_35_part_1.csv']
        .map((name) => readFileSync(join(folder.path, name), 'utf8'))
        .join('');

    it("fetches Ontario's members only", async () => {
      const { addressRows } = await importFrom(server.url);
      expect(addressRows).to.equal(smallRegister.length);
      const fetched = server.parts.reduce((sum, [from, to]) => sum + to - from + 1, 0);
      expect(fetched).to.be.below(128 * 1024 + 30_000);
      expect(server.requests).to.be.below(10);
    });

    it('takes a connection up again where it broke or stalled', async () => {
      const faults: RangeFault[] = ['none', 503, 'cut', 'cut', 'stall', 429];
      server.fault = (request) => faults[request - 1] ?? 'none';
      expect(await readAll()).to.equal(whole());
      expect(server.requests).to.be.above(faults.length);
    });

    it('finds its way when the very first answers fail', async () => {
      server.fault = (request) => (request <= 3 ? ([502, 'cut', 'stall'] as const)[request - 1]! : 'none');
      expect(await readAll()).to.equal(whole());
    });

    const hopeless: Record<string, [fault: (request: number) => RangeFault, message: RegExp]> = {
      'sends only whole files': [() => 'whole file', /sends only whole files: download the file/],
      'does not have the file': [() => 404, /answers with status 404/],
      'stays down': [() => 503, /does not answer: status 503/],
      'breaks off each time': [(n) => (n === 1 ? 'none' : 500), /does not answer/],
      'replaces the file meanwhile': [(n) => (n === 1 ? 'none' : 'replaced'), /replaced the file meanwhile/],
      'does not say what it gives': [() => 'no range said', /does not say which part/],
      'gives another part': [(n) => (n === 1 ? 'none' : 'other part'), /gave another part/],
    };
    for (const [what, [fault, message]] of Object.entries(hopeless)) {
      it(`fails with a message when the server ${what}`, async () => {
        server.fault = fault;
        expect(await failureOf(readAll())).to.match(message);
      });
    }
  });
});
