import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/messages/time.ts';
import { currentSnapshot, listSnapshots, readManifest } from '../../src/core/snapshots/current.ts';
import { takeImportLock } from '../../src/core/snapshots/building.ts';
import { pruneSnapshots } from '../../src/commands/snapshot.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { verifySnapshot } from '../../workers/verify/verify-land-file.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import {
  dataDirOf,
  failureOf,
  importedRecord,
  runImport,
  storedRows,
  type ImportRun,
} from '../support/drivers/import-run.ts';
import { definitionOf } from '../support/material/layer-definitions.ts';
import { programFile } from '../support/drivers/program.ts';
import { storeSample, writeManifest } from '../support/material/snapshot-copies.ts';
import { geoJson, polygon, square, writeSources } from '../support/material/sources.ts';

const definitions = {
  first: definitionOf({ geometry: 'polygon', fields: { NAME: { type: 'string', required: true } } }),
  second: definitionOf({ geometry: 'polygon', coverage: 'features' }),
};
const one = (name: string, west = -80) => geoJson([polygon([square(west, 44, 0.1)], { NAME: name })]);
const manifest = { first: { file: 'first.geojson' }, second: { file: 'second.geojson' } };
const files = { 'first.geojson': one('a'), 'second.geojson': one('b') };

function names(run: Pick<ImportRun, 'folder'>, table: string): unknown[] {
  return storedRows(dataDirOf(run), table).map(({ values }) => values['NAME']);
}

