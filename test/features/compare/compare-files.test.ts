import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import type { ChangedRow } from '../../../src/features/compare/compare-files.ts';
import type { FullLookupBody } from '../../../src/messages/wire/full-lookup.ts';
import { cliArguments, cliBeside, type CliRun } from '../../support/drivers/cli.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { shareSampleService } from '../../support/drivers/sample-service.ts';

const { fullLookup } = readExamples();

/** An answer whose marks name all data sets that it used. */
const answer: FullLookupBody = {
  ...fullLookup,
  snapshot: {
    ...fullLookup.snapshot,
    dataSets: Object.fromEntries(
      Object.values(fullLookup.evidence).flatMap(({ dataSets }) => dataSets.map((id) => [id, '00000001'])),
    ),
  },
};
const later = {
  ...answer,
  layers: { ...answer.layers, builtUpArea: null },
  evidence: { ...answer.evidence, builtUpArea: { ...answer.evidence['builtUpArea']!, state: 'no_coverage' } },
  snapshot: { ...answer.snapshot, dataSets: { ...answer.snapshot.dataSets, built_up_area: '00000002' } },
};
const isKnown = ['present', 'absent'].includes(answer.evidence['builtUpArea']!.state);

type Row = Readonly<Record<string, unknown>>;

const row = (number: number, body: object = answer, id: string | null = `id ${number}`): Row => ({
  ...{ row: number, custom_id: id, status: 200, code: null, lookupId: `lkp_${number}`, body },
});
const failed = (number: number, code: string, id: string | null = `id ${number}`): Row => ({
  ...{ row: number, custom_id: id, status: 404, code, lookupId: null, body: { detail: 'not found' } },
});

