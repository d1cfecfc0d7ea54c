/** An import leaves free disk for lookups, and what did not finish is deleted. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { loadAddresses } from '../../src/import/load-addresses.ts';
import { loadLayers } from '../../src/import/load-layers.ts';
import { diskShortage } from '../../src/messages/disk-floor.ts';
import { LockHeld } from '../../src/core/files/lock.ts';
import { startBuilding } from '../../src/core/snapshots/building.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { neededFile, prunedFile, snapshotsFolder } from '../../src/core/snapshots/folders.ts';
import { pruneSnapshots } from '../../src/commands/snapshot.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { findSource } from '../../workers/import/sources/find-source.ts';
import { cli, cliBeside } from '../support/drivers/cli.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { LoopDisk } from '../service/loop-disk.ts';
import { fillDisk } from '../support/drivers/fill-disk.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { serveMadeUp } from '../support/material/made-up-snapshots.ts';
import { storedNames } from '../support/material/snapshot-copies.ts';
import { geoJson, polygon, square, writeSources } from '../support/material/sources.ts';
import { writeZip } from '../support/material/zip.ts';

const MORE_THAN_ANY_DISK = Number.MAX_SAFE_INTEGER;
const MIB = 1024 ** 2;
const short = /the disk of .* has \d+ MB free; .*\d+ MB stay free for lookups \(MIN_FREE_DISK_MB\): free some space/;

const features = (count: number) =>
  geoJson(
    Array.from({ length: count }, (_, i) =>
      polygon([square(-80 + (i % 100) * 0.001, 44 + Math.floor(i / 100) * 0.001, 0.0005)]),
    ),
  );

/** Definitions and sources of one data set with so many features. */
function written(folder: string, count: number) {
  const layersDir = writeDefinitions(join(folder, 'layers'), { areas: definitionOf({ geometry: 'polygon' }) });
  const from = writeSources(
    join(folder, 'from'),
    { areas: { file: 'areas.geojson' } },
    { 'areas.geojson': features(count) },
  );
  return { layersDir, from };
}

describe('the floor of free disk', function () {
  this.timeout(240_000);

  it('is counted with what is needed', () => {
    const floor = { folder: '/data', minFreeBytes: 10 * MIB };
    expect(diskShortage(10 * MIB, 0, floor)).to.equal(null);
    expect(diskShortage(30 * MIB, 20 * MIB, floor)).to.equal(null);
    expect(diskShortage(30 * MIB, 20 * MIB + 1, floor)).to.equal(
      'the disk of /data has 30 MB free; 21 MB more are needed, and 10 MB stay free for lookups (MIN_FREE_DISK_MB): ' +
        'free some space, for example with "land-lookup snapshot prune"',
    );
  });

  it('stops an import before it writes anything', async () => {
    using folder = temporaryFolder();
    const { layersDir, from } = written(folder.path, 1);
    const config = { dataDir: join(folder.path, 'data'), layersDir, minFreeDiskBytes: MORE_THAN_ANY_DISK };
    const imports = { layers: (output: ReturnType<typeof capturedOutput>) => loadLayers(config, { from }, output) };
    const addresses = (output: ReturnType<typeof capturedOutput>) => loadAddresses(config, { from }, output);
    for (const load of [imports.layers, addresses]) {
      const output = capturedOutput();
      expect(await load(output)).to.equal(1);
      expect(output.text())
        .to.match(short)
        .and.to.match(/the snapshot in service is unchanged/);
      expect(storedNames(config.dataDir)).to.deep.equal([]);
    }
  });

  it('stops the unpacking of a zip file', async () => {
    using folder = temporaryFolder();
    const [file, unpacked] = [join(folder.path, 'a.zip'), join(folder.path, 'unpacked')];
    writeZip(file, { 'a.geojson': Buffer.from(features(1)) });
    const failure = await findSource({ file, unpacked, minFreeBytes: MORE_THAN_ANY_DISK, layer: null }).then(
      String,
      String,
    );
    expect(failure).to.match(short);
    expect(readdirSync(unpacked)).to.deep.equal([]);
  });

  it('stops an import on the way, which leaves nothing behind and the old snapshot in service', async function () {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, 'data');
    mkdirSync(dataDir);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', dataDir]).status !== 0) {
      console.log('skipped: cannot mount a small file system here');
      this.skip();
    }
    try {
      const small = written(folder.path, 1);
      expect(
        await loadLayers({ dataDir, layersDir: small.layersDir }, { from: small.from }, capturedOutput()),
      ).to.equal(0);
      const before = currentSnapshot(dataDir)!.id;
      const { bavail, bsize } = statfsSync(dataDir);
      const { layersDir, from } = written(folder.path, 20_000);
      const output = capturedOutput();
      // The copy of the old snapshot fits, the twenty thousand features do not.
      const minFreeDiskBytes = bavail * bsize - 2 * MIB;
      expect(await loadLayers({ dataDir, layersDir, minFreeDiskBytes }, { from }, output)).to.equal(1);
      expect(output.text()).to.match(short);
      expect(currentSnapshot(dataDir)!.id).to.equal(before);
      expect(storedNames(dataDir)).to.deep.equal([before]);
    } finally {
      spawnSync('umount', ['-l', dataDir]);
    }
  });
});

