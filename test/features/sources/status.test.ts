/** `/status` and `/status.json`: what everybody sees of the data's sources, over files of any content. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  keptFile,
  readKept,
  writeKept,
  type KeptChecks,
  type KeptSource,
} from '../../../src/features/sources/kept-checks.ts';
import { sources } from '../../../src/features/sources/commands.ts';
import { sourcesSettings } from '../../../src/features/sources/settings.ts';
import type { StatusBody } from '../../../src/features/sources/status.ts';
import { keptFiles } from '../../../src/features/sources/status.ts';
import { asSent } from '../../support/drivers/as-sent.ts';
import { capturedOutput } from '../../support/drivers/captured-output.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { startFrontEnd, type FrontEnd } from '../../support/drivers/front-end.ts';
import type { SourceFetcher } from '../../../src/import/source-fetcher.ts';
import { projectDir } from '../../../src/project/project.ts';

const HOSTILE = '<script>alert(1)</script> "&';
const fails = (why: string): never => expect.fail(why);
const now = (): string => new Date().toISOString();

function source(dataSet: string, finding: KeptSource['finding'], more: Partial<KeptSource> = {}): KeptSource {
  const time = { since: '2026-11-05T02:00:00.000Z', seenAt: '2026-11-06T02:00:00.000Z' };
  return { dataSet, source: HOSTILE, finding, reason: HOSTILE, ...time, before: null, base: null, ...more };
}

const checks = (checkedAt: string): KeptChecks => ({
  checkedAt,
  sources: {
    a: source('greenbelt', 'ok'),
    b: source('greenbelt', 'gone', {
      before: { finding: 'ok', since: '2026-11-03T02:00:00.000Z', until: '2026-11-04T02:00:00.000Z' },
    }),
    c: source('wetland', 'ok', {
      before: { finding: 'moved', since: '2026-11-03T02:00:00.000Z', until: '2026-11-04T02:00:00.000Z' },
    }),
    d: source('no_such_data_set', 'gone'),
  },
});

describe('The status of a service', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const statusNote = join(folder.path, 'note');
  let front: FrontEnd;
  const read = async (): Promise<StatusBody> => (await (await fetch(`${front.url}/status.json`)).json()) as StatusBody;
  const page = async (query = ''): Promise<string> => (await asSent(`${front.url}/status${query}`)).text;

  before(async () => {
    writeFileSync(statusNote, `Closed on Sunday.\n${HOSTILE}\n`);
    front = await startFrontEnd({ ofFeatures: new Map([[sourcesSettings, { statusNote }]]) });
    writeKept(front.services.config.dataDir, checks(now()));
  });
  after(async () => {
    await front[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('has for each data set its date, its term, the gravest finding, the one before, and what is announced', async () => {
    const { upSince, note, dataSets, checkedAt } = await read();
    expect(Date.parse(upSince)).to.be.above(Date.parse('2026-01-01'));
    expect([note, Date.parse(checkedAt!) > Date.parse('2026-01-01')]).to.deep.equal([
      `Closed on Sunday. ${HOSTILE}`,
      true,
    ]);
    expect(dataSets).to.have.length(41);
    const of = (id: string) => dataSets.find((one) => one.id === id)!;
    expect(of('greenbelt').check).to.deep.equal({
      ...{ finding: 'gone', since: '2026-11-05', checkedAt: '2026-11-06T02:00:00.000Z' },
      before: { finding: 'ok', since: '2026-11-03', until: '2026-11-04' },
    });
    expect(of('wetland').check).to.deep.include({
      finding: 'ok',
      before: { finding: 'moved', since: '2026-11-03', until: '2026-11-04' },
    });
    expect([of('ansi').check, of('ansi').term, of('ansi').asOf]).to.deep.equal([null, null, null]);
    expect(of('well_records').term).to.have.property('days', 270);
    expect(of('utility_line').sourceUntil).to.have.property('day', '2008-06-12');
    expect(of('ca_admin_areas').announced).to.have.length(1);
  });

  it('says nothing of servers and folders, which are the operator’s, and nothing of customers', async () => {
    const text = JSON.stringify(await read());
    expect(text).not.to.match(/reason|source"|customer|keys/);
    // Its note has the sign once.
    expect(text.split('<script>')).to.have.length(2);
  });

  it('is a page in both languages without markup of others', async () => {
    const [english, french] = [await page(), await page('?lang=fr')];
    for (const html of [english, french]) expect(html).not.to.match(/<script|alert\(1\)<\/script/);
    expect(english)
      .to.contain('Closed on Sunday. &lt;script&gt;')
      .and.to.contain('<strong>the source is gone, since 2026-11-05 (before: the source is as expected,');
    expect(english).to.contain('</code> (the day of our record of the data, not the day from which a law holds)');
    expect(french).to.contain('</code> (le jour de notre relevé des données, et non');
    expect(english).to.contain('become nine regional ones').and.to.contain('renewed within 270 days');
    expect(french)
      .to.contain('<html lang="fr">')
      .and.to.contain('la source a disparu, depuis le 2026-11-05')
      .and.to.contain('neuf offices régionaux');
  });

  it('is a metric of what drifts, for as long as the check is recent', async () => {
    const series = async (): Promise<readonly string[]> =>
      (await front.services.metrics.metrics()).match(/^land_lookup_source_drift\{.*$/gm) ?? [];
    expect(await series()).to.deep.equal(['land_lookup_source_drift{data_set="greenbelt",finding="gone"} 1']);
    await using old = await startFrontEnd();
    writeKept(old.services.config.dataDir, checks('2026-01-01T02:00:00.000Z'));
    expect(await old.services.metrics.metrics()).not.to.contain('land_lookup_source_drift{');
    const { dataSets } = (await (await fetch(`${old.url}/status.json`)).json()) as StatusBody;
    expect(dataSets.find(({ id }) => id === 'greenbelt')!.check).to.have.property('finding', 'gone');
  });

  it('is read again once a minute, and the same until something has changed', () => {
    using own = temporaryFolder();
    let clockMs = 0;
    const view = keptFiles({
      dataDir: own.path,
      statusNote: join(own.path, 'note'),
      onFault: fails,
      clockMs: () => clockMs,
    });
    expect([view.checks(), view.note()]).to.deep.equal([null, null]);
    writeKept(own.path, checks('2026-11-06T02:00:00.000Z'));
    writeFileSync(join(own.path, 'note'), 'Soon.');
    clockMs = 59_000;
    expect([view.checks(), view.note()]).to.deep.equal([null, null]);
    clockMs = 60_000;
    expect(view.note()).to.equal('Soon.');
    const kept = view.checks();
    expect(kept).to.deep.include({ checkedAt: '2026-11-06T02:00:00.000Z' });
    clockMs = 120_000;
    expect(view.checks()).to.equal(kept);
  });
});

function makeFolder(file: string): void {
  mkdirSync(file);
}
function makeLink(file: string): void {
  symlinkSync('/etc/passwd', file);
}
function makePipe(file: string): void {
  execFileSync('mkfifo', [file]);
}

describe('Files of the status', function () {
  this.timeout(60_000);

  /** What a service says of them. */
  function looked(make: (dataDir: string, note: string) => void) {
    using folder = temporaryFolder();
    const note = join(folder.path, 'note');
    mkdirSync(dirname(keptFile(folder.path)), { recursive: true });
    make(folder.path, note);
    const faults: string[] = [];
    const view = keptFiles({ dataDir: folder.path, statusNote: note, onFault: (why) => void faults.push(why) });
    return { kept: view.checks(), note: view.note(), faults };
  }

  const good = JSON.stringify({ format: 1, ...checks('2026-11-06T02:00:00.000Z') });
  /** What it holds, or what is in its place. */
  const damaged: Readonly<Record<string, string | ((file: string) => void)>> = {
    'is empty': '',
    'ends in its middle': good.slice(0, 200),
    'is something else': '{"format":1,"checkedAt":1,"sources":[]}',
    'is null': 'null',
    'is of a later version': good.replace('"format":1', '"format":2'),
    'has a finding that there is not': good.replace('"gone"', '"<b>"'),
    'has a prototype in it': good.replace('"a":', '"__proto__":{"finding":"gone"},"a":'),
    'is far too long': good + ' '.repeat(3 * 1024 ** 2),
    'is a link': makeLink,
    'is a pipe': makePipe,
    'is a folder': makeFolder,
  };
  for (const [how, what] of Object.entries(damaged)) {
    const make = (dataDir: string): void => {
      if (typeof what === 'string') writeFileSync(keptFile(dataDir), what);
      else what(keptFile(dataDir));
    };
    it(`are said to be damaged, and count as none: one that ${how}`, async () => {
      const { kept, faults } = looked(make);
      expect(kept).to.equal(null);
      expect(faults).to.have.length(1);
      using folder = temporaryFolder();
      mkdirSync(dirname(keptFile(folder.path)), { recursive: true });
      make(folder.path);
      const [out, err] = [capturedOutput(), capturedOutput()];
      const config = { dataDir: folder.path, layersDir: join(projectDir, 'layers') };
      expect(await sources(config, {}, null, { out, err })).to.equal(0);
      expect(out.text()).to.contain('No check of the sources is kept here');
      expect(err.text()).to.match(/watched-sources\.json (cannot be read|holds something else)/);
    });
  }

  it('are read when they are good', () => {
    const { kept, faults } = looked((dataDir) => {
      writeFileSync(keptFile(dataDir), good);
    });
    expect([kept === null, faults]).to.deep.equal([false, []]);
  });

  it('may hold a note of any length, of which 2,000 letters are shown', () => {
    const holding = (content: string | Buffer) =>
      looked((_, note) => {
        writeFileSync(note, content);
      });
    const long = holding('<b>é𐐷'.repeat(400_000));
    expect(Array.from(long.note!)).to.have.length(2000);
    expect([long.note!.startsWith('<b>é𐐷<b>'), long.note!.includes('\uFFFD'), long.faults]).to.deep.equal([
      true,
      false,
      [],
    ]);
    expect(holding(' \n\u0000\u001b').note).to.equal(null);
    expect(holding(Buffer.from([0xff, 0xfe, 0x41])).note).to.contain('A');
  });

  it('may have something else in the place of the note, which is said', () => {
    for (const make of [makeFolder, makeLink, makePipe]) {
      const { note, faults } = looked((_, file) => {
        make(file);
      });
      expect([note, faults.length]).to.deep.equal([null, 1]);
      expect(faults[0]).to.match(/^STATUS_NOTE cannot be read: /);
    }
  });
});

