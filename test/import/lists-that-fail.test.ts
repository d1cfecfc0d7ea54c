/** Servers that fail on long lists of features, or give them to nobody. */
import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { ProgressDisplay } from '../../src/core/terminal/progress-display.ts';
import { downloadLayer, ListLength } from '../../src/features/download/download-layer.ts';
import { surveyLayer } from '../../src/features/download/survey-layer.ts';
import type { DownloadedFeature } from '../../src/messages/import.ts';
import type { FaultKind } from '../support/doubles/arcgis/faults.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { square } from '../support/material/sources.ts';

const SERVICE = 'LIO_OPEN_DATA/LIO_Open06/MapServer';
const retry = { attempts: 10, firstMs: 1, mostMs: 2 };

const features = (count: number): DownloadedFeature[] =>
  Array.from({ length: count }, (_, i) => ({
    attributes: { NAME: `n${i + 1}` },
    geometry: { type: 'Polygon', coordinates: [square(-80 + (i % 100) * 0.01, 44, 0.01)] },
  }));

async function started(count: number): Promise<ArcgisServer> {
  return ArcgisServer.start([
    {
      ...{ service: SERVICE, id: 15, name: 'Areas', geometry: 'polygon', features: features(count) },
      fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
    },
  ]);
}

/** Downloads the layer and gives the number of requests; `pageSize` is what one is told who knows the server. */
async function requestsOf(server: ArcgisServer, count: number, pageSize?: number): Promise<number> {
  using folder = temporaryFolder();
  const address = { server: server.url, service: SERVICE, names: ['Areas'], layerIdHint: null };
  const wanted = {
    geometry: 'polygon',
    fields: { NAME: { type: 'string', required: true } },
    rename: {},
    pageSize,
  } as const;
  const before = server.requests.length;
  const survey = await surveyLayer(address, wanted, join(folder.path, 'layer'), { retry, idleMs: 500 });
  let came = 0;
  const onFeatures = (some: number): void => void (came += some);
  await downloadLayer(survey, { retry, idleMs: 500, parallel: 4, onFeatures });
  expect(came).to.equal(count);
  return server.requests.length - before;
}

const listOf = (query: URLSearchParams): readonly string[] => query.get('objectIds')?.split(',') ?? [];

describe('a server that fails on long lists', function () {
  this.timeout(120_000);

  const kinds: readonly FaultKind[] = [
    ...(['error in 200', 'error 400 in 200', 'error 500 in 500', 'status 400', 'status 413', 'status 500'] as const),
    ...(['status 504', 'web page', 'broken off', 'lost connection'] as const),
  ];
  for (const kind of kinds)
    it(`is asked hardly more often than one whose limit is known: ${kind}`, async () => {
      await using server = await started(3000);
      server.faults = (query) => (listOf(query).length > 50 ? kind : null);
      const told = await requestsOf(server, 3000, 50);
      expect(await requestsOf(server, 3000)).to.be.at.most(told * 1.3);
    });

  it('whatever its limit is', async () => {
    for (const limit of [1, 3, 7, 31, 64, 333, 999]) {
      const features = Math.min(2000, 100 * limit);
      await using server = await started(features);
      server.faults = (query) => (listOf(query).length > limit ? 'error in 200' : null);
      await requestsOf(server, features);
      const asked = server.requests.map(({ query }) => listOf(query).length).slice(-8);
      expect(Math.max(...asked), `limit ${limit}`).to.be.at.least(limit * 0.9 - 1);
    }
  });

  it('is asked for more again when that was only a bad hour', async () => {
    await using server = await started(20_000);
    let failures = 12;
    server.faults = (query) => (query.has('objectIds') && failures-- > 0 ? 'error in 200' : null);
    expect(await requestsOf(server, 20_000)).to.be.below(250);
  });
});

describe('the length of the next list', () => {
  it('closes in on the longest that works, and tries a longer one now and then', () => {
    const length = new ListLength(1000);
    const asked: number[] = [];
    for (let i = 0; i < 300; i++) {
      asked.push(length.next);
      if (length.next > 50) length.failed(length.next);
      else length.worked(length.next);
    }
    expect(asked.slice(0, 9)).to.deep.equal([1000, 500, 250, 125, 62, 31, 46, 54, 50]);
    expect(asked.slice(9).filter((one) => one !== 50)).to.deep.equal([100, 100, 100]);
  });

  it('is not shorter because of one feature on which the server fails', () => {
    const length = new ListLength(1000);
    length.worked(1000);
    length.failed(1000);
    expect(length.next).to.equal(1000);
  });

  it('is shorter when lists of a length that worked fail again and again', () => {
    const length = new ListLength(1000);
    length.worked(1000);
    for (let i = 0; i < 2; i++) length.failed(1000);
    expect(length.next).to.be.below(1000);
  });
});

describe('a server that gives nothing to strangers', function () {
  this.timeout(60_000);

  const kinds: readonly FaultKind[] = [
    'status 401',
    'status 403',
    'error 499 in 200',
    'login page',
    'redirect to login',
  ];
  for (const kind of kinds)
    it(`is not asked again: ${kind}`, async () => {
      await using server = await started(3);
      server.faults = (query) => (query.has('objectIds') ? kind : null);
      const failure = await requestsOf(server, 3).catch(String);
      expect(failure).to.match(/the server answered 40[13]|499: Token Required|a page to log in/);
      expect(server.requests.filter(({ query }) => query.has('objectIds'))).to.have.length(1);
    });
});

describe('an import that waits for a server', function () {
  this.timeout(60_000);

  it('says so in a line for each wait of more than five seconds, on a terminal or not', async () => {
    for (const isTerminal of [false, true]) {
      using folder = temporaryFolder();
      await using server = await started(3);
      server.faults = () => 'status 500';
      const source = { kind: 'arcgis', service: SERVICE, names: ['Areas'], layerIdHint: 15, confirmed: null } as const;
      const layersDir = writeDefinitions(join(folder.path, 'layers'), {
        areas: definitionOf({ geometry: 'polygon', fields: {}, sources: [source] }),
      });
      const output = capturedOutput(isTerminal);
      const slow = { attempts: 2, firstMs: 7000, mostMs: 7000 };
      await loadLayers({ dataDir: join(folder.path, 'data'), layersDir }, { server: server.url, retry: slow }, output);
      expect(output.text()).to.match(/the server (answered|reports) 500.*: attempt 1 of 2, next in \d s\n/);
    }
  });

  it('says that it is still waiting when nothing else was said', async () => {
    const output = capturedOutput();
    const display = new ProgressDisplay(output);
    {
      const reminder = display.remind((seconds) => `nothing for ${seconds} s`, 50);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      reminder[Symbol.dispose]();
    }
    expect(output.text()).to.match(/nothing for 0 s\n/);
    const before = output.text();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(output.text()).to.equal(before);
  });
});