describe('pruning', () => {
  it('deletes what an import left that was killed, and nothing that a running one builds or reads', () => {
    using folder = temporaryFolder();
    const [base, next] = [1, 2].map((n) => serveMadeUp(folder.path, n, Buffer.from(`snapshot ${n}`)).id);
    useSnapshot(folder.path, base!);
    const left = join(snapshotsFolder(folder.path), 'building-1');
    mkdirSync(left, { recursive: true });
    expect(pruneSnapshots(folder.path, 3)).to.deep.equal(['building-1']);
    expect(existsSync(left)).to.equal(false);
    {
      using building = startBuilding(folder.path);
      // Somebody puts another one into service meanwhile.
      useSnapshot(folder.path, next!);
      expect(() => pruneSnapshots(folder.path, 1)).to.throw(LockHeld, 'another import is running');
      expect([building.folder, building.current!.dir].map((dir) => existsSync(dir))).to.deep.equal([true, true]);
    }
    expect(pruneSnapshots(folder.path, 1)).to.deep.equal([base]);
  });

  it('is made again by a pruning on a full disk, which is what frees one', function () {
    using disk = LoopDisk.mount();
    if (!disk) {
      console.log('skipped: mounting is not permitted here');
      this.skip();
    }
    const content = Buffer.alloc(200_000);
    const ids = [1, 2, 3, 4].map((n) => serveMadeUp(disk.path, n, Buffer.from([n, ...content])).id);
    startBuilding(disk.path)[Symbol.dispose]();
    fillDisk(disk.path);
    const { status, stdout } = cli(disk.path, 'snapshot', 'prune', '--keep', '1');
    expect(stdout).to.equal(`Deleted: ${ids.slice(0, 3).join(', ')}\n`);
    expect(status).to.equal(0);
    expect(readFileSync(prunedFile(disk.path), 'utf8')).to.equal(
      ids
        .slice(0, 3)
        .map((id) => `${id}\n`)
        .join(''),
    );
    expect(storedNames(disk.path)).to.deep.equal([ids[3]]);
  });

  it('keeps a snapshot that is put into service while it looks which ones to delete', async () => {
    using folder = temporaryFolder();
    const ids = [1, 2, 3].map((n) => serveMadeUp(folder.path, n, Buffer.from(`snapshot ${n}`)).id);
    // It reads this file after the link, and waits until somebody has written it.
    spawnSync('mkfifo', [neededFile(folder.path)]);
    const pruning = cliBeside(folder.path, {}, 'snapshot', 'prune', '--keep', '1');
    const pipe = await open(neededFile(folder.path), 'w');
    useSnapshot(folder.path, ids[0]!);
    await pipe.close();
    expect((await pruning).status).to.equal(0);
    expect(currentSnapshot(folder.path)?.id).to.equal(ids[0]);
    expect(storedNames(folder.path)).to.have.members([ids[0], ids[2]]);
  });

  it('leaves the snapshot before in service when the chosen one is deleted in that moment', async () => {
    using folder = temporaryFolder();
    const [chosen, before] = [1, 2].map((n) => serveMadeUp(folder.path, n, Buffer.from(`snapshot ${n}`)).id);
    const dir = join(snapshotsFolder(folder.path), chosen!);
    const thread = new Worker(COMES_AND_GOES, { eval: true, workerData: dir });
    let deleted = 0;
    for (let i = 0; i < 10_000 && deleted < 3; i++) {
      useSnapshot(folder.path, before!);
      const refusal = refusalOf(() => {
        useSnapshot(folder.path, chosen!);
      });
      if (!refusal.includes('is being deleted')) continue;
      deleted++;
      expect(currentSnapshot(folder.path)?.id).to.equal(before);
    }
    await thread.terminate();
    expect(deleted).to.equal(3);
  });
});

/** Takes a folder away and brings it back, without a pause. */
const COMES_AND_GOES = `
  const { renameSync } = require('node:fs');
  const { workerData: dir } = require('node:worker_threads');
  for (;;) {
    renameSync(dir, dir + '-gone');
    renameSync(dir + '-gone', dir);
  }`;

function refusalOf(act: () => void): string {
  try {
    act();
    return '';
  } catch (cause) {
    return (cause as Error).message;
  }
}