describe('land-lookup sources', () => {
  const run = async (dataDir: string, options: Parameters<typeof sources>[1], fetcher: SourceFetcher | null = null) => {
    const [out, err] = [capturedOutput(), capturedOutput()];
    const code = await sources({ dataDir, layersDir: join(projectDir, 'layers') }, options, fetcher, { out, err });
    return { code, out: out.text(), err: err.text() };
  };

  it('prints what is kept without a network, and 3 when something drifts', async () => {
    using folder = temporaryFolder();
    writeKept(folder.path, checks('2026-11-06T02:00:00.000Z'));
    const { code, out } = await run(folder.path, {});
    expect(code).to.equal(3);
    expect(out).to.match(/^greenbelt +gone +2026-11-05 +ok, 2026-11-03 to 2026-11-04 /m);
    expect(out).to.contain('Checked at 2026-11-06T02:00:00.000Z: 2 of 4 sources drift.');
    const json = JSON.parse((await run(folder.path, { json: true })).out) as { sources: readonly object[] };
    expect(json.sources).to.have.length(4);
    expect(json.sources[0]).to.have.keys('dataSet', 'source', 'finding', 'reason', 'since', 'seenAt', 'before');
  });

  it('takes a list with odd spaces and of any length for the same each night', async () => {
    using folder = temporaryFolder();
    const list = [' A  B ', 'C\u00a0D', 'é'.repeat(5000), ...Array.from({ length: 2000 }, (_, i) => `${i}`)];
    const layer = { id: 4, name: 'Lakes', isNamed: true, featureCount: 3, missingFields: [], unknownWords: [], list };
    const asked = { dataSet: 'ca_admin_areas', source: 'Lakes', state: 'answers', layer } as const;
    const nothing = { error: null, movedTo: null, editedOn: null };
    const fetcher = { check: () => Promise.resolve([{ ...asked, ...nothing }]) } as unknown as SourceFetcher;
    const nights = [await run(folder.path, { check: true }, fetcher), await run(folder.path, { check: true }, fetcher)];
    expect(nights.map(({ code }) => code)).to.deep.equal([0, 0]);
    expect(readKept(folder.path, fails)!.sources['ca_admin_areas: Lakes']!.finding).to.equal('ok');
  });

  it('knows the second of two parts of one name again, also when another source came before them', async () => {
    using folder = temporaryFolder();
    const layer = { id: 4, name: 'Lakes', isNamed: true, missingFields: [], unknownWords: [], list: null };
    const facts = { state: 'answers', error: null, movedTo: null, editedOn: null } as const;
    const asked = (source: string, featureCount: number) => ({
      ...{ dataSet: 'wetland', source, ...facts, layer: { ...layer, featureCount } },
    });
    const night = (...checks: object[]) =>
      run(folder.path, { check: true }, { check: () => Promise.resolve(checks) } as unknown as SourceFetcher);
    await night(asked('Part', 100), asked('Part', 100));
    expect((await night(asked('New', 1), asked('Part', 100), asked('Part', 10))).code).to.equal(3);
  });

  it('says that no check can be made where FEATURES leaves out what asks the sources', async () => {
    using folder = temporaryFolder();
    writeKept(folder.path, checks('2026-11-06T02:00:00.000Z'));
    const { code, out, err } = await run(folder.path, { check: true });
    expect([code, out.includes('greenbelt')]).to.deep.equal([1, true]);
    expect(err).to.equal(
      'sources: FEATURES leaves out "download", which asks the sources: no check can be made here, unless you add it\n',
    );
    expect((await run(folder.path, {})).err).to.equal(err);
    expect(readKept(folder.path, fails)!.checkedAt).to.equal('2026-11-06T02:00:00.000Z');
  });
});
