/** Sources that try to reach the network, other files, or the end of memory, time and disk (docs/decisions/0073). */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { CANARY, jsonWith } from '../support/material/hostile/case.ts';
import { corpus, filesRead, GOOD, notesReading, writeCorpus } from '../support/material/hostile/corpus.ts';
import { dataDirOf } from '../support/drivers/import-run.ts';
import { ListeningSocket } from '../support/drivers/listening-socket.ts';
import { programFile } from '../support/drivers/program.ts';

/** It takes 460 to 860, as late as memory is collected; the smallest bomb among the files would take 3,000. */
const MOST_MEGABYTES = 1500;

interface Imported {
  readonly results: Readonly<Record<string, string>>;
  readonly megabytes: number;
}

/** Runs a program of this folder. `no_proxy` is what could undo the limits of GDAL's network. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [programFile(`./${program}`, import.meta.url), ...args],
    {
      env: { ...process.env, no_proxy: '*', NO_PROXY: '*' },
      maxBuffer: 1e9,
      timeout: 800_000,
      killSignal: 'SIGKILL',
    },
  );
  return stdout.trim().split('\n').at(-1)!;
}

describe('an import of hostile files', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let imported: Imported;
  let asked: readonly string[];
  let read: readonly string[];
  let entries: Readonly<Record<string, { readonly file: string; readonly coverage?: string }>>;

  before(async () => {
    await using socket = await ListeningSocket.listen();
    const { outside, from } = writeCorpus(folder.path, socket.address);
    entries = JSON.parse(readFileSync(join(from, 'sources.json'), 'utf8')) as typeof entries;
    imported = JSON.parse(await run('hostile-process', [folder.path])) as Imported;
    asked = [...socket.asked];
    read = filesRead(outside);
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  it('has a corpus of a hundred', () => {
    expect(Object.keys(corpus)).to.have.length.above(100);
  });

  for (const [id, { what, says, before: earlier }] of Object.entries(corpus)) {
    it(`refuses ${what}${earlier === undefined ? '' : ` (earlier: ${earlier})`}`, () => {
      expect(imported.results[id]).to.match(says);
      const { file, coverage } = entries[id]!;
      expect(imported.results[id], 'names the file').to.contain(coverage ?? file.replace(/\.shp$/, '.'));
    });
  }

  it('asks nobody', () => {
    expect(asked).to.deep.equal([]);
  });

  it('reads no file outside the folder', function () {
    const { dir } = currentSnapshot(dataDirOf({ folder: folder.path }))!;
    expect(readFileSync(join(dir, 'land.gpkg')).includes(CANARY)).to.equal(false);
    expect(JSON.stringify(imported.results)).not.to.contain(CANARY);
    if (!notesReading(folder.path)) this.skip();
    expect(read).to.deep.equal([]);
  });

  it('imports the good file among them, and nothing else', () => {
    const published = currentSnapshot(dataDirOf({ folder: folder.path }))!.manifest.dataSets;
    expect(Object.keys(published)).to.deep.equal([GOOD]);
  });

  it('takes bounded memory', () => {
    expect(imported.megabytes).to.be.below(MOST_MEGABYTES);
  });
});

describe('GDAL in a thread of the service', function () {
  this.timeout(240_000);

  it('opens no connection, whatever it opens and whatever the environment says', async () => {
    using folder = temporaryFolder();
    await using socket = await ListeningSocket.listen();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const { address } = socket;
    const layer = (source: string): string =>
      `<OGRVRTLayer name="a"><SrcDataSource>${source}</SrcDataSource></OGRVRTLayer>`;
    const printed = await run('hostile-open-process', [
      write(
        'link.geojson',
        jsonWith({ crs: { type: 'link', properties: { href: `${address}/link`, type: 'ogcwkt' } } }),
      ),
      write('a.vrt', `<OGRVRTDataSource>${layer(`/vsicurl/${address}/vrt.geojson`)}</OGRVRTDataSource>`),
      `/vsicurl/${address}/a.geojson`,
      `/vsicurl_streaming/${address}/a.geojson`,
      `/vsizip//vsicurl/${address}/a.zip`,
      `${address}/a.geojson`,
      `WFS:${address}/wfs`,
      `OAPIF:${address}/oapif`,
    ]);
    expect(Number(printed), 'GDAL opens those that are files').to.equal(2);
    expect(socket.asked).to.deep.equal([]);
  });
});
