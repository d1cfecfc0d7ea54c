import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { downloadFile } from '../../src/features/download/download-file.ts';
import { FileStore, type FileState } from '../../src/features/download/file-store.ts';
import { probeFile } from '../../src/features/download/file-version.ts';
import { serveFile, type FileServer } from '../support/doubles/file-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const content = randomContent();

const retry = { attempts: 4, firstMs: 1, mostMs: 5 };

async function serving() {
  const folder = temporaryFolder();
  const server = await serveFile(content);
  const { partFile } = new FileStore(folder.path, server.url);
  const isKept = (bytes: number): boolean => (statSync(partFile, { throwIfNoEntry: false })?.size ?? 0) >= bytes;
  const download = () =>
    downloadFile({ url: server.url, folder: folder.path, retry, idleMs: 60_000, onBytes: () => undefined });
  return {
    server,
    isKept,
    folder: folder.path,
    download,
    stored: (name: string) => readFileSync(join(folder.path, name)),
    /** Fetches this many bytes, then the server stays away. */
    begin: async (bytes: number): Promise<number> => {
      server.host.cut = { afterBytes: bytes, times: 1, isKept };
      server.host.failsAfterCut = true;
      expect(await failureOf(download())).to.match(/data\.zip: the server answered 503/);
      server.host.failsAfterCut = false;
      server.host.status = null;
      server.requests.length = 0;
      expect(statSync(partFile).size).to.equal(bytes);
      return bytes;
    },
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

function untold({ server }: { server: FileServer }): void {
  server.etag = null;
  server.lastModified = null;
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
    expect(readdirSync(given.folder)).to.have.members(['state.json', second.name]);
  });

  it('goes on where a connection broke off, more often than it tries again without success', async () => {
    await using given = await serving();
    given.server.host.cut = { afterBytes: 100_000, times: 9, isKept: given.isKept };
    const { name } = await given.download();
    expect(given.stored(name).equals(content)).to.equal(true);
    expect(statuses(given.server)).to.deep.equal([200, ...Array<number>(9).fill(206)]);
    expect(given.server.host.sentBytes, 'no byte is asked for again').to.equal(1_000_000);
  });

  it('gives up on a server that breaks off and brings nothing more', async () => {
    await using given = await serving();
    given.server.host.cut = { afterBytes: 0, times: 99 };
    expect(await failureOf(given.download())).to.match(/data\.zip: the connection failed|broke off/);
    expect(given.server.requests.length).to.equal(4);
  });

  it('goes on in a later run', async () => {
    await using given = await serving();
    const held = await given.begin(400_000);
    const { name } = await given.download();
    expect(given.stored(name).equals(content)).to.equal(true);
    const [wanted, range] = [content.length - held, `bytes=${held}-`];
    expect(given.server.requests).to.deep.equal([
      { path: '/data.zip', method: 'GET', range, status: 206, bytes: wanted, wanted },
    ]);
  });

  const changes: Readonly<Record<string, (given: Awaited<ReturnType<typeof serving>>) => void>> = {
    'by its tag': () => undefined,
    'by its date': ({ server }) => (server.etag = null),
    'by its length, at a server that tells nothing else': untold,
    'by its tag, at a server that does not read If-Range': ({ server }) => (server.host.ignoresIfRange = true),
  };
  for (const [how, prepare] of Object.entries(changes)) {
    it(`begins anew when the file has changed in between, which shows ${how}`, async () => {
      await using given = await serving();
      prepare(given);
      await given.begin(400_000);
      given.server.content = Buffer.alloc(500_000, 7);
      if (given.server.etag !== null) given.server.etag = '"second"';
      if (given.server.lastModified !== null) given.server.lastModified = 'Sun, 02 Mar 2025 12:00:00 GMT';
      const { name } = await given.download();
      expect(given.stored(name).equals(given.server.content)).to.equal(true);
    });
  }

  it('compares where the parts meet when only the length tells: another file of that length is fetched whole', async () => {
    await using given = await serving();
    untold(given);
    const held = await given.begin(400_000);
    const { name } = await given.download();
    expect(given.stored(name).equals(content)).to.equal(true);
    expect(given.server.requests).to.have.length(1);
    expect(given.server.requests[0]).to.include({ range: `bytes=${held - 4096}-`, status: 206 });

    given.server.content = randomContent();
    new FileStore(given.folder, given.server.url).writeState({ ...readState(given.folder), usedAt: 'before' });
    await given.begin(400_000);
    given.server.content = randomContent();
    expect(given.stored((await given.download()).name).equals(given.server.content)).to.equal(true);
  });

  it('begins anew at a server without ranges', async () => {
    await using given = await serving();
    given.server.host.ignoresRanges = true;
    await given.begin(400_000);
    expect(given.stored((await given.download()).name).equals(content)).to.equal(true);
    expect(statuses(given.server)).to.deep.equal([200]);
  });

  it('takes over a file of which every byte had come when the process was killed', async () => {
    await using given = await serving();
    const { name } = await given.download();
    const state = readState(given.folder);
    const kept = given.stored('state.json');
    const { etag, lastModified, bytes, url } = state;
    const kills: Readonly<Record<string, () => void>> = {
      'before it was taken over': () => {
        renameSync(join(given.folder, name), join(given.folder, 'file.part'));
        writeFileSync(join(given.folder, 'file.part.json'), JSON.stringify({ url, etag, lastModified, bytes }));
        writeFileSync(join(given.folder, 'state.json'), JSON.stringify({ ...state, sha256: 'old', etag: '"old"' }));
      },
      'between the renames': () => {
        renameSync(join(given.folder, 'state.json'), join(given.folder, 'state.next.json'));
      },
      'before the renames': () => {
        renameSync(join(given.folder, name), join(given.folder, 'file.part'));
        renameSync(join(given.folder, 'state.json'), join(given.folder, 'state.next.json'));
      },
    };
    for (const [when, kill] of Object.entries(kills)) {
      writeFileSync(join(given.folder, 'state.json'), kept);
      kill();
      given.server.requests.length = 0;
      expect((await given.download()).sha256, when).to.equal(state.sha256);
      expect(given.stored(name).equals(content), when).to.equal(true);
      expect(statuses(given.server), when).to.deep.equal([304]);
    }
  });

  it('does not fetch it again where the server reads no conditions, but says the same tag or date', async () => {
    await using given = await serving();
    given.server.host.ignoresConditions = true;
    const first = await given.download();
    given.server.etag = null;
    expect(await given.download()).to.deep.equal(first);
    given.server.lastModified = 'Sun, 02 Mar 2025 12:00:00 GMT';
    expect((await given.download()).lastModified).to.equal(given.server.lastModified);
  });

  it('fetches it again for each import where the server gives nothing to tell it by', async () => {
    await using given = await serving();
    untold(given);
    const first = await given.download();
    // The import was killed: the next run goes on with the file.
    expect(await given.download()).to.deep.equal(first);
    new FileStore(given.folder, given.server.url).writeState({ ...first, usedAt: new Date().toISOString() });
    given.server.content = randomContent();
    const second = await given.download();
    expect(given.stored(second.name).equals(given.server.content)).to.equal(true);
  });

  it('fetches it once more when it was found damaged, and no more when the same bytes come', async () => {
    await using given = await serving();
    const first = await given.download();
    const store = new FileStore(given.folder, given.server.url);
    store.writeState({ ...first, check: 'damaged' });
    const second = await given.download();
    expect(second).to.include({ sha256: first.sha256, check: 'damaged at its server' });
    expect(await given.download()).to.deep.equal(second);
    expect(statuses(given.server)).to.deep.equal([200, 200, 304]);
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

  it('refuses a file that the disk cannot hold before it fetches it', async () => {
    await using given = await serving();
    given.server.host.statedBytes = 10 ** 15;
    const failure = await failureOf(given.download());
    expect(failure).to.match(
      /data\.zip: the disk of .* has \d+ MB free; 953674317 MB more are needed, and 256 MB stay free/,
    );
    expect(readdirSync(given.folder)).to.deep.equal([]);
  });

  it('asks for size and date of a file without fetching it', async () => {
    await using given = await serving();
    const version = { etag: '"first"', lastModified: 'Sat, 01 Mar 2025 12:00:00 GMT', bytes: 1_000_000 };
    const options = { retry, idleMs: 500 };
    expect(await probeFile(given.server.url, options)).to.deep.equal(version);
    expect(given.server.host.sentBytes).to.equal(0);
    given.server.host.refusesHead = true;
    expect(await probeFile(given.server.url, options)).to.deep.equal(version);
    expect(given.server.host.sentBytes).to.equal(1);
    expect(await failureOf(probeFile(`${given.server.url}x`, options))).to.match(/data\.zipx: the server answered 404/);
  });
});

function readState(folder: string): FileState {
  return JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as FileState;
}

/** As a zip file begins: a file that happened to begin with "<" would be taken for a web page. */
function randomContent(): Buffer {
  return Buffer.concat([Buffer.from('PK'), randomBytes(999_998)]);
}
