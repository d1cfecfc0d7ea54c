/** `land-lookup lookup --file` as a process: what it reads and writes, and how it goes on after an interrupt. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { SAMPLE_NOTICE } from '../../../src/core/layers/describe-layers.ts';
import { totalOf, type OutcomeCounts } from '../../../src/features/batches/rows/row.ts';
import { currentSnapshot } from '../../../src/core/snapshots/current.ts';
import { cliArguments, cliIn, type CliRun } from '../../support/drivers/cli.ts';
import { commandHere, commandHereOrThrow } from '../../support/drivers/command-here.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { inputs } from '../../support/drivers/inputs.ts';
import { GeocoderServer } from '../../support/doubles/geocoder-server.ts';
import { shapes, type ProviderPlace } from '../../support/doubles/provider-answers.ts';
import { given } from '../../support/drivers/given.ts';
import { shareSampleService } from '../../support/drivers/sample-service.ts';
import { readExamples } from '../../../src/core/http/service-documents.ts';
import { sampleAddresses } from '../../support/material/sample-addresses.ts';
import { sampleDataDir } from '../../support/material/sample-data.ts';

const GOOD = '12 Main St W, Sampleton, ON';
/** Rows come back in their order from several, too. */
const SEVERAL_THREADS = { WORKER_THREADS: '2' };