describe('land-lookup compare', function () {
  this.timeout(240_000);
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  const write = (name: string, rows: readonly Row[]): string => {
    const file = join(folder.path, name);
    writeFileSync(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return file;
  };
  const compare = (before: readonly Row[], now: readonly Row[], ...more: string[]): Promise<CliRun> =>
    commandHere(folder.path, {}, 'compare', write('before.ndjson', before), write('now.ndjson', now), ...more);
  const changedIn = ({ stdout }: CliRun): ChangedRow[] =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ChangedRow);

  it('ends with 0 where nothing has changed, and with 3 where something has, and prints the changed rows', async () => {
    const rows = [1, 2, 3].map((number) => row(number));
    const same = await compare(rows, rows);
    expect([same.status, same.stdout]).to.deep.equal([0, '']);
    expect(same.stderr).to.include('0 rows have changed, 3 have not');
    const other = await compare(rows, [row(1), row(2, later), row(3)]);
    expect(other.status).to.equal(3);
    const [changed, ...none] = changedIn(other);
    expect(none).to.deep.equal([]);
    expect(changed).to.deep.include({ row: 2, custom_id: 'id 2', changed: ['builtUpArea'] });
    expect(isKnown).to.equal(true);
    expect(changed!.layers).to.deep.equal({
      builtUpArea: { ...changed!.layers!['builtUpArea'], change: 'unknown', cause: 'data', now: null },
    });
  });

  it('matches rows by their own names in any order, else by their numbers, and says which are in one file alone', async () => {
    const before = [
      row(1, answer, 'a'),
      row(2, answer, 'b'),
      row(3, answer, 'c'),
      row(4, answer, null),
      row(5, answer, 'gone'),
    ];
    const now = [
      row(1, answer, 'c'),
      row(2, later, 'a'),
      row(3, answer, 'b'),
      row(4, later, null),
      row(5, answer, 'new'),
    ];
    const changed = changedIn(await compare(before, now));
    expect(changed.map(({ row: number, custom_id: id, only = null }) => [number, id, only])).to.have.deep.members([
      [2, 'a', null],
      [4, null, null],
      [5, 'gone', 'before'],
      [5, 'new', 'now'],
    ]);
    const twice = [row(1, answer, 'x'), row(2, later, 'x')];
    expect((await compare(twice, twice)).status, 'the same name twice').to.equal(0);
  });

  it('says where a place has an answer on one side alone, or another failure', async () => {
    const before = [
      row(1),
      failed(2, 'ADDRESS_NOT_FOUND'),
      failed(3, 'ADDRESS_NOT_FOUND'),
      failed(4, 'ADDRESS_NOT_FOUND'),
    ];
    const now = [failed(1, 'ADDRESS_NOT_FOUND'), row(2), failed(3, 'ADDRESS_NOT_FOUND'), failed(4, 'OUTSIDE_ONTARIO')];
    const changed = changedIn(await compare(before, now));
    expect(changed.map((one) => [one.row, one.status?.before.status, one.status?.now.code])).to.deep.equal([
      [1, 200, 'ADDRESS_NOT_FOUND'],
      [2, 404, null],
      [4, 404, 'OUTSIDE_ONTARIO'],
    ]);
  });

  it('says of a layer that one side has alone that its definition is another one, or nothing where it was not asked for', async () => {
    const state = { ...answer.evidence['builtUpArea']!, state: 'present', dataSets: ['quiet_zone'] };
    const { snapshot } = answer;
    const more = (definitions: string): object => ({
      ...{
        ...answer,
        layers: { ...answer.layers, quietZone: true },
        evidence: { ...answer.evidence, quietZone: state },
      },
      snapshot: { ...snapshot, definitions, dataSets: { ...snapshot.dataSets, quiet_zone: '00000001' } },
    });
    const [asked, defined] = [row(1, more(snapshot.definitions)), row(1, more('00000000'))];
    for (const sides of [
      [asked, row(1)],
      [row(1), asked],
    ] as const)
      expect((await compare([sides[0]], [sides[1]])).status).to.equal(0);
    for (const [sides, change] of [
      [[defined, row(1)], 'unknown'],
      [[row(1), defined], 'known'],
    ] as const) {
      const [{ layers } = {}] = changedIn(await compare([sides[0]], [sides[1]]));
      expect(layers).to.have.all.keys('quietZone');
      expect(layers!['quietZone']).to.include({ change, cause: 'definition' });
    }
  });

  it('writes CSV, a line for each layer, in which no text is a formula', async () => {
    const { status, stdout } = await compare([row(1, answer, '=1+1')], [row(1, later, '=1+1')], '--format', 'csv');
    const [head, line, ...rest] = stdout.split('\n');
    expect([status, rest]).to.deep.equal([3, ['']]);
    expect(head).to.match(/^row,custom_id,address,layer,change,before,now,/);
    expect(line).to.match(/^1,'=1\+1,".*",builtUpArea,unknown,/);
  });

  it('ends with 1 where the changed rows cannot be written, so that a watch does not send a part of them', () => {
    const files = [write('before.ndjson', [row(1)]), write('now.ndjson', [row(1, later)])];
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [...cliArguments, 'compare', ...files], {
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect([status, stderr.includes('ENOSPC')]).to.deep.equal([1, true]);
  });

  it('refuses what is no result of a batch with detail=full, and names the file and the row', async () => {
    const plain = { ...answer, evidence: undefined };
    const faults: Readonly<Record<string, readonly [readonly Row[], string]>> = {
      plain: [[row(1), row(2, plain)], 'row 2: body/evidence is missing: keep answers of lookups with detail=full'],
      old: [[row(1, { ...answer, snapshot: { id: 'x' } })], 'row 1: body/snapshot/dataSets is missing'],
      edited: [[row(1, { ...answer, lat: 44 })], 'row 1: body/lat is another one than geocode/lat'],
      contradicting: [
        [row(1, { ...answer, evidence: later.evidence })],
        'row 1: body/layers/builtUpArea has a value, and its evidence says that it is not known',
      ],
      'no row': [[row(1), { name: 'x' }], 'line 2 is no result of a batch'],
    };
    for (const [what, [rows, words]] of Object.entries(faults)) {
      const { status, stderr } = await compare(rows, [row(1), row(2)]);
      expect([status, stderr], what).to.deep.include(1);
      expect(stderr, what).to.include(`before.ndjson: ${words}`);
    }
    const file = write('cut.ndjson', [row(1), row(2)]);
    writeFileSync(file, readFileSync(file).subarray(0, -40));
    const cut = await commandHere(folder.path, {}, 'compare', file, write('now.ndjson', [row(1), row(2)]));
    expect([cut.status, cut.stdout]).to.deep.equal([1, '']);
    appendFileSync(file, 'x'.repeat(5 << 20));
    expect((await commandHere(folder.path, {}, 'compare', file, file)).stderr).to.include('is too long');
    for (const pipe of ['/dev/null', '/proc/self/fd'])
      expect((await commandHere(folder.path, {}, 'compare', file, pipe)).stderr).to.match(
        /is no file that can|is a folder/,
      );
    expect((await commandHere(folder.path, {}, 'compare', file)).stderr).to.include(
      'give a second file, or --server URL',
    );
  });

  describe('of rows that are spelled otherwise than a batch writes them', () => {
    const text = (number: number, body: object = answer): string => JSON.stringify(row(number, body));
    const lines = async (before: readonly string[], now: readonly string[]): Promise<CliRun> => {
      const [then, today] = [join(folder.path, 'before.ndjson'), join(folder.path, 'now.ndjson')];
      writeFileSync(then, before.join('\n'));
      writeFileSync(today, now.join('\n'));
      return commandHere(folder.path, {}, 'compare', then, today);
    };
    const { layers: values, evidence: facts } = later;
    const again = `,"layers":${JSON.stringify(values)},"evidence":${JSON.stringify(facts)}`;
    const changes: Readonly<Record<string, string>> = {
      'members a second time, the last of which count': text(2).replace(/\}\}$/, () => `${again}}}`),
      'members a second time in the middle': text(2).replace(',"snapshot":', () => `${again},"snapshot":`),
      'layers a second time in what ends as a snapshot does': text(2).replace(
        /("snapshot":\{)([^{]*),("dataSets":\{[^}]*\})\}/,
        (_, open: string, marks: string, sets: string) =>
          `${open}${sets},${marks}},"layers":${JSON.stringify(values)},"other":{"one":{}}`,
      ),
      'another order of members': JSON.stringify(
        row(2, Object.fromEntries(Object.entries({ ...answer, ...later }).reverse())),
      ),
      'escapes in names': text(2, later).replaceAll('"builtUpArea"', '"\\u0062uiltUpArea"'),
      'a layer a second time': text(2, later)
        .replace('"layers":{', '"layers":{"builtUpArea":true,')
        .replace('"evidence":{', '"evidence":{"builtUpArea":{},'),
    };
    for (const [what, changed] of Object.entries(changes)) {
      it(`sees a change behind ${what}`, async () => {
        const { status, stdout, stderr } = await lines([text(1), text(2), text(3)], [text(1), changed, text(3)]);
        expect(status, stderr).to.equal(3);
        expect(changedIn({ status, stdout, stderr }).map((one) => [one.row, one.changed])).to.deep.equal([
          [2, ['builtUpArea']],
        ]);
      });
    }

    const same: Readonly<Record<string, string>> = {
      spaces: text(2).replace('"row":2,', '"row": 2, ').replace('"layers":{', '"layers": {'),
      'escapes in names': text(2).replaceAll('"builtUpArea"', '"\\u0062uiltUpArea"'),
      'another order of members': JSON.stringify(row(2, Object.fromEntries(Object.entries(answer).reverse()))),
      'numbers with a point': text(2).replaceAll(/"distanceM":(\d+)([,}])/g, '"distanceM":$1.0$2'),
      'the end of a line of Windows': `${text(2)}\r`,
      'an answer that comes a second time': text(2, later).replace(/\}\}$/, (end) => {
        const { layers, evidence } = answer;
        return `,"layers":${JSON.stringify(layers)},"evidence":${JSON.stringify(evidence)}${end}`;
      }),
    };
    for (const [what, spelled] of Object.entries(same)) {
      it(`sees none behind ${what}`, async () => {
        const { status, stdout, stderr } = await lines([text(1), text(2), text(3)], [text(1), spelled, text(3)]);
        expect([status, stdout], stderr).to.deep.equal([0, '']);
      });
    }

    it('reads a status however it is written, and refuses what is none', async () => {
      for (const [status, code, words] of [
        ...[' 200', '  200', '2e2', '0.2e3'].map((one) => [one, 3, '1 rows have changed'] as const),
        ...['"200"', '2000', 'null', '-200'].map((one) => [one, 1, 'line 1 is no result of a batch'] as const),
      ] as const) {
        const [before, now] = [answer, later].map((body) => text(1, body).replace(':200,', `:${status},`));
        const run = await lines([before!], [now!]);
        expect([run.status, run.stderr.includes(words)], status).to.deep.equal([code, true]);
      }
    });

    it('reads rows with spaces between members, and with sorted members', async () => {
      const spaced = (line: string): string => line.replaceAll(/([{,]"[A-Za-z_]+":)/g, ' $1 ').replaceAll(' ,"', ', "');
      const sorted = (line: string): string => {
        const sort = (_: string, value: unknown): unknown =>
          typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
            : value;
        return JSON.stringify(JSON.parse(line), sort);
      };
      const problem = JSON.stringify({ ...failed(3, 'X'), body: { code: 'X', status: 404 } });
      const written = [text(1), text(2), problem];
      for (const change of [spaced, sorted]) {
        const run = await lines(written, [text(1), text(2, later), problem].map(change));
        expect([run.status, changedIn(run).map((one) => one.row)], run.stderr).to.deep.equal([3, [2]]);
        expect((await lines(written, written.map(change))).status).to.equal(0);
      }
    });

    it('refuses a file without rows, and names a row that is cut off wherever it is', async () => {
      for (const nothing of [[], ['', '\r', '']])
        expect((await lines(nothing, nothing)).stderr).to.include('before.ndjson is empty');
      const whole = text(2);
      for (const bytes of [1, 2, 3, 40, whole.length - 60]) {
        const { status, stdout, stderr } = await lines([text(1), whole], [text(1), whole.slice(0, -bytes)]);
        expect([status, stdout], `${bytes}`).to.deep.equal([1, '']);
        expect(stderr).to.include('now.ndjson: row 2: is no JSON, as if it were cut off');
      }
      const refusal = JSON.stringify(failed(2, 'ADDRESS_NOT_FOUND'));
      const cut = await lines([text(1), refusal], [text(1), refusal.slice(0, -9)]);
      expect([cut.status, cut.stderr.includes('row 2: is no JSON')]).to.deep.equal([1, true]);
    });

    it('reads a file that begins with a byte order mark', async () => {
      const { status, stderr } = await lines([`\uFEFF${text(1)}`, text(2)], [text(1), text(2)]);
      expect([status, stderr.includes('2 have not')]).to.deep.equal([0, true]);
    });
  });

  it('says where the outcome of a rule is another one, although no layer has changed', async () => {
    const judged = (outcomes: Readonly<Record<string, string>>): object => ({
      ...answer,
      rules: Object.fromEntries(
        Object.entries(outcomes).map(([id, outcome]) => [id, { outcome, because: [], missing: [], check: [] }]),
      ),
    });
    const [out, clear] = [judged({ near: 'excluded' }), judged({ near: 'not_excluded_by_mapped_data' })];
    const more = judged({ near: 'excluded', other: 'not_known' });
    const before = [row(1, out), row(2, out), row(3, out), row(4, out), row(5, answer)];
    const now = [row(1, out), row(2, clear), row(3, more), row(4, answer), row(5, clear)];
    const run = await compare(before, now);
    expect(changedIn(run).map(({ row: number, changed, rules }) => [number, changed, rules])).to.deep.equal([
      [2, [], { near: { before: 'excluded', now: 'not_excluded_by_mapped_data' } }],
      [3, [], { other: { before: null, now: 'not_known' } }],
    ]);
    expect(run.stderr).to.include('2 rows have changed, 3 have not');
    const { stdout } = await compare(before, now, '--format', 'csv');
    expect(stdout).to.match(/^2,id 2,".*",rules\.near,value,excluded,not_excluded_by_mapped_data,,,,0,/m);
  });

  it('asks a server in place of a second file', async () => {
    const service = await shareSampleService();
    const ask = async (path: string, body: object): Promise<object> => {
      const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' };
      return (await (
        await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      ).json()) as object;
    };
    const now = (await ask('/api/lookup?detail=full', { address: answer.address })) as FullLookupBody;
    const old = {
      ...now,
      layers: { ...now.layers, builtUpArea: null },
      evidence: { ...now.evidence, builtUpArea: { ...now.evidence['builtUpArea'], state: 'unavailable' } },
      snapshot: { ...now.snapshot, dataSets: { ...now.snapshot.dataSets, built_up_area: '00000000' } },
    };
    const gone = { address: '1 Nowhere St, Sampleton, ON' };
    const lost = { ...now, ...gone, geocode: { ...now.geocode, ...gone } };
    const file = write('before.ndjson', [row(1, now), row(2, old), failed(3, 'ADDRESS_NOT_FOUND'), row(4, lost)]);
    const given = ['compare', file, '--server', service.url, '--key', service.key];
    const run = await cliBeside(folder.path, {}, ...given);
    const changed = changedIn(run);
    expect([run.status, changed.map((one) => one.row)], run.stderr).to.deep.equal([3, [2, 4]]);
    expect(changed[0]!.layers!['builtUpArea']).to.deep.include({ change: 'known', cause: 'data' });
    expect(changed[1]!.status!.now).to.deep.equal({ status: 404, code: 'ADDRESS_NOT_FOUND' });
    expect(run.stderr).to.include('1 not compared');
    expect(
      (await commandHere(folder.path, {}, 'compare', file, '--server', service.url, '--key', 'olk_bad')).status,
    ).to.equal(1);
  });

  it('takes what another server answers for no change', async () => {
    const file = write('before.ndjson', [row(1)]);
    for (const [status, body] of [
      [404, '{"code":"NOT_FOUND"}'],
      [404, '<h1>Not found</h1>'],
      [422, 'null'],
      [200, '<h1>Welcome</h1>'],
      [200, '{}'],
    ] as const) {
      await using server = createServer((_, res) => res.writeHead(status).end(body)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const run = await commandHere(folder.path, {}, 'compare', file, '--server', url, '--key', 'olk_any');
      expect([run.status, run.stdout], body).to.deep.equal([1, '']);
      expect(run.stderr).to.include(`before.ndjson: row 1: the server answered ${status}: ${body}`);
    }
  });
});
