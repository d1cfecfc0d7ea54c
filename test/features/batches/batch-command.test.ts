import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliArguments, type CliRun } from '../../support/drivers/cli.ts';
import { commandHere } from '../../support/drivers/command-here.ts';
import { cuttingProxy, type CuttingProxy } from '../../support/doubles/cutting-proxy.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { shareSampleService, type KeyedService } from '../../support/drivers/sample-service.ts';

const PLACES = `custom_id,address
a,"12 Main St W, Sampleton, ON"
b,"1 Nowhere Cres, Sampleton, ON"
c,"100 Queen St, Winnipeg, MB"
d,
"e, with a comma","13 Marsh Rd, Fiddlehead Corners, ON"
`;

const manyPlaces = (rows: number): string =>
  'custom_id,lat,lon\n' + Array.from({ length: rows }, (_, i) => `p${i},${44 + (i % 700) / 1e4},-78.6\n`).join('');

interface Row {
  readonly row: number;
  readonly custom_id: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly body?: { readonly layers: object };
}

describe('land-lookup batch', function () {
  this.timeout(240_000);
  let service: KeyedService;
  let key: string;
  let gate: CuttingProxy;

  before(async () => {
    service = await shareSampleService();
    key = service.key;
    gate = await cuttingProxy(service.url);
  });
  after(() => gate[Symbol.asyncDispose]());

  const envOf = (url = service.url) => ({ LAND_LOOKUP_URL: url, LAND_LOOKUP_KEY: key });
  const batch = (args: readonly string[], url?: string): Promise<CliRun> =>
    commandHere('/nonexistent', envOf(url), 'batch', ...args);
  const rowsOf = (text: string): Row[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  const idIn = (text: string): string => /bat_[0-9a-f]{32}/.exec(text)?.[0] ?? '';

  /** Starts a command and stops it with a signal once it has said this. */
  async function interruptAt(words: RegExp, signal: NodeJS.Signals, args: readonly string[], url?: string) {
    const child = spawn(process.execPath, [...cliArguments, 'batch', ...args], {
      env: { ...process.env, DATA_DIR: '/nonexistent', ...envOf(url) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      // A second signal would end it at once.
      if (words.test(said) && !child.killed) child.kill(signal);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  /** Stops a command as soon as its batch is accepted: until then it does not learn how the batch stands. */
  async function interruptWhenAccepted(signal: NodeJS.Signals, args: readonly string[]) {
    gate.held = /^GET \/api\/batches\/bat_/;
    try {
      return await interruptAt(/^batch bat_/m, signal, args, gate.url);
    } finally {
      gate.held = null;
    }
  }

  it('makes the address of the columns that are named, as address_columns of a request does', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'columns.csv');
    const table = 'No,Street,"City, town"\n12,Main St W,"Sampleton, ON"\n1,Nowhere Cres,"Sampleton, ON"\n';
    writeFileSync(file, table);
    const columns = 'no,street,"City, town"';
    const { status, stdout } = await batch(['run', file, '--address-columns', columns]);
    expect(status).to.equal(0);
    expect(rowsOf(stdout).map(({ row, status }) => [row, status])).to.deep.equal([
      [1, 200],
      [2, 404],
    ]);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/csv' };
    const send = (names: string) =>
      fetch(`${service.url}/api/batches?address_columns=${encodeURIComponent(names)}`, {
        ...{ method: 'POST', headers, body: table },
      });
    expect((await send(columns)).status).to.equal(202);
    const refused = await send('Number,Street');
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).to.deep.equal([
      400,
      'the file has no column "Number", which the address columns name',
    ]);
  });

  it('gives each row its result, in order, and sums them up', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'places.csv');
    writeFileSync(file, PLACES);
    const { status, stdout, stderr } = await batch(['run', file]);
    expect(stderr).to.match(/^batch bat_[0-9a-f]{32} of 5 rows$/m);
    expect(stderr).to.contain('5 rows: 2 found, 1 not found, 1 outside Ontario, 1 invalid, 0 failed');
    expect(status).to.equal(0);
    expect(rowsOf(stdout).map(({ row, custom_id, status, code }) => [row, custom_id, status, code])).to.deep.equal([
      [1, 'a', 200, null],
      [2, 'b', 404, 'ADDRESS_NOT_FOUND'],
      [3, 'c', 422, 'OUTSIDE_ONTARIO'],
      [4, 'd', 400, 'BAD_REQUEST'],
      [5, 'e, with a comma', 200, null],
    ]);
    expect(existsSync(`${file}.batch`), 'nothing is left to go on with').to.equal(false);
  });

  it('asks for further answers, and goes on with them alone', async () => {
    using folder = temporaryFolder();
    const [file, out] = [join(folder.path, 'places.csv'), join(folder.path, 'results.ndjson')];
    writeFileSync(file, manyPlaces(20));
    const args = ['run', file, '--out', out, '--layers', 'regulatedArea,heritageDistrict'];
    const { code, said } = await interruptWhenAccepted('SIGINT', args);
    expect(code).to.equal(130);
    const others = await batch(['run', file], gate.url);
    expect(others.status).to.equal(1);
    expect(others.stderr).to.contain(`belongs to a run (${idIn(said)}) with another --layers`);
    const { status, stderr } = await batch(args, gate.url);
    expect(status, stderr).to.equal(0);
    expect(Object.keys(rowsOf(readFileSync(out, 'utf8'))[0]!.body!.layers).slice(-2)).to.deep.equal([
      'regulatedArea',
      'heritageDistrict',
    ]);

    const refused = await batch(['run', file, '--layers', 'nonsense']);
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.contain('"nonsense" is no key of a further answer');
    expect(existsSync(`${file}.batch`)).to.equal(false);
  });

  it('asks for an earlier snapshot, and goes on with that alone', async () => {
    using folder = temporaryFolder();
    const [file, out] = [join(folder.path, 'places.csv'), join(folder.path, 'results.ndjson')];
    writeFileSync(file, manyPlaces(20));
    // The day of today is answered by the snapshot in service.
    const { headers } = await fetch(`${service.url}/api/layers`);
    const vintage = new Date(headers.get('Date')!).toISOString().slice(0, 10);
    const args = ['run', file, '--out', out, '--vintage', vintage];
    const { code, said } = await interruptWhenAccepted('SIGINT', args);
    expect(code).to.equal(130);
    const others = await batch(['run', file], gate.url);
    expect(others.stderr).to.contain(`belongs to a run (${idIn(said)}) with another --vintage`);
    const { status, stderr } = await batch(args, gate.url);
    expect(status, stderr).to.equal(0);
    expect(rowsOf(readFileSync(out, 'utf8'))).to.have.length(20);

    const refused = await batch(['run', file, '--vintage', '1999-12-31']);
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.contain('1999-12-31');
    expect(existsSync(`${file}.batch`)).to.equal(false);
  });

  for (const format of ['csv', 'geojson', 'parquet'] as const) {
    it(`writes ${format} when the name of the file says so`, async () => {
      using folder = temporaryFolder();
      const [file, out] = [join(folder.path, 'places.csv'), join(folder.path, `results.${format}`)];
      writeFileSync(file, PLACES);
      const { status, stderr } = await batch(['run', file, '--out', out]);
      expect(stderr).to.contain('2 found');
      expect(status).to.equal(0);
      const bytes = readFileSync(out);
      if (format === 'csv') expect(bytes.toString()).to.match(/^row,custom_id,status,code,lookup_id,address,lat,lon,/);
      if (format === 'geojson')
        expect((JSON.parse(bytes.toString()) as { features: unknown[] }).features).to.have.length(5);
      if (format === 'parquet') expect(bytes.toString('latin1', 0, 4)).to.equal('PAR1');
    });
  }

  it('goes on with the same batch after an interrupt, with the same command', async () => {
    using folder = temporaryFolder();
    const [file, out] = [join(folder.path, 'places.csv'), join(folder.path, 'results.ndjson')];
    // Of two chunks.
    writeFileSync(file, manyPlaces(1100));
    const args = ['run', file, '--out', out];
    const { code, said } = await interruptWhenAccepted('SIGINT', args);
    expect(code).to.equal(130);
    expect(said).to.contain('lets the same command go on');
    const { status, stderr } = await batch(args, gate.url);
    expect(stderr).to.contain(`going on with batch ${idIn(said)}`);
    expect(status).to.equal(0);
    const rows = rowsOf(readFileSync(out, 'utf8'));
    expect(rows.map(({ row }) => row)).to.deep.equal(rows.map((_, i) => i + 1));
    expect(rows).to.have.length(1100);
    expect(existsSync(`${file}.batch`)).to.equal(false);
    expect((await batch(['show', idIn(said)])).stdout).to.contain('completed');
  });

  it('has the same results over a network that breaks, and pays once', async () => {
    await using network = await cuttingProxy(service.url);
    using folder = temporaryFolder();
    const [file, out, again] = ['places.csv', 'results.csv', 'again.csv'].map((name) => join(folder.path, name));
    writeFileSync(file!, manyPlaces(5000));
    // The upload, then three times the download, which is compressed.
    network.cuts.push({ side: 'client', afterBytes: 5000 });
    for (const afterBytes of [20_000, 20_000, 40_000]) network.cuts.push({ side: 'server', afterBytes });
    const { status, stderr } = await batch(['run', file!, '--out', out!], network.url);
    expect(stderr).to.contain('trying again');
    expect(status, stderr).to.equal(0);
    expect(network.cutCount()).to.equal(4);
    const id = idIn(stderr);
    expect((await batch(['run', '--resume', id, '--out', again!])).status).to.equal(0);
    expect(readFileSync(out!, 'utf8')).to.equal(readFileSync(again!, 'utf8'));
    const listed = (await batch(['list'])).stdout.split('\n').filter((line) => / 5,000 /.test(line));
    expect(listed, 'one batch for two uploads').to.have.length(1);
  });

  it('goes on in the middle of a download after a crash', async () => {
    await using network = await cuttingProxy(service.url);
    using folder = temporaryFolder();
    const [file, out] = [join(folder.path, 'places.csv'), join(folder.path, 'results.ndjson')];
    writeFileSync(file, manyPlaces(5000));
    const args = ['run', file, '--out', out];
    network.cuts.push({ side: 'server', afterBytes: 150_000 });
    const { said } = await interruptAt(/trying again/, 'SIGKILL', args, network.url);
    const part = `${out}.${idIn(said)}.part`;
    expect(existsSync(part)).to.equal(true);
    expect(existsSync(out), 'under its name a file is whole').to.equal(false);
    const before = readFileSync(part, 'utf8').length;
    // How much of what came is unpacked by then depends on the machine.
    expect(before).to.be.greaterThan(10_000);
    expect((await batch(args, network.url)).status).to.equal(0);
    const rows = rowsOf(readFileSync(out, 'utf8'));
    expect(rows.map(({ row }) => row)).to.deep.equal(Array.from({ length: 5000 }, (_, i) => i + 1));
    expect(existsSync(part)).to.equal(false);
  });

  it('refuses to go on with another file, and says what to do', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'places.csv');
    writeFileSync(file, manyPlaces(20));
    const { said } = await interruptWhenAccepted('SIGINT', ['run', file]);
    writeFileSync(file, PLACES);
    const { status, stderr } = await batch(['run', file], gate.url);
    expect(status).to.equal(1);
    expect(stderr)
      .to.contain('with another file')
      .and.to.contain(`--resume ${idIn(said)}`)
      .and.to.contain('remove');
  });

  it('sends nothing when its results could not be put where they are wanted', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'places.csv');
    writeFileSync(file, PLACES);
    for (const [out, told] of [
      [join(folder.path, 'nowhere', 'results.csv'), /nowhere\/'?: check the path$/m],
      [join(file, 'results.csv'), /places\.csv\/'?: check the path$/m],
      [folder.path, /^land-lookup: --out .* is a folder: name a file$/m],
    ] as const) {
      const { status, stderr } = await batch(['run', file, '--out', out]);
      expect(stderr, out).to.match(told).and.not.to.contain('bat_');
      expect([status, existsSync(`${file}.batch`)], out).to.deep.equal([1, false]);
    }
  });

  it('cancels, lists and shows', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'places.csv');
    writeFileSync(file, manyPlaces(30_000));
    const { said } = await interruptWhenAccepted('SIGTERM', ['run', file]);
    const id = idIn(said);
    const cancelled = await batch(['cancel', id]);
    expect(cancelled.status, cancelled.stderr).to.equal(0);
    const out = join(folder.path, 'results.ndjson');
    const { status, stderr } = await batch(['run', file, '--out', out], gate.url);
    expect(status, 'not all rows are answered').to.equal(2);
    expect(stderr).to.match(new RegExp(`batch ${id} is cancelled; [\\d,]+ of 30,000 rows were answered`));
    const results = readFileSync(out, 'utf8');
    if (results !== '') expect(rowsOf(results)[0]).to.include({ row: 1, custom_id: 'p0' });
    expect((await batch(['show', id])).stdout).to.match(/^state +cancelled$/m);
    expect((await batch(['list'])).stdout).to.match(new RegExp(`^${id} +cancelled `, 'm'));
    const twice = await batch(['cancel', id]);
    expect(twice.status).to.equal(1);
    expect(twice.stderr).to.contain('CONFLICT');
  });

  it('fails at once with the reason when trying again would not help', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'places.csv');
    writeFileSync(file, manyPlaces(20_000));
    const without = await service.issueKey(1000, {});
    const wrong = join(folder.path, 'wrong.csv');
    writeFileSync(wrong, 'street\n1 Main St\n');
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['run', file, '--key', without], 'FORBIDDEN'],
      [['run', wrong], 'BAD_REQUEST'],
      [['run', file, '--key', 'olk_wrong'], 'UNAUTHORIZED'],
      [['show', 'bat_00000000000000000000000000000000'], 'NOT_FOUND'],
      [['run', join(folder.path, 'missing.csv')], 'ENOENT'],
      [['run', '-'], 'standard input cannot'],
      [['run'], 'give a FILE'],
      [['run', file, '--out', file], 'another file'],
      [['list', '--url', 'ftp://localhost'], 'http(s) address'],
    ];
    for (const [args, reason] of cases) {
      const { status, stderr } = await batch(args);
      expect(stderr, args.join(' ')).to.contain(reason).and.not.to.contain(without);
      expect(status).to.equal(1);
    }
    for (const refused of [file, wrong])
      expect(existsSync(`${refused}.batch`), 'a refused upload leaves nothing behind').to.equal(false);
  });
});