describe('snapshots of imports', () => {
  it('are complete: manifest, checksum, link, no journal files', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    const { snapshot } = await runImport(run);
    const current = currentSnapshot(dataDirOf(run))!;
    expect(current.id).to.equal(snapshot);
    expect(readlinkSync(join(dataDirOf(run), 'current'))).to.equal(join('snapshots', current.id));
    expect(readdirSync(current.dir).sort()).to.deep.equal(['chunks.json', 'land.gpkg', 'manifest.json']);
    expect(current.id.endsWith(current.manifest.checksum.sha256.slice(0, 12))).to.equal(true);
    expect(current.manifest).to.deep.include({ format: 1, id: current.id, sample: false, gazetteer: null });
    expect(current.manifest.dataSets['first']).to.deep.include({
      coverage: 'province',
      featureCount: 1,
      sample: false,
    });
    expect(current.manifest.dataSets['second']).to.deep.include({ coverage: 'features' });
    // Bytes 18 and 19 of an SQLite file are 1 for a rollback journal, 2 for a write-ahead log.
    expect([...readFileSync(join(current.dir, 'land.gpkg')).subarray(18, 20)]).to.deep.equal([1, 1]);
    verifySnapshot(current.dir, () => undefined);
  });

  it('keep the data sets that an import does not touch, and replace the ones it does', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    await runImport(run);
    const changed = { ...run, manifest: { first: { file: 'first.geojson' } }, files: { 'first.geojson': one('c') } };
    const { outcomes, kept } = await runImport(changed);
    expect(outcomes.map(({ id, previousCount }) => [id, previousCount])).to.deep.equal([['first', 1]]);
    expect(kept).to.deep.equal(['second']);
    expect(names(run, 'first')).to.deep.equal(['c']);
    expect(storedRows(dataDirOf(run), 'second')).to.have.length(1);
    verifySnapshot(currentSnapshot(dataDirOf(run))!.dir, () => undefined);
  });

  it('are not published when a data set fails: the one in service stays, byte for byte', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    const { snapshot: before } = await runImport(run);
    const broken = { ...run, files: { 'first.geojson': one('c'), 'second.geojson': '' } };
    const { snapshot, outcomes } = await runImport(broken);
    expect(snapshot).to.equal(null);
    expect(importedRecord(outcomes, 'first').featureCount).to.equal(1);
    expect(failureOf(outcomes, 'second')).to.equal('second.geojson: is empty (0 bytes)');
    expect(currentSnapshot(dataDirOf(run))?.id).to.equal(before);
    expect(names(run, 'first')).to.deep.equal(['a']);
    expect(readdirSync(join(dataDirOf(run), 'snapshots'))).to.deep.equal([before]);
    verifySnapshot(currentSnapshot(dataDirOf(run))!.dir, () => undefined);
  });

  it('with --partial hold what did not fail and the last good data of what did', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    await runImport(run);
    // Fails after rows were written: the transaction takes them back.
    const half = geoJson([
      polygon([square(-80, 44, 0.1)], { NAME: 'x' }),
      polygon([square(-60, 44, 0.1)], { NAME: 'y' }),
    ]);
    const partial = { ...run, partial: true, files: { 'first.geojson': half, 'second.geojson': one('new', -81) } };
    const { snapshot, outcomes, kept } = await runImport(partial);
    expect(snapshot).to.equal(currentSnapshot(dataDirOf(run))?.id);
    expect(failureOf(outcomes, 'first')).to.match(/1 of 2 features lie outside Ontario/);
    expect(kept).to.deep.equal(['first']);
    expect(names(run, 'first')).to.deep.equal(['a']);
    verifySnapshot(currentSnapshot(dataDirOf(run))!.dir, () => undefined);
  });

  it('never mix the sample with real data', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest: { ...manifest, sample: true }, files };
    await runImport(run);
    expect(currentSnapshot(dataDirOf(run))?.manifest.sample).to.equal(true);
    const real = { ...run, manifest: { first: { file: 'first.geojson' } } };
    await runImport(real);
    const current = currentSnapshot(dataDirOf(run))!.manifest;
    expect(current.sample).to.equal(false);
    expect(Object.keys(current.dataSets)).to.deep.equal(['first']);
  });

  it('keep where a data set of limited coverage knows the answer', async () => {
    using folder = temporaryFolder();
    const limited = {
      first: { file: 'first.geojson', coverage: [-81, 43, -78, 45] },
      second: { file: 'second.geojson', coverage: 'area.geojson' },
    };
    const area = geoJson([polygon([square(-81, 43, 2)]), polygon([square(-78, 43, 1)])]);
    const run = { folder: folder.path, definitions, manifest: limited, files: { ...files, 'area.geojson': area } };
    await runImport(run);
    const dataSets = () => currentSnapshot(dataDirOf(run))!.manifest.dataSets;
    const stored = () => storedRows(dataDirOf(run), 'coverage').map(({ values }) => values['data_set']);
    expect(dataSets()['first']?.coverage).to.equal('area');
    expect(stored()).to.deep.equal(['first', 'second', 'second']);
    await runImport({ ...run, manifest: { first: { file: 'first.geojson' } } });
    expect(dataSets()['first']?.coverage).to.equal('province');
    expect(stored()).to.deep.equal(['second', 'second']);
  });

  it('are built by one import at a time', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    const lock = takeImportLock(dataDirOf(run));
    const refused = await runImport(run).catch((cause: unknown) => String(cause));
    expect(refused).to.match(/another import is running \(it holds .*import\.lock\)/);
    expect(currentSnapshot(dataDirOf(run))).to.equal(null);
    lock[Symbol.dispose]();
    expect((await runImport(run)).snapshot).to.be.a('string');
  });

  it('survive an import that is killed, and the next one cleans up', async function () {
    this.timeout(240_000);
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    const { snapshot: before } = await runImport(run);
    const many = Array.from({ length: 60_000 }, (_, i) =>
      polygon([square(-80 + i * 1e-4, 44, 1e-4)], { NAME: String(i) }),
    );
    writeSources(join(folder.path, 'from'), manifest, { 'first.geojson': geoJson(many) });
    const script = programFile('./import-process', import.meta.url);
    const child = spawn(process.execPath, [script, folder.path, 'first'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(() => takeImportLock(dataDirOf(run))).to.throw(/another import is running/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const leftover = readdirSync(join(dataDirOf(run), 'snapshots')).filter((name) => name.startsWith('building-'));
    expect(leftover).to.have.length(1);
    expect(currentSnapshot(dataDirOf(run))?.id).to.equal(before);
    expect(names(run, 'first')).to.deep.equal(['a']);

    await runImport({ ...run, files: { ...files, 'first.geojson': one('after') } });
    expect(names(run, 'first')).to.deep.equal(['after']);
    expect(existsSync(join(dataDirOf(run), 'snapshots', leftover[0]!))).to.equal(false);
  });

  it('can be put back into service, and old ones deleted', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push((await runImport({ ...run, files: { ...files, 'first.geojson': one(name) } })).snapshot!);
    }
    const dataDir = dataDirOf(run);
    useSnapshot(dataDir, ids[0]!);
    expect(names(run, 'first')).to.deep.equal(['a']);
    expect(() => {
      useSnapshot(dataDir, '../elsewhere');
    }).to.throw('there is no snapshot "../elsewhere"');
    const gone = pruneSnapshots(dataDir, 1);
    expect(gone).to.have.length(1);
    expect(gone).to.not.include(ids[0]);
    expect(listSnapshots(dataDir).map(({ id }) => id)).to.have.length(2);
    expect(currentSnapshot(dataDir)?.id).to.equal(ids[0]);
  });

  it('keep, for 60 days, the newest one whose addresses an earlier release reads', () => {
    for (const [ageDays, isKept] of [
      [59, true],
      [61, false],
    ] as const) {
      using folder = temporaryFolder();
      const ids = [1, 2, 3, 4, 5].map((n) => storeSample(folder.path, n));
      const [older, old, ...newer] = ids as [string, string, ...string[]];
      ids.forEach((id, i) => {
        const { gazetteer, ...others } = readManifest(join(folder.path, 'snapshots', id));
        const createdAt = new Date(Date.now() - ageDays * DAY_MS + i * 1000).toISOString();
        const normaliser = gazetteer!.normaliser - (newer.includes(id) ? 0 : 1);
        writeManifest(folder.path, { ...others, createdAt, gazetteer: { ...gazetteer!, normaliser } });
      });
      useSnapshot(folder.path, newer.at(-1)!);
      expect(pruneSnapshots(folder.path, 1)).to.have.members([older, ...(isKept ? [] : [old]), ...newer.slice(0, -1)]);
    }
  });

  it('do not verify when a byte has changed', async () => {
    using folder = temporaryFolder();
    const run = { folder: folder.path, definitions, manifest, files };
    await runImport(run);
    const { dir } = currentSnapshot(dataDirOf(run))!;
    appendFileSync(join(dir, 'land.gpkg'), 'x');
    expect(() => {
      verifySnapshot(dir, () => undefined);
    }).to.throw(/land\.gpkg has changed/);
    const next = runImport({ ...run, files: { ...files, 'first.geojson': one('c') } });
    const failure = await next.then(() => 'imported', String);
    expect(failure, 'a copy would have the damage, and a good checksum').to.match(/snapshot in service, .* is damaged/);
  });
});
