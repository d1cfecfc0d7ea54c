import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadAddresses } from '../../src/import/load-addresses.ts';
import { projectDir } from '../../src/project/project.ts';
import { fetcher } from '../../src/features/download/fetcher.ts';
import { downloadRegister } from '../../src/features/download/download-register.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { smallRegister, writeRegister } from '../support/material/small-register.ts';
import { writeZip } from '../support/material/zip.ts';
import { RangeServer, type RangeFault } from '../features/travel/range-server.ts';
import { ontarioFiles, otherProvince, writeRegisterZip } from './register-zip.ts';

describe('download of the register', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let server: RangeServer;
  let target: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    target = join(folder.path, 'target');
    writeRegister(folder.path, smallRegister);
    writeRegisterZip(join(folder.path, '202606.zip'), folder.path);
    server = await RangeServer.start(readFileSync(join(folder.path, '202606.zip')));
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const retry = { attempts: 6, firstMs: 1, mostMs: 5 };
  const download = (): Promise<void> =>
    downloadRegister({ url: server.url, folder: target, retry, idleMs: 200, onBytes: () => undefined });
  const failureOf = async (outcome: Promise<unknown>): Promise<string> => {
    const cause = await outcome.then(
      () => 'no error',
      (error: unknown) => error,
    );
    return cause instanceof Error ? cause.message : String(cause);
  };
  const read = (from: string): string =>
    ontarioFiles.map((name) => readFileSync(join(folder.path, from, name), 'utf8')).join('');

  it("fetches Ontario's members only, with their dates, and nothing twice", async () => {
    await download();
    expect(read('target')).to.equal(read('.'));
    const fetched = server.parts.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    expect(fetched).to.be.below(128 * 1024 + 30_000);
    expect(server.requests).to.be.below(10);
    expect(Date.now() - statSync(join(target, ontarioFiles[0])).mtimeMs).to.be.above(24 * 3600 * 1000);
    server.parts.length = 0;
    await download();
    expect(server.parts).to.have.length(1);
  });

  it('takes a connection up again where it broke or stalled', async () => {
    const faults: RangeFault[] = ['none', 503, 'cut', 'cut', 'stall', 429];
    server.fault = (request) => faults[request - 1] ?? 'none';
    await download();
    expect(read('target')).to.equal(read('.'));
    expect(server.requests).to.be.above(faults.length);
  });

  it('finds its way when the very first answers fail', async () => {
    server.fault = (request) => (request <= 3 ? ([502, 'cut', 'stall'] as const)[request - 1]! : 'none');
    await download();
    expect(read('target')).to.equal(read('.'));
  });

  const hopeless: Record<string, [fault: (request: number) => RangeFault, message: RegExp]> = {
    'gives whole files only': [() => 'whole file', /202606\.zip: .* gives whole files only: download it/],
    'does not have the file': [() => 404, /202606\.zip: the server answered 404/],
    'stays down': [() => 503, /202606\.zip: the server answered 503/],
    'breaks off each time': [(n) => (n === 1 ? 'none' : 500), /the server answered 500/],
    'replaces the file meanwhile': [(n) => (n === 1 ? 'none' : 'replaced'), /replaced the file meanwhile/],
    'does not say what it gives': [() => 'no range said', /does not say which part/],
    'gives another part': [(n) => (n === 1 ? 'none' : 'other part'), /gave another part/],
  };
  for (const [what, [fault, message]] of Object.entries(hopeless)) {
    it(`fails with a message when the server ${what}`, async () => {
      server.fault = fault;
      expect(await failureOf(download())).to.match(message);
    });
  }

  it('goes on after a broken run with the files that are missing, and begins anew with another register', async () => {
    // The end with the directory, then the head and the content of the first file.
    server.fault = (request) => (request <= 3 ? 'none' : 500);
    expect(await failureOf(download())).to.match(/answered 500/);
    expect(ontarioFiles.map((name) => existsSync(join(target, name)))).to.deep.equal([true, false]);
    const first = statSync(join(target, ontarioFiles[0]));
    server.fault = () => 'none';
    await download();
    expect(read('target')).to.equal(read('.'));
    expect(statSync(join(target, ontarioFiles[0])).ino).to.equal(first.ino);

    const smaller = smallRegister.slice(0, 5);
    writeRegister(folder.path, smaller);
    writeRegisterZip(join(folder.path, 'next.zip'), folder.path);
    server.file = readFileSync(join(folder.path, 'next.zip'));
    await download();
    expect(read('target')).to.equal(read('.'));
  });

  it('refuses a member with another checksum than the zip file states, and a zip file without Ontario', async () => {
    const bytes = readFileSync(join(folder.path, '202606.zip'));
    const entry = bytes.lastIndexOf(ontarioFiles[0]) - 46;
    bytes.writeUInt32LE(1, entry + 16);
    server.file = bytes;
    expect(await failureOf(download())).to.match(/202606\.zip: .*Address_35_part_1\.csv: is damaged/);
    expect(existsSync(join(target, ontarioFiles[0]))).to.equal(false);
    const other = join(folder.path, 'other.zip');
    writeZip(other, { 'Addresses/Address_24_part_1.csv': otherProvince });
    server.file = readFileSync(other);
    expect(await failureOf(download())).to.match(/there is no Address_35\*\.csv/);
  });

  it('is imported by load-addresses, which keeps no file of it', async () => {
    const dataDir = join(folder.path, 'data');
    const texts: string[] = [];
    const output = { columns: 80, write: (text: string) => texts.push(text) > 0 };
    const config = { dataDir, layersDir: join(projectDir, 'layers') };
    expect(await loadAddresses(config, { from: server.url }, output, fetcher), texts.join('')).to.equal(0);
    expect(texts.join('')).to.match(/is in service/);
    expect(readdirSync(join(dataDir, 'sources'))).to.deep.equal(['.lock']);
    server.fault = () => 404;
    expect(await loadAddresses(config, { from: server.url }, output, fetcher)).to.equal(1);
    expect(texts.at(-1)).to.match(/202606\.zip: the server answered 404; the snapshot in service is unchanged/);
  });
});