describe('lookup --file', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  let dataDir = '';
  before(() => {
    dataDir = sampleDataDir();
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  const at = (name: string): string => join(folder.path, name);
  function file(name: string, text: string): string {
    writeFileSync(at(name), text);
    return at(name);
  }
  const lookup = (...args: string[]): Promise<CliRun> => commandHere(dataDir, {}, 'lookup', ...args);
  const linesOf = ({ status, stdout, stderr }: CliRun): Record<string, unknown>[] => {
    expect(status, stderr).to.equal(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  /** What a lookup of one address answers for `GOOD`. */
  let alone: Record<string, unknown> | undefined;
  const goodAlone = async (): Promise<Record<string, unknown>> => (alone ??= linesOf(await lookup(GOOD))[0]!);

  it('answers each row in its place, a bad one with an error, and counts the outcomes', async () => {
    const rows = [
      `"${GOOD}"`,
      '"1 Nowhere Cres, Sampleton, ON"',
      '"1 Main St, Montréal, QC"',
      `"${'x'.repeat(301)}"`,
      '"12 Main\u0007 St"',
      'a,b',
      '"15 Main St W, Sampleton, ON"',
    ];
    const mixed = file('mixed.csv', `address\n${rows.join('\n')}\n`);
    const run = cliIn(dataDir, SEVERAL_THREADS, 'lookup', '--file', mixed);
    const lines = linesOf(run);
    expect(lines.map(({ code }) => code ?? null)).to.deep.equal([
      null,
      'ADDRESS_NOT_FOUND',
      'OUTSIDE_ONTARIO',
      'BAD_REQUEST',
      'BAD_REQUEST',
      'ADDRESS_NOT_FOUND',
      null,
    ]);
    expect(lines[1]).to.have.keys('code', 'detail', 'reason', 'suggestions');
    expect(lines[6]!['address']).to.match(/^15 Main St W, Sampleton/);
    expect(run.stderr).to.match(
      /^7 rows: 2 found, 2 not found, 1 outside Ontario, 2 invalid, 0 failed\. \d+ s, \d+ rows per second\n$/m,
    );
    expect(lines[0]).to.deep.equal(await goodAlone());
    expect(lines[0]).to.include.keys('geocode', 'evidence', 'snapshot');
  });

  it('makes the address of the columns that are named', async () => {
    const table = 'Street Address,City,Province,Note\n12 Main St W,Sampleton,ON,"x, y"\n,Sampleton,ON,\n';
    const columns = ['--address-columns', 'street address,City,Province'];
    const lines = linesOf(await lookup('--file', file('columns.csv', table), ...columns));
    expect(lines[0]).to.deep.equal(await goodAlone());
    expect(lines[1]).to.include({ code: 'ADDRESS_NOT_FOUND' });
    const wrong = await lookup('--file', at('columns.csv'), '--address-columns', 'Street,City');
    expect(wrong.status).to.not.equal(0);
    expect(wrong.stderr).to.contain('the file has no column "Street", which the address columns name');
  });

  it('reads NDJSON and standard input, and gives short answers', async () => {
    const text = `{"address":"${GOOD}"}\n{"lat":44.1,"lon":-79.4}\n{"lat":"here","lon":1}\n`;
    const options = ['--detail', 'plain'];
    const lines = linesOf(await lookup('--file', file('places.ndjson', text), ...options));
    expect(lines[0]).to.have.keys('address', 'lat', 'lon', 'layers', 'dataAsOf', 'attribution');
    expect(lines[0]!['attribution']).to.deep.equal([SAMPLE_NOTICE]);
    expect(lines[1]).to.deep.include({ address: null, lat: 44.1, lon: -79.4 });
    expect(lines[2]).to.include({ code: 'BAD_REQUEST' });
    expect(linesOf(await lookup(GOOD, ...options))[0]).to.deep.equal(lines[0]);
    const env = { ...process.env, DATA_DIR: dataDir };
    const args = [...cliArguments, 'lookup', '--file', '-', ...options];
    const piped = spawnSync(process.execPath, args, { env, input: text, encoding: 'utf8' });
    expect(linesOf(piped)).to.deep.equal(lines);
  });

  it('answers for areas, in CSV as JSON in a column of its own', async () => {
    const square = [
      [-78.611, 44.1],
      [-78.61, 44.1],
      [-78.61, 44.101],
      [-78.611, 44.101],
      [-78.611, 44.1],
    ];
    const geometry = { type: 'Polygon', coordinates: [square] };
    const text = `${JSON.stringify({ custom_id: 'p', geometry })}\n{"address":"${GOOD}"}\n`;
    const places = file('areas.ndjson', text);
    const [area, place] = linesOf(await lookup('--file', places, '--detail', 'plain'));
    expect(area).to.have.keys(
      ...['areaM2', 'lat', 'lon', 'repaired', 'insideOntarioShare', 'layers', 'dataAsOf', 'attribution'],
    );
    expect(place).to.include.keys('address', 'layers');
    const { stdout } = await lookup('--file', places, '--format', 'csv');
    const [first, second] = parse<Record<string, string>>(stdout, { columns: true });
    expect(first).to.include({
      custom_id: 'p',
      status: '200',
      address: '',
      'municipality.munId': '',
      lat: String(area!['lat']),
    });
    expect(JSON.parse(first!['area']!)).to.deep.equal({
      ...{ areaM2: area!['areaM2'], repaired: false, insideOntarioShare: 1, layers: area!['layers'] },
    });
    expect(second).to.include({ area: '', 'municipality.munId': '9001' });
  });

  it('writes CSV and GeoJSON with the same answers, and takes the format from the name', async () => {
    const rows = `custom_id,address\n=1,"${GOOD}"\nb,"1 Nowhere Cres, Sampleton, ON"\n`;
    const places = file('named.csv', rows);
    const [body] = linesOf(await lookup('--file', places)) as [{ layers: Record<string, unknown>; lon: number }];
    expect((await lookup('--file', places, '--out', at('named-out.csv'))).stdout).to.equal('');
    const [first, second] = parse<Record<string, string>>(readFileSync(at('named-out.csv')), { columns: true });
    expect(first).to.include({ row: '1', custom_id: "'=1", status: '200', 'municipality.munId': '9001', ormcp: '' });
    expect(first!['lon']).to.equal(String(body.lon));
    expect([first!['attribution'], second!['attribution']]).to.deep.equal([SAMPLE_NOTICE, '']);
    expect(second).to.include({ row: '2', custom_id: 'b', status: '404', code: 'ADDRESS_NOT_FOUND', address: '' });
    const { stdout } = await lookup('--file', places, '--format', 'geojson');
    const { features, attribution } = JSON.parse(stdout) as {
      features: { properties: object; geometry: object | null }[];
      attribution: unknown;
    };
    expect(attribution).to.deep.equal([SAMPLE_NOTICE]);
    expect(features).to.have.length(2);
    expect(features[0]!.properties).to.include({ custom_id: '=1', 'municipality.munId': '9001' });
    expect(features[0]!.properties).to.include.keys('evidence', 'geocode', 'greenbelt');
    expect(features[1]!.geometry).to.equal(null);
    expect(existsSync(`${at('named-out.csv')}.resume`)).to.equal(false);
    expect(existsSync(`${at('named-out.csv')}.lock`)).to.equal(false);
  });

  given('rules', 'areas').it(
    'judges rules for those who ask, as a lookup of a server does, and as columns of CSV',
    async () => {
      const wetland = { lat: 44.316425, lon: -79.271468 };
      const { area } = readExamples();
      const rows = [wetland, { address: GOOD }, { address: '1 Nowhere Cres, Sampleton, ON' }, area];
      const places = file('rules.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
      const service = await shareSampleService();
      const ofServer = await Promise.all(
        [
          ['/api/lookup/point', wetland] as const,
          ['/api/lookup', { address: GOOD }] as const,
          ['/api/lookup/area', area] as const,
        ].map(async ([path, body]) => {
          const response = await fetch(`${service.url}${path}?rules=all`, {
            method: 'POST',
            headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          });
          return ((await response.json()) as { readonly rules: Readonly<Record<string, object>> }).rules;
        }),
      );
      const [point, address, whole] = ofServer;
      expect(point!['site_plan_prescribed_area']).to.have.property('outcome', 'excluded');
      const asked = ['--file', places, '--rules', 'all'];
      const lines = linesOf(await lookup(...asked));
      expect(lines.map(({ rules }) => rules ?? null)).to.deep.equal([point, address, null, whole]);
      const { features } = JSON.parse((await lookup(...asked, '--format', 'geojson')).stdout) as {
        readonly features: readonly { readonly properties: { readonly rules?: object } }[];
      };
      expect(features.map(({ properties: { rules } }) => rules ?? null)).to.deep.equal([point, address, null, whole]);
      const table = parse<Record<string, string>>((await lookup(...asked, '--format', 'csv')).stdout, {
        columns: true,
      });
      expect(table.map((row) => row['rules.site_plan_prescribed_area'])).to.deep.equal(
        [point, address, {}, whole].map((rules) => outcomeOf(rules!)),
      );
      expect(linesOf(await lookup('--file', places))[0]).to.not.have.property('rules');
      const unknown = await lookup('--file', places, '--rules', 'setback');
      expect(unknown.stderr).to.match(/"setback" is no rule of this service; there are: site_plan_prescribed_area/);
      expect([unknown.status, unknown.stdout]).to.deep.equal([1, '']);
      const alone = await lookup(GOOD, '--rules', 'all');
      expect([alone.status, alone.stderr]).to.deep.equal([1, 'land-lookup: --rules needs --file IN\n']);
      const left = { FEATURES: 'batches' };
      const without = await commandHere(dataDir, left, 'lookup', '--file', places, '--rules', 'all');
      expect([without.status, without.stderr]).to.satisfy(
        ([status, words]: [number, string]) => status === 1 && words.includes("unknown option '--rules'"),
      );
      expect((await commandHere(dataDir, left, 'lookup', '--help')).stdout).to.not.include('rules');
    },
  );

  given('geocoders').it(
    'asks the remote geocoder for the rows that need it, and fails such a row alone when it does not answer',
    async () => {
      await using server = await GeocoderServer.start();
      const place: ProviderPlace = { number: '7', street: 'Nowhere Road', city: 'Sampleton', at: [44.11, -78.61] };
      // Rows that wait for it come in any order.
      server.reply = () =>
        /nowhere/i.test(server.asked.at(-1)!.search) ? { body: shapes.nominatim.answer([place]) } : { status: 400 };
      const rows = [GOOD, '7 Nowhere Rd, Sampleton, ON', '9 Elsewhere Rd, Sampleton, ON', GOOD];
      const places = file('remote.csv', `address\n${rows.map((row) => `"${row}"\n`).join('')}`);
      const env = { GEOCODER: 'local,nominatim', GEOCODER_URL: server.url, GEOCODER_RATE_PER_S: '1' };
      const run = await commandHere(dataDir, env, 'lookup', '--file', places, '--detail', 'plain');
      const lines = linesOf(run);
      expect(lines[0]!['address']).to.match(/^12 Main St W/);
      expect(lines[1]).to.include({ lat: 44.11, lon: -78.61 });
      expect(lines[2]).to.include({ code: 'DB_ERROR' });
      expect({ ...lines[3], attribution: [SAMPLE_NOTICE] }).to.deep.equal(lines[0]);
      expect(run.stderr).to.match(/^4 rows: 3 found, 0 not found, 0 outside Ontario, 0 invalid, 1 failed\. /m);
    },
  );

  it('refuses files without places, and options that do not go together', async () => {
    const places = file('one.csv', `address\n"${GOOD}"\n`);
    const refusals: readonly (readonly [string[], RegExp])[] = [
      [['--file', file('streets.csv', 'street\nMain St\n')], /needs a column "address", or columns "lat" and "lon"/],
      [['--file', at('missing.csv')], /ENOENT.*missing\.csv/],
      [['--file', '/dev/null', '--out', at('x')], /null is no file that can be read twice: .*"lookup --file -"/],
      [['--file', places, '--out', places], /--out must be another file than --file/],
      [['--file', places, '--resume'], /--resume needs --out FILE/],
      [['--file', '-', '--out', at('x'), '--resume'], /--resume needs --out FILE, and a file to read again/],
      [[GOOD, '--out', at('x')], /--format, --out and --resume need --file IN/],
      [['--file', places, '--format', 'xml'], /Allowed choices are ndjson, csv, geojson/],
      [['--file', places, GOOD], /exactly one of/],
    ];
    for (const [args, words] of refusals) {
      const { status, stderr, stdout } = await lookup(...args);
      expect(stderr, args.join(' ')).to.match(words);
      expect([status, stdout]).to.deep.equal([1, '']);
    }
    expect(existsSync(at('x'))).to.equal(false);
  });

  describe('after an interrupt', () => {
    /** Enough for several writes of each format. */
    const ROWS = 2000;
    /** A row with evidence is that much longer. */
    const ROWS_WITH_EVIDENCE = 200;
    let places = '';
    let fewPlaces = '';
    before(() => {
      const addresses = sampleAddresses();
      const address = (i: number): string => (i % 50 === 7 ? '' : addresses[i % addresses.length]!);
      const rows = Array.from({ length: ROWS }, (_, i) =>
        JSON.stringify({ address: address(i), custom_id: `id ${i}` }),
      );
      places = file('many.ndjson', `${rows.join('\n')}\n`);
      fewPlaces = file('few.ndjson', `${rows.slice(0, ROWS_WITH_EVIDENCE).join('\n')}\n`);
    });

    const placesFor = (out: string): string => (extname(out) === '.geojson' ? fewPlaces : places);
    const run = (out: string, ...options: string[]): string[] => [
      ...cliArguments,
      ...['lookup', '--file', placesFor(out), '--out', at(out), ...options],
    ];
    const start = (out: string, ...options: string[]): ChildProcess =>
      spawn(process.execPath, run(out, ...options), {
        env: { ...process.env, DATA_DIR: dataDir, WORKER_THREADS: '1' },
      });

    /** One format is enough for the evidence, which takes most of the time. */
    const detailOf = (format: string): string[] => ['--detail', format === 'geojson' ? 'full' : 'plain'];

    const whole = new Map<string, Buffer>();
    /** The bytes of a run from which nobody takes anything. */
    function undisturbed(format: string): Buffer {
      if (!whole.has(format)) {
        const out = at(`whole.${format}`);
        const args = ['lookup', '--file', placesFor(out), '--out', out, ...detailOf(format)];
        const { status, stderr } = cliIn(dataDir, SEVERAL_THREADS, ...args);
        expect(status, stderr).to.equal(0);
        whole.set(format, readFileSync(out));
      }
      return whole.get(format)!;
    }

    /** Rows of a run that are on the disk for certain. */
    function rowsSafe(out: string): number {
      const state = `${at(out)}.resume`;
      if (!existsSync(state)) return 0;
      return totalOf((JSON.parse(readFileSync(state, 'utf8')) as { done: { counts: OutcomeCounts } }).done.counts);
    }

    /**
     * Waits until more than `rows` rows are safe. A run notes that twice a second, so it is held once it has written: a fast machine would be at its end.
     */
    async function untilSafe(child: ChildProcess, out: string, rows: number): Promise<void> {
      const bytes = (): number => statSync(at(out), { throwIfNoEntry: false })?.size ?? 0;
      let most = bytes();
      while (rowsSafe(out) <= rows && child.exitCode === null) {
        await sleep(5);
        if (bytes() <= most) continue;
        child.kill('SIGSTOP');
        await sleep(600);
        child.kill('SIGCONT');
        most = Infinity;
      }
    }

    /** Starts a run and sends it a signal as soon as more than `rows` rows are safe. */
    async function interrupt(
      signal: NodeJS.Signals,
      rows: number,
      [out, ...options]: readonly [string, ...string[]],
    ): Promise<{ code: number | null; signal: string | null; stderr: string }> {
      const child = start(out, ...options);
      let stderr = '';
      child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      const ended = once(child, 'close') as Promise<[number | null, string | null]>;
      await untilSafe(child, out, rows);
      child.kill(signal);
      const [code, endedBy] = await ended;
      return { code, signal: endedBy, stderr };
    }

    const killedTimes = { geojson: inputs(2, 1), csv: 1, ndjson: 1 };
    for (const [format, times] of Object.entries(killedTimes).slice(0, inputs(3, 1))) {
      it(`gives the same bytes of ${format}, killed again and again`, async () => {
        let before = -1;
        let kills = 0;
        for (; kills < times; kills++) {
          const { signal } = await interrupt('SIGKILL', before, [`killed.${format}`, '--resume', ...detailOf(format)]);
          if (signal === null) break;
          const safe = rowsSafe(`killed.${format}`);
          expect(safe).to.be.greaterThan(before);
          before = safe;
        }
        expect(kills, 'killed while at work').to.be.greaterThan(0);
        const out = at(`killed.${format}`);
        const rest = await lookup('--file', placesFor(out), '--out', out, '--resume', ...detailOf(format));
        // The last run before may have been at its end.
        if (existsSync(`${out}.resume`)) throw new Error(rest.stderr);
        expect(readFileSync(out).equals(undisturbed(format))).to.equal(true);
        if (before > 0 && rest.status === 0)
          expect(rest.stderr).to.match(/^(2,000|200) rows \(\d,?\d* of them before the interrupt\): /m);
      });
    }

    it('cuts a half-written row, and whatever else is behind the rows that are safe', async () => {
      await interruptedAs('cut.csv');
      writeFileSync(at('cut.csv'), '1234,,200,,"12 Ma', { flag: 'a' });
      const rest = await lookup('--file', places, '--out', at('cut.csv'), '--resume');
      expect(rest.status, rest.stderr).to.equal(0);
      expect(readFileSync(at('cut.csv')).equals(undisturbed('csv'))).to.equal(true);
    });

    it('ends in order at SIGINT, and says how to continue', async () => {
      const { code, stderr } = await interrupt('SIGINT', 0, ['stopped.csv']);
      expect(code, stderr).to.equal(130);
      expect(stderr).to.match(
        /^interrupted after [\d,]+ of 2,000 rows: to continue, run the same command with --resume$/m,
      );
      const safe = rowsSafe('stopped.csv');
      const rows = parse(readFileSync(at('stopped.csv')));
      expect(rows, 'the header and all rows that were answered').to.have.length(safe + 1);
      await commandHereOrThrow(dataDir, 'lookup', '--file', places, '--out', at('stopped.csv'), '--resume');
      expect(readFileSync(at('stopped.csv')).equals(undisturbed('csv'))).to.equal(true);
    });

    let interrupted: Promise<CliRun> | undefined;
    /** What a second run of `running.csv` says while the first one is at work, which is killed then. */
    const refusedMeanwhile = (): Promise<CliRun> =>
      (interrupted ??= (async () => {
        const child = start('running.csv');
        const ended = once(child, 'close');
        await untilSafe(child, 'running.csv', 0);
        child.kill('SIGSTOP');
        const refused = await lookup('--file', places, '--out', at('running.csv'), '--resume');
        child.kill('SIGKILL');
        expect(await ended).to.deep.equal([null, 'SIGKILL']);
        return refused;
      })());

    /** Gives a test what the killed run has left behind. */
    async function interruptedAs(name: string): Promise<string> {
      await refusedMeanwhile();
      for (const part of ['', '.resume', '.lock']) copyFileSync(at(`running.csv${part}`), at(`${name}${part}`));
      return at(name);
    }

    it('is not resumed while it is running', async () => {
      const { status, stderr } = await refusedMeanwhile();
      expect(stderr).to.match(/another process writes .*running\.csv/);
      expect(status).to.equal(1);
    });

    it('is not resumed as another run; nor begun anew', async () => {
      const out = ['--out', await interruptedAs('other.csv')];
      const unchanged = readFileSync(at('other.csv'));
      const refusals: readonly (readonly [CliRun, RegExp])[] = [
        [
          await commandHere(otherSnapshot(), {}, 'lookup', '--file', places, ...out, '--resume', '--format', 'geojson'),
          /another --format \(csv, now geojson\) and another --detail .* and another snapshot in service \(/,
        ],
        [
          await lookup('--file', places, ...out, '--resume', '--layers', 'all'),
          /began with another --layers \(none, now \w[\w,]*\)\. Resume/,
        ],
        [
          await lookup('--file', places, ...out),
          /holds answers of an interrupted run: continue it with --resume, or remove the file/,
        ],
      ];
      for (const [{ status, stderr }, words] of refusals) {
        expect(stderr).to.match(words);
        expect(status).to.equal(1);
      }
      expect(readFileSync(at('other.csv')).equals(unchanged), 'the refused file').to.equal(true);
    });

    given('rules').it('is not resumed with other rules', async () => {
      const out = await interruptedAs('rules.csv');
      const { status, stderr } = await lookup('--file', places, '--out', out, '--resume', '--rules', 'all');
      expect(stderr).to.match(
        /another choice of members \(none, now rules\.site_plan_prescribed_area [0-9a-f]{8}\)\. Resume/,
      );
      expect(status).to.equal(1);
    });

    it('ends quietly when the reader of its answers has left', () => {
      const args = ['-c', '"$0" "$@" | head -n 1', process.execPath, ...cliArguments, 'lookup', '--file', places];
      const env = { ...process.env, DATA_DIR: dataDir };
      const { stdout, stderr } = spawnSync('sh', args, { env, encoding: 'utf8' });
      expect(JSON.parse(stdout)).to.include.keys('address', 'evidence');
      expect(stderr).to.equal('');
    });

    /** A data folder with the same snapshot under another name. */
    function otherSnapshot(): string {
      const { dir } = currentSnapshot(dataDir)!;
      const name = '20300101T000000Z-000000000000';
      const other = at('other-data');
      mkdirSync(join(other, 'snapshots'), { recursive: true });
      cpSync(dir, join(other, 'snapshots', name), { recursive: true });
      symlinkSync(join('snapshots', name), join(other, 'current'));
      return other;
    }
  });
});

/** The outcome of the rule of the release; empty: there is no judgement. */
function outcomeOf(rules: Readonly<Record<string, { readonly outcome?: string }>>): string {
  return rules['site_plan_prescribed_area']?.outcome ?? '';
}
