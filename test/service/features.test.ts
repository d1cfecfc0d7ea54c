/** Services from which features are left out. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { issueKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { allFeatures, loadFeatures } from '../../src/features.ts';
import { readExamples } from '../../src/core/http/service-documents.ts';
import { routesOf, type RoutedFeature } from '../../src/core/http/routes.ts';
import { problems, type ProblemCode } from '../../src/messages/problems.ts';
import { readConfig } from '../../src/config.ts';
import { asSent } from '../support/drivers/as-sent.ts';
import { projectDir } from '../../src/project/project.ts';
import type { CliRun } from '../support/drivers/cli.ts';
import { commandHere } from '../support/drivers/command-here.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';

const names = allFeatures.map(({ name }) => name);
const others = (left: string): readonly string[] => names.filter((name) => name !== left);

/** A command of each feature that has some. */
const commands: Readonly<Record<string, readonly string[]>> = {
  ...{ batches: ['batch'], travel: ['snapshot', 'push'], doctor: ['doctor'], backup: ['restore'], verify: ['verify'] },
  ...{ privacy: ['customers', 'forget'], sources: ['sources'], compare: ['compare'] },
};

/** A service with some features, and a key for it. */
async function startWith(features: readonly string[]) {
  const folder = ownSampleFolder();
  const key = await makeKey(folder.path);
  const service = await ServiceHere.start(folder.path, { FEATURES: features.join(',') });
  const ask = async (method: string, path: string): Promise<readonly [number, unknown]> => {
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
    // The document of the API that all tests are held against has all features.
    const { status, text } = await asSent(service.url + path, { method: method.toUpperCase(), headers });
    return [status, text.startsWith('{') ? (JSON.parse(text) as { code?: unknown }).code : undefined];
  };
  return {
    service,
    key,
    ask,
    paths: async () => {
      const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
      return Object.keys(paths);
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function makeKey(dataDir: string): Promise<string> {
  await using store = await openKeyStore({ dataDir, redisUrl: null });
  return (await issueKey(store, { name: 'test', limits: { batchRowsPerDay: 10 } })).key;
}

/** What clients can ask a feature for. */
const askedOf = (features: readonly RoutedFeature[]) => [
  ...features.flatMap(({ lookups = [] }) => lookups.map(({ path }) => ({ method: 'post', path }))),
  ...routesOf(features),
];

/** A path as a client writes it. */
const written = (path: string): string => path.replace(/:\w+/g, 'x');

/** It and its files answer as any unknown path does, and nothing leads to it. */
async function nothingIsLeftOfThePage(url: string): Promise<void> {
  const get = async (path: string, accept: string): Promise<readonly [number, string]> => {
    const { status, text } = await asSent(url + path, { headers: { accept } });
    return [status, text];
  };
  const files = ['/web/main.js', '/web/0123456789ab/main.js', '/web/result.css', '/vendor/maplibre-gl/maplibre-gl.mjs'];
  for (const path of [
    '/',
    '/?lang=fr',
    '/fr',
    '/basemap/0123456789ab.pmtiles',
    '/vendor/pmtiles/pmtiles.js',
    ...files,
  ]) {
    const [status, text] = await get(path, 'application/json');
    expect([status, (JSON.parse(text) as { code: string }).code], path).to.deep.equal([404, 'NOT_FOUND']);
    expect(await get(path, 'text/html'), path).to.deep.equal(await get('/nowhere', 'text/html'));
  }
  for (const path of [
    '/nowhere',
    '/docs',
    '/docs/errors',
    '/licences',
    '/licences?lang=fr',
    '/examples',
    '/llms.txt',
  ]) {
    const [, text] = await get(path, 'text/html');
    expect(text, path).not.to.match(/href="\/["?#]|\]\(\/\)/);
    // What they do load is there.
    for (const [, file] of text.matchAll(/(?:href|src)="(\/(?:web|vendor)\/[^"]+)"/g))
      expect((await get(file!, '*/*'))[0], file).to.equal(200);
  }
}

/** Reads the results of a batch once it has ended. */
async function untilEnded(ask: () => Promise<Response>): Promise<string> {
  for (;;) {
    const response = await ask();
    const text = await response.text();
    if (response.headers.get('batch-state') === 'completed') return text;
    await sleep(20);
  }
}

describe('FEATURES', function () {
  this.timeout(240_000);

  for (const { name: left } of allFeatures.filter(({ load }) => load)) {
    it(`without ${left}, lookups and the other routes are answered, and nothing is left of it`, async () => {
      const [own, rest] = await Promise.all([[left], others(left)].map(loadFeatures));
      await using started = await startWith(others(left));
      const { service, key, ask, paths } = started;
      for (const { method, path } of askedOf(own!))
        expect(await ask(method, written(path)), path).to.deep.equal([404, 'NOT_FOUND']);
      for (const { method, path } of routesOf(rest!).filter(({ docs }) => docs !== null)) {
        // What lacks a body or a batch is refused by the route itself.
        const [status, code] = await ask(method, written(path));
        expect(status, `${method} ${path} ${String(code)}`)
          .to.be.below(500)
          .and.not.equal(405);
      }
      const documented = askedOf(own!).map(({ path }) => path.replace(/:(\w+)/g, '{$1}'));
      expect(await paths()).not.to.include.members(documented.length > 0 ? documented : ['/none']);
      expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
      expect((await fetch(service.url)).status).to.equal(left === 'page' ? 404 : 200);
      if (left === 'page') await nothingIsLeftOfThePage(service.url);
      const metrics = await service.metrics();
      expect(metrics).to.contain('land_lookup_ready 1');
      expect(metrics.includes('land_lookup_geocoder_answers')).to.equal(left !== 'geocoders');
    });
  }

  it('without a feature has none of its commands, also not in the help', async () => {
    const withCommands = allFeatures.flatMap((one) => (one.commands ? [one.name] : []));
    expect(Object.keys(commands)).to.have.members(withCommands);
    for (const [left, words] of Object.entries(commands)) {
      const command = words.at(-1)!;
      const { status, stderr } = await commandHere('/none', { FEATURES: others(left).join(',') }, ...words);
      expect([status, stderr]).to.deep.equal([1, stderr]);
      expect(stderr)
        .to.match(new RegExp(`^error: unknown command '${command}'`))
        .and.contain(
          `FEATURES leaves out "${left}", which has commands or options of "${words[0]!}": add it to FEATURES`,
        );
      // The help stands below the error.
      expect(stderr)
        .to.match(/^Commands:$/m)
        .and.not.match(new RegExp(`^  ${command} `, 'm'));
    }
  });

  it('without download has no options for it, and says what to give instead', async () => {
    using folder = temporaryFolder();
    const run = (...words: string[]) => commandHere(folder.path, { FEATURES: others('download').join(',') }, ...words);
    for (const option of ['--check', '--server', '--packages', '--layer-id'])
      expect(
        (await commandHere(folder.path, { FEATURES: names.join(',') }, 'load-layers', '--help')).stdout,
      ).to.contain(`  ${option}`);
    const { stdout } = await run('load-layers', '--help');
    expect(stdout)
      .to.contain('--partial')
      .and.not.match(/--check|--server|--packages|--layer-id|download/);
    expect((await run('load-layers', '--check')).stderr).to.contain("error: unknown option '--check'");
    const instead = (files: string) =>
      `FEATURES leaves out "download", which fetches data: give files with ${files}, or add it to FEATURES`;
    const layers = await run('load-layers');
    expect([layers.status, layers.stdout]).to.deep.equal([
      1,
      `load-layers: ${instead('--from DIR')}; the snapshot in service is unchanged\n`,
    ]);
    expect((await run('load-addresses', '--help')).stdout)
      .to.contain('--from <DIR|ZIP> ')
      .and.not.contain('URL');
    expect((await run('load-addresses')).stdout)
      .to.contain('--from DIR|ZIP  ')
      .and.not.contain('URL');
    const addresses = await run('load-addresses', '--from', 'https://register.example/2026.zip');
    expect([addresses.status, addresses.stdout]).to.deep.equal([
      1,
      `load-addresses: ${instead('--from DIR or ZIP')}; the snapshot in service is unchanged\n`,
    ]);
  });

  it('without a feature refuses a setting that only the unit of the feature reads', () => {
    for (const [left, setting] of [
      ['backup', 'BACKUP_DIR'],
      ['travel', 'FOLLOW_FROM'],
    ] as const) {
      const set = { [setting]: '/srv/x' };
      expect(readConfig(set).features).to.deep.equal(names);
      expect(() => readConfig({ ...set, FEATURES: others(left).join(',') })).to.throw(
        `${setting} is a setting of the feature "${left}", which FEATURES leaves out`,
      );
    }
  });

  it('without webhooks refuses a batch that wants one', async () => {
    await using started = await startWith(['batches']);
    const response = await fetch(`${started.service.url}/api/batches?callback_url=https://receiver.example/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${started.key}`, 'content-type': 'text/csv' },
      body: 'address\n1 Main St\n',
    });
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    expect([response.status, code]).to.deep.equal([400, 'BAD_REQUEST']);
    expect(detail).to.contain('leave callback_url out');
  });

  it('empty imports files from a folder, and serves them', async () => {
    using folder = temporaryFolder();
    const sample = join(projectDir, 'layers', 'sample');
    for (const words of [
      ['load-layers', '--from', sample, '--only', 'province', 'greenbelt'],
      ['load-addresses', '--from', join(sample, 'addresses'), '--as-of', '2026-01-01'],
    ]) {
      const { status, stdout, stderr } = await commandHere(folder.path, { FEATURES: '' }, ...words);
      expect([status, stderr], stdout).to.deep.equal([0, '']);
    }
    const key = await makeKey(folder.path);
    await using service = await ServiceHere.start(folder.path, { FEATURES: '' });
    const response = await service.lookup(key, SAMPLE_ADDRESS);
    const { layers } = (await response.json()) as { layers: Record<string, unknown> };
    expect([response.status, layers['greenbelt'], layers['soil']]).to.deep.equal([200, false, null]);
  });

  it('without batches lets the command "lookup" answer one place, and knows no files', async () => {
    using folder = ownSampleFolder();
    const lookup = (...args: string[]): Promise<CliRun> =>
      commandHere(folder.path, { FEATURES: names.filter((name) => name !== 'batches').join(',') }, 'lookup', ...args);
    const help = await lookup('--help');
    expect(help.status, help.stderr).to.equal(0);
    expect(help.stdout)
      .to.contain('--at')
      .and.not.match(/--file|--out|--resume|--format|--address-columns|\bfiles?\b/i);
    const refused = await lookup('--file', 'places.csv');
    expect([refused.status, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.contain("unknown option '--file'");
    for (const place of [[SAMPLE_ADDRESS.address], ['--at', '44.3,-79.3']]) {
      const { status, stdout, stderr } = await lookup(...place);
      expect(status, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.include.keys('lat', 'lon', 'layers', 'evidence', 'attribution');
    }
    const failed = await lookup('1 Nowhere Rd, Sampleton, ON');
    expect(failed.status).to.equal(1);
    expect(JSON.parse(failed.stdout))
      .to.include({ code: 'ADDRESS_NOT_FOUND' })
      .and.to.include.keys('detail', 'attribution');
    for (const places of [[], [SAMPLE_ADDRESS.address, '--at', '44.3,-79.3']])
      expect((await lookup(...places)).stderr).to.contain('give exactly one of: an address, --at LAT,LON\n');
    expect((await lookup('--at', '44.3')).stderr).to.contain('"44.3" is not LAT,LON in decimal degrees');
  });

  it('without areas refuses rows that are some, and has no tool for them', async () => {
    await using started = await startWith(['batches', 'agents']);
    const { service, key } = started;
    const send = (path: string, type: string, body: string): Promise<Response> =>
      fetch(service.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': type,
          accept: 'application/json, text/event-stream',
        },
        body,
      });
    const row = JSON.stringify(readExamples().area);
    const { id } = (await (await send('/api/batches', 'application/x-ndjson', `${row}\n`)).json()) as { id: string };
    const results = await untilEnded(() =>
      fetch(`${service.url}/api/batches/${id}/results`, { headers: { authorization: `Bearer ${key}` } }),
    );
    expect(results).to.contain('must not have the member \\"geometry\\": no areas are looked up here');
    const listed = await send('/mcp', 'application/json', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    const names = (await listed.text()).match(/"name":"\w+"/g);
    expect(names).to.deep.equal(['"name":"lookup_address"', '"name":"lookup_point"', '"name":"list_layers"']);
  });

  it('without maps answers each lookup, and refuses geometry as any unknown parameter', async () => {
    await using started = await startWith(names.filter((name) => name !== 'maps'));
    const { service, key } = started;
    const ask = (path: string, body: object): Promise<Response> =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { address, point, area } = readExamples();
    const asked = { '?detail=full&': { address }, '/point?detail=full&': point, '/area?': area };
    for (const [path, body] of Object.entries(asked)) {
      expect((await ask(`/api/lookup${path}layers=all`, body)).status, path).to.equal(200);
      const response = await ask(`/api/lookup${path}geometry=map`, body);
      const { param, detail } = (await response.json()) as { param: string; detail: string };
      expect([response.status, param, detail], path).to.deep.equal([400, 'geometry', 'there is no query parameter "geometry" here']); // prettier-ignore
    }
  });

  it('empty is the service of lookups, with every error of its table', async () => {
    await using started = await startWith([]);
    const { service, key, ask, paths } = started;
    const outcome = async (asked: Promise<Response>): Promise<readonly [number, string | undefined]> => {
      const response = await asked;
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const failure = (code: ProblemCode) => [problems[code].status, code];
    expect((await outcome(service.lookup(key, SAMPLE_ADDRESS)))[0]).to.equal(200);
    expect(await outcome(service.lookup(key, {}))).to.deep.equal(failure('BAD_REQUEST'));
    expect(await outcome(service.lookup(null, SAMPLE_ADDRESS))).to.deep.equal(failure('UNAUTHORIZED'));
    expect(await outcome(service.lookup(key, { address: '1 Nowhere Rd, Sampleton, ON' }))).to.deep.equal(
      failure('ADDRESS_NOT_FOUND'),
    );
    expect(await outcome(service.lookup(key, { address: '1 Main St, Montreal, QC' }))).to.deep.equal(
      failure('OUTSIDE_ONTARIO'),
    );
    const refused = [400, 'there is no query parameter "no" here'];
    for (const name of ['no', 'geometry']) {
      const response = await service.lookup(key, SAMPLE_ADDRESS, { query: `?detail=full&${name}=map` });
      const { detail } = (await response.json()) as { detail: string };
      expect([response.status, detail.replace(name, 'no')]).to.deep.equal(refused);
    }
    expect(await ask('get', '/api/lookup')).to.deep.equal([405, 'METHOD_NOT_ALLOWED']);
    expect(await ask('get', '/api/account')).to.deep.equal([404, 'NOT_FOUND']);
    expect(await ask('post', '/api/lookup/area')).to.deep.equal([404, 'NOT_FOUND']);
    expect(await paths()).to.have.members([
      ...['/api/lookup', '/api/lookup/point'],
      ...['/api/layers', '/licences', '/llms.txt', '/healthz', '/readyz'],
    ]);
    const llms = await (await fetch(`${service.url}/llms.txt`)).text();
    expect(llms).not.to.match(/suggest|tools|parcel|undefined/i);
  });
});
