import { expect } from 'chai';
import { once } from 'node:events';
import { copyFileSync, cpSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { issueKey } from '../../src/core/keys/keys.ts';
import { openKeyStore } from '../../src/core/keys/open-key-store.ts';
import { loadLayers } from '../../src/import/load-layers.ts';
import { projectDir } from '../../src/project/project.ts';
import { readConfig } from '../../src/config.ts';
import type { LayerDescription } from '../../src/messages/wire/layers.ts';
import { createServiceLogger } from '../../src/core/settings/logger.ts';
import { startHere } from '../support/drivers/start-here.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { sampleDataDir } from '../support/material/sample-data.ts';
import { geoJson, polygon, square, writeSources } from '../support/material/sources.ts';
import { layerKeys } from '../support/material/layer-keys.ts';

interface Example {
  /** File name of the definition, which is the whole of a new layer. */
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** What it answers in the middle of Sampleton. */
  readonly value: unknown;
  /** Where it stands for a reader. */
  readonly concern: string;
  /** What the contract says of it. */
  readonly documented: readonly string[];
}

const examples: readonly Example[] = [
  {
    ...{ id: 'quiet_zone', key: 'quietZone', title: 'Quiet zone', attributes: { RATING: 'Q2' }, value: 'quiet' },
    concern: 'nearby',
    documented: ['"quietZone"', '"very_quiet"'],
  },
  {
    ...{ id: 'regulated_land', key: 'regulatedLand', title: 'Regulated area of a conservation authority' },
    ...{
      attributes: { SOURCE: 'An authority' },
      value: true,
      concern: 'restriction',
      documented: ['"regulatedLand"', 'True is no flood'],
    },
  },
];

describe('a layer that is added', function () {
  this.timeout(240_000);

  for (const example of examples)
    it(`needs one JSON file, such as ${example.id}: it is imported, answered, listed and documented`, () =>
      add(example));
});

async function add({ id, key, title, attributes, value, concern, documented }: Example): Promise<void> {
  using folder = temporaryFolder();
  const layersDir = join(folder.path, 'layers');
  cpSync(join(projectDir, 'layers'), layersDir, { recursive: true });
  copyFileSync(join(projectDir, 'docs', 'examples', `${id}.json`), join(layersDir, `${id}.json`));
  cpSync(sampleDataDir(), join(folder.path, 'data'), { recursive: true, verbatimSymlinks: true });
  const environment = { DATA_DIR: join(folder.path, 'data'), PORT: '0', ADMIN_PORT: '0', WORKER_THREADS: '1' };
  const config = { ...readConfig({ ...environment, LOOKUP_DEADLINE_MS: '120000' }), layersDir };
  const output = capturedOutput();
  const from = writeSources(
    join(folder.path, 'from'),
    { sample: true, [id]: { file: 'zones.geojson', asOf: '2026-02-03' } },
    { 'zones.geojson': geoJson([polygon([square(-79, 43.5, 1)], attributes)]) },
  );
  expect(await loadLayers(config, { from }, output), output.text()).to.equal(0);

  const logger = createServiceLogger('info', new PassThrough().resume());
  await using service = await startHere(config, { logger });
  const answer = await lookup(service.url, await keyOf(config));
  expect(Object.keys(answer.layers)).to.deep.equal([...layerKeys, key]);
  expect(answer.layers[key]).to.deep.equal(value);
  expect(answer.layers, 'regulated is not flooded').to.include({ floodProximity: 'outside' });
  expect(answer.dataAsOf).to.include({ [id]: '2026-02-03' });

  const listed = await read<{ layers: LayerDescription[] }>(`${service.url}/api/layers`);
  const { reader, french } = listed.layers.find((layer) => layer.key === key)!;
  expect(reader).to.include({ concern });
  expect(french?.title).to.be.a('string');
  expect(listed.layers.find((layer) => layer.key === key)).to.deep.include({ title });
  const contract = JSON.stringify(await read<object>(`${service.url}/openapi.json`));
  for (const words of documented) expect(contract).to.include(words);
}

async function keyOf(config: Parameters<typeof openKeyStore>[0]): Promise<string> {
  await using store = await openKeyStore(config);
  return (await issueKey(store, { name: 'test', limitPerHour: 1000, expiresAt: null })).key;
}

interface Answer {
  readonly layers: Readonly<Record<string, unknown>>;
  readonly dataAsOf: Readonly<Record<string, string>>;
}

function lookup(url: string, key: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  return send(request(`${url}/api/lookup`, { method: 'POST', headers }), '{"address":"12 Main St W, Sampleton, ON"}');
}

function read<T>(url: string): Promise<T> {
  return send(request(url), '');
}

/** Past `fetch`, which the tests hold against the contract of the project's own layers. */
async function send<T>(asked: ClientRequest, body: string): Promise<T> {
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  expect(response.statusCode, text).to.equal(200);
  return JSON.parse(text) as T;
}
