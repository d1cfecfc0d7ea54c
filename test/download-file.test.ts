import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { downloadFile } from '../src/download/download-file.ts';
import { serveFile, type FileServer } from './support/file-server.ts';
import { temporaryFolder } from './support/folder.ts';

const content = randomBytes(1_000_000);

/** What the client's stream holds at most. */
const IN_FLIGHT_BYTES = 65_536;

async function serving() {
  const folder = temporaryFolder();
  const server = await serveFile(content);
  const retry = { attempts: 4, baseMs: 1, longestMs: 5 };
  const download = () =>
    downloadFile({ url: server.url, folder: folder.path, retry, idleMs: 500, onBytes: () => undefined });
  return {
    server,
    download,
    stored: (name: string) => readFileSync(join(folder.path, name)),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const statuses = ({ requests }: FileServer) => requests.map(({ status }) => status);

async function failureOf(work: Promise<unknown>): Promise<string> {
  return String(
    await work.then(
      () => Promise.reject(new Error('it did not fail')),
      (cause: unknown) => cause,
    ),
  );
}

describe('download of a file', () => {
  it('fetches it once, and then only when it has changed', async () => {
    await using given = await serving();
    const first = await given.download();
    expect(given.stored(first.name).equals(content)).to.equal(true);
    expect(first).to.include({ bytes: 1_000_000, lastModified: 'Sat, 01 Mar 2025 12:00:00 GMT' });
    expect(await given.download()).to.deep.equal(first);
    given.server.content = Buffer.from('changed');
    given.server.etag = '"second"';
    const second = await given.download();
    expect(given.stored(second.name).toString()).to.equal('changed');
    expect(statuses(given.server)).to.deep.equal([200, 304, 200]);
  });

  it('goes on where a connection broke off, several times over', async () => {
    await using given = await serving();
    given.server.cut = { afterBytes: 300_000, times: 2 };
    const { name } = await given.download();
    expect(given.stored(name).equals(content)).to.equal(true);
    expect(statuses(given.server)).to.deep.equal([200, 206, 206]);
    // Only what was on its way when the connection broke is asked for again.
    const sent = given.server.requests.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(sent).to.be.within(1_000_000, 1_000_000 + 2 * IN_FLIGHT_BYTES);
  });

  it('goes on in a later run', async () => {
    await using given = await serving();
    given.server.cut = { afterBytes: 100_000, times: 4 };
    expect(await failureOf(given.download())).to.match(/data\.zip: the connection failed|broke off/);
    const { name } = await given.download();
    expect(given.stored(name).equals(content)).to.equal(true);
    expect(given.server.requests.at(-1)).to.include({ status: 206, bytes: 600_000 });
  });

  it('begins anew when the file has changed in between', async () => {
    await using given = await serving();
    given.server.cut = { afterBytes: 100_000, times: 4 };
    await failureOf(given.download());
    given.server.etag = '"second"';
    given.server.lastModified = 'Sun, 02 Mar 2025 12:00:00 GMT';
    given.server.content = Buffer.alloc(500_000, 7);
    const { name } = await given.download();
    expect(given.stored(name).equals(given.server.content)).to.equal(true);
  });

  it('fetches it again where the server gives nothing to tell it by', async () => {
    await using given = await serving();
    given.server.etag = null;
    given.server.lastModified = null;
    const first = await given.download();
    const second = await given.download();
    expect(second.sha256).to.equal(first.sha256);
    expect(statuses(given.server)).to.deep.equal([200, 200]);
  });

  it('refuses an empty file and a web page, and keeps the last good one', async () => {
    await using given = await serving();
    const { name } = await given.download();
    given.server.etag = '"second"';
    given.server.content = Buffer.alloc(0);
    expect(await failureOf(given.download())).to.match(/data\.zip: the file is empty \(0 bytes\)/);
    given.server.content = Buffer.from('<!doctype html><title>Moved</title>');
    expect(await failureOf(given.download())).to.match(/data\.zip: the file is a web page: "<!doctype html>/);
    expect(given.stored(name).equals(content)).to.equal(true);
  });
});
