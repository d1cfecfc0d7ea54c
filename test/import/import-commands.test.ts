import { expect } from 'chai';
import { cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadAddresses, register as registerLoadAddresses } from '../../src/import/load-addresses.ts';
import { dayOf } from '../../src/messages/time.ts';
import { loadLayers } from '../../src/import/load-layers.ts';
import { ProgressDisplay } from '../../src/core/terminal/progress-display.ts';
import { listCommand, useCommand, verifyCommand } from '../../src/commands/snapshot.ts';
import { readJobs } from '../../src/core/snapshots/jobs.ts';
import { projectDir } from '../../src/project/project.ts';
import { readConfig } from '../../src/config.ts';
import { currentSnapshot, readManifest, requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { useSnapshot } from '../../src/core/snapshots/publish.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { writeManifest } from '../support/material/snapshot-copies.ts';
import { geoJson, polygon, square, writeSources } from '../support/material/sources.ts';

/** ECMA-48: one line up. */
const LINE_UP = '\u001b[A';

describe('import commands', function () {
  this.timeout(240_000);

  it('import a folder, report it, and tell full, partial and failed by the exit code', async () => {
    using folder = temporaryFolder();
    const layersDir = writeDefinitions(join(folder.path, 'layers'), {
      good: definitionOf({ geometry: 'polygon' }),
      bad: definitionOf({ geometry: 'polygon' }),
    });
    const { geocoders } = readConfig({});
    const config = { dataDir: join(folder.path, 'data'), layersDir, geocoders };
    const files = { 'good.geojson': geoJson([polygon([square(-80, 44, 0.1)])]), 'bad.geojson': 'nothing' };
    const all = { good: { file: 'good.geojson', asOf: '2025-01-02' }, bad: { file: 'bad.geojson' } };
    const from = writeSources(join(folder.path, 'from'), all, files);

    const refresh = () => readJobs(config.dataDir, folder.path).find(({ job }) => job === 'refresh')!;

    const refused = capturedOutput();
    expect(await loadLayers(config, { from }, refused)).to.equal(1);
    expect(refused.text()).to.match(/^bad .* FAILED: bad\.geojson: is not a readable GeoPackage/m);
    expect(refused.text()).to.include('Nothing was published (--partial publishes the data sets that did not fail)');
    expect(currentSnapshot(config.dataDir)).to.equal(null);
    expect(refresh())
      .to.include({ succeededAt: null })
      .and.have.nested.property('failed.why')
      .that.contains('no data set');

    const partial = capturedOutput();
    expect(await loadLayers(config, { from, partial: true }, partial)).to.equal(2);
    expect(partial.text()).to.match(/^good +1 +new +\d+ +0 +0 +2025-01-02 /m);
    expect(partial.text()).to.match(/good {2}\[#{24}\] 100 % {2}1 of 1/);

    const { succeededAt, failed } = refresh();
    expect(failed).to.deep.equal({ at: succeededAt, why: 'some data sets keep their last good data' });

    const full = capturedOutput();
    expect(await loadLayers(config, { from, only: ['good'] }, full)).to.equal(0);
    const current = currentSnapshot(config.dataDir)!;
    // Some data sets alone are no refresh.
    expect(refresh()).to.deep.include({ succeededAt, failed });
    expect(full.text()).to.include(`Snapshot ${current.id} is in service.`);

    const verified = capturedOutput();
    await verifyCommand(config, null, verified);
    expect(verified.text()).to.include(`Snapshot ${current.id} is valid.`);
    const listed = capturedOutput();
    listCommand(config, listed);
    expect(
      listed
        .text()
        .split('\n')
        .filter((line) => line.includes('in service')),
    ).to.have.length(1);
    expect(() => {
      useCommand(config, 'nothing', { force: false, output: listed });
    }).to.throw('there is no snapshot "nothing"');
  });

  it('leave in service what somebody has put there during the import, and say how to change to the new snapshot', async () => {
    using folder = temporaryFolder();
    const layersDir = writeDefinitions(join(folder.path, 'layers'), {
      good: definitionOf({ geometry: 'polygon' }),
      other: definitionOf({ geometry: 'polygon' }),
    });
    const config = { dataDir: join(folder.path, 'data'), layersDir, geocoders: readConfig({}).geocoders };
    const load = async (west: number, meanwhile = (): void => undefined) => {
      const files = { 'good.geojson': geoJson([polygon([square(west, 44, 0.1)])]) };
      const from = writeSources(join(folder.path, 'from'), { good: { file: 'good.geojson' } }, files);
      const output = capturedOutput();
      // It has read what is in service when it waits for its thread.
      const importing = loadLayers(config, { from }, output);
      meanwhile();
      return { code: await importing, text: output.text(), id: currentSnapshot(config.dataDir)?.id };
    };
    const first = await load(-80);
    const second = await load(-81);
    expect([second.code, second.id]).to.not.include(first.id);
    const third = await load(-82, () => {
      useSnapshot(config.dataDir, first.id!);
    });
    expect([third.code, third.id]).to.deep.equal([1, first.id]);
    const said =
      /Snapshot (\S+) is stored, but not in service: somebody put (\S+) into service during the import, and it stays\. To change to the new one: land-lookup snapshot use (\S+)\n/;
    const [, stored, kept, named] = said.exec(third.text)!;
    expect([kept, named]).to.deep.equal([first.id, stored]);
    useSnapshot(config.dataDir, stored!);
    const listed = capturedOutput();
    listCommand(config, listed);
    expect(listed.text()).to.match(new RegExp(`^${stored!} +in service +1 of 2 +none`, 'm'));
    const manifest = readManifest(join(config.dataDir, 'snapshots', stored!));
    const refreshFailed = { since: '2026-10-03T00:00:00.000Z', reason: 'silent' };
    const good = { ...manifest.dataSets['good']!, refreshFailed };
    writeManifest(config.dataDir, { ...manifest, dataSets: { good } });
    const again = capturedOutput();
    listCommand(config, again);
    expect(again.text()).to.match(/in service +1 of 2 +good since 2026-10-03 /);
    const asJson = capturedOutput();
    listCommand(config, asJson, true);
    const list = JSON.parse(asJson.text()) as readonly object[];
    expect(list).to.have.length(3);
    expect(list.find((one) => 'id' in one && one.id === stored)).to.deep.include({
      ...{ inService: true, lacks: ['other'], addresses: null, refreshFailed: { good: refreshFailed } },
    });
  });

  it('warn where the date of the register is that of files which are as new as the import', async () => {
    using folder = temporaryFolder();
    const layersDir = writeDefinitions(join(folder.path, 'layers'), { good: definitionOf({ geometry: 'polygon' }) });
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const from = join(folder.path, 'copied');
    cpSync(join(projectDir, 'layers', 'sample', 'addresses'), from, { recursive: true });
    const said = async (more: { readonly asOf?: string } = {}): Promise<string> => {
      const output = capturedOutput();
      expect(await loadAddresses(config, { from, ...more }, output)).to.equal(0);
      return output.text();
    };
    const warning = 'Warning: the files of the register are of today';
    expect(await said())
      .to.contain(warning)
      .and.contain('--as-of');
    expect(await said({ asOf: '2024-12-01' })).to.not.contain(warning);
    // A wrong clock: the register is not of a day to come.
    for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(from, name), new Date('2199-01-01T12:00:00Z'), new Date('2199-01-01T12:00:00Z'));
    expect(await said())
      .to.contain(`${warning}, so ${dayOf(Date.now())}`)
      .and.not.contain('2199');
    for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(from, name), new Date('2024-12-01T12:00:00Z'), new Date('2024-12-01T12:00:00Z'));
    expect(await said()).to.not.contain(warning);
  });

  it('refuse a register that was cut at the end of a line, unless its loss is accepted', async () => {
    using folder = temporaryFolder();
    const layersDir = writeDefinitions(join(folder.path, 'layers'), { good: definitionOf({ geometry: 'polygon' }) });
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const from = join(folder.path, 'register');
    cpSync(join(projectDir, 'layers', 'sample', 'addresses'), from, { recursive: true });
    const load = async (more: { readonly force?: boolean } = {}) => {
      const output = capturedOutput();
      const code = await loadAddresses(config, { from, asOf: '2025-01-01', ...more }, output);
      return { code, text: output.text(), id: requireCurrentSnapshot(config.dataDir).id };
    };
    const whole = await load();
    expect(whole.code).to.equal(0);
    const [name] = readdirSync(join(from, 'Addresses'));
    const file = join(from, 'Addresses', name!);
    const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
    writeFileSync(file, lines.slice(0, Math.ceil(lines.length * 0.9)).join(''));
    const refused = await load();
    expect([refused.code, refused.id]).to.deep.equal([1, whole.id]);
    expect(refused.text).to.match(
      /load-addresses: the register has \d+ addresses, but that of the last snapshot has \d+: --force accepts the loss; the snapshot in service is unchanged\n/,
    );
    const accepted = await load({ force: true });
    expect([accepted.code, accepted.id === whole.id]).to.deep.equal([0, false]);
  });

  it('say what is wrong with the folder or the manifest', async () => {
    using folder = temporaryFolder();
    const layersDir = writeDefinitions(join(folder.path, 'layers'), { known: definitionOf({ geometry: 'polygon' }) });
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const said = async (manifest: object | null) => {
      const output = capturedOutput();
      const from = join(folder.path, 'from');
      if (manifest) writeSources(from, manifest, {});
      expect(await loadLayers(config, { from }, output)).to.equal(1);
      return output.text();
    };
    expect(await said(null)).to.match(/has no sources\.json; the snapshot in service is unchanged/);
    expect(await said({ unknown: { file: 'a' } })).to.include('there is no layer definition "unknown"');
    expect(await said({ known: {} })).to.match(/\/known must have required property 'file'/);
    expect(await said({ known: { file: 'a', asOf: '2025-02-30' } })).to.include('"asOf" is not a date: 2025-02-30');
    expect(await said({ known: { file: 'a', asOf: '2199-01-01' } })).to.include('"asOf" is a day to come: 2199-01-01');
    expect(await said({ known: { file: 'a', rename: { X: 'Y' } } })).to.include('"rename" maps to "Y"');
    expect(await said({ known: { file: 'a', coverage: [-70, 44, -80, 45] } })).to.include('[west, south, east, north]');
  });

  it('take for the date of the register a day of the calendar that is not to come', async () => {
    for (const [day, isTaken] of [
      ['2025-02-28', true],
      ['2025-02-30', false],
      ['2199-01-01', false],
      ['2025-1-1', false],
    ] as const) {
      const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
      const reached = new Error('the command runs');
      await registerLoadAddresses(program, {
        fetcher: () => Promise.resolve(null),
        config: () => {
          throw reached;
        },
      });
      program.commands.forEach((command) => command.exitOverride().configureOutput({ writeErr: () => undefined }));
      const ended = await program
        .parseAsync(['load-addresses', '--from', 'x', '--as-of', day], { from: 'user' })
        .catch((cause: unknown) => cause);
      expect(ended === reached, day).to.equal(isTaken);
    }
  });

  it('redraw bars on a terminal and write lines to a log', () => {
    const overall = { unit: 'bytes', done: 3e6, total: 4e6, found: 1e6 } as const;
    const rows = (done: number) =>
      ({ kind: 'rows', name: 'wetland', done, total: 1000, unit: 'rows', bytes: 2e6, overall }) as const;
    const terminal = capturedOutput(true);
    const bars = new ProgressDisplay(terminal);
    [0, 250, 1000].forEach((done) => {
      bars.show(rows(done));
    });
    bars.end();
    // Each time the data set's bar, the total below it, and one line up again.
    expect(terminal.text().match(/\r/g)).to.have.length(6);
    expect(terminal.text().split(LINE_UP)).to.have.length(4);
    expect(terminal.text()).to.match(/wetland {2}\[######\.{18}\] 25 % {2}250 of 1,000 {2}[\d,]+\/s {2}2\.0 MB/);
    expect(terminal.text()).to.match(/all data sets {2}\[#{18}\.{6}\] 75 % {2}3\.0 MB of 4\.0 MB {2}/);

    const log = capturedOutput();
    const lines = new ProgressDisplay(log);
    [0, 250, 1000].forEach((done) => {
      lines.show(rows(done));
    });
    expect(log.text()).to.match(/^wetland .* 100 % .*; all data sets .* 75 % .*\n$/);
  });

  it('import the bundled sample, and say that it is one', () => {
    expect(currentSnapshot(sampleDataDir())?.manifest.sample).to.equal(true);
  });
});
