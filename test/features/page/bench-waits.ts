// Measure how long a person waits for an answer and its map on the sample, or on a synthetic province (SCALE, PROVINCE_DIR)
/**
 * How long a person waits after Enter, for the answer and for its map: `make bench NAME=waits`, on the bundled sample, or with SCALE=1 on the synthetic province.
 * Twenty visits to the page of a server, each with another address as far as there are so many. PROVINCE_DIR keeps the province for further runs.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import { landFile } from '../../../workers/geopackage/land-file.ts';
import { mapDrawn, search } from './visits.ts';
import { watchWaits, type Waits } from './waits.ts';
import { openBrowser, visit } from '../../support/drivers/browser.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { sampleAddresses } from '../../support/material/sample-addresses.ts';
import { issueKeys } from '../../support/material/served-sample.ts';
import { startSampleService } from '../../support/drivers/sample-service.ts';
import { compiledService, ServiceProcess } from '../../support/drivers/service-process.ts';
import { percentiles } from '../../bench/parts/percentiles.ts';
import { benchAddresses } from '../../bench/parts/province/addresses.ts';
import { provinceFolder, provinceIn } from '../../bench/parts/province/snapshot.ts';

const VISITS = 20;
/** An address takes a person longer; the page gets its map ready meanwhile. */
const TYPING_MS = 2000;

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly addresses: Iterable<string>;
}

const scale = process.env['SCALE'];
await using served = await (scale === undefined ? serveSample() : serveProvince(Number(scale)));
const browser = await openBrowser();
const waits: Waits[] = [];
for (const address of served.addresses) {
  if (waits.length === VISITS) break;
  await using opened = await visit(browser, { url: served.url, isNew: true });
  const { page } = opened;
  await page.waitForSelector('html[data-ready]');
  const told = await watchWaits(page);
  await page.waitForTimeout(TYPING_MS);
  await search(page, address, served.key, '#result:not([hidden]), #problem:not([hidden])');
  if (await page.isHidden('#result')) continue;
  await mapDrawn(page);
  waits.push(await told());
}
await browser.close();
console.table({
  answer: percentiles(waits.map(({ answerMs }) => answerMs)),
  'first picture': percentiles(waits.map(({ pictureMs }) => pictureMs)),
  map: percentiles(waits.map(({ mapMs }) => mapMs)),
});

async function serveSample(): Promise<Served> {
  const service = await startSampleService();
  const addresses = sampleAddresses();
  return {
    url: service.url,
    key: service.key,
    addresses: [...addresses, ...addresses],
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function serveProvince(scale: number): Promise<Served> {
  const opened = new AsyncDisposableStack();
  const province = opened.use(provinceFolder());
  await provinceIn(province.path, scale);
  const data = opened.use(temporaryFolder());
  await putIntoService(province.path, data.path);
  const [key] = (await issueKeys({ dataDir: data.path }, { count: 1 })) as [string];
  const how = { program: compiledService, dropsRequests: true };
  const service = opened.use(await ServiceProcess.start(data.path, {}, how));
  return { url: service.url, key, addresses: benchAddresses(), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Makes a data folder whose snapshot in service is the province. A server wants the checksum that a benchmark does without. */
async function putIntoService(folder: string, dataDir: string): Promise<void> {
  const current = join(dataDir, 'current');
  await mkdir(current);
  symlinkSync(landFile(folder), landFile(current));
  const hash = createHash('sha256');
  await pipeline(createReadStream(landFile(folder)), hash);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as SnapshotManifest;
  const checksum = { file: 'land.gpkg', sha256: hash.digest('hex'), bytes: statSync(landFile(folder)).size } as const;
  writeFileSync(join(current, 'manifest.json'), JSON.stringify({ ...manifest, checksum }));
}
