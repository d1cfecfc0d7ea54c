// Measure how long a person waits for an answer and its map on a synthetic province (SCALE, PROVINCE_DIR)
/**
 * How long a person waits after Enter, for the answer and for its map: `make bench NAME=waits SCALE=1`. Twenty visits to the page of a server on the synthetic
 * province, each with another address. PROVINCE_DIR keeps the province for further runs.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SnapshotManifest } from '../../src/shared/contract/manifest.ts';
import { landFile } from '../../workers/geopackage/land-file.ts';
import { mapDrawn, search } from './visits.ts';
import { watchWaits, type Waits } from './waits.ts';
import { openBrowser, visit } from '../support/drivers/browser.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { issueKeys } from '../support/material/served-sample.ts';
import { compiledService, ServiceProcess } from '../support/drivers/service-process.ts';
import { percentiles } from '../bench/parts/percentiles.ts';
import { benchAddresses } from '../bench/parts/province/addresses.ts';
import { provinceFolder, provinceIn } from '../bench/parts/province/snapshot.ts';

const VISITS = 20;
/** An address takes a person longer; the page gets its map ready meanwhile. */
const TYPING_MS = 2000;

using province = provinceFolder();
await provinceIn(province.path, Number(process.env['SCALE'] ?? 0.1));
using data = temporaryFolder();
await serveProvince(province.path, data.path);
const [key] = (await issueKeys({ dataDir: data.path }, { count: 1 })) as [string];
await using service = await ServiceProcess.start(data.path, {}, { program: compiledService, dropsRequests: true });
const browser = await openBrowser();
const waits: Waits[] = [];
for (const address of benchAddresses()) {
  if (waits.length === VISITS) break;
  await using opened = await visit(browser, { url: service.url });
  const { page } = opened;
  await page.waitForSelector('html[data-ready]');
  const told = await watchWaits(page);
  await page.waitForTimeout(TYPING_MS);
  await search(page, address, key, '#result:not([hidden]), #problem:not([hidden])');
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

/** Makes a data folder whose snapshot in service is the province. A server wants the checksum that a benchmark does without. */
async function serveProvince(folder: string, dataDir: string): Promise<void> {
  const current = join(dataDir, 'current');
  await mkdir(current);
  symlinkSync(landFile(folder), landFile(current));
  const hash = createHash('sha256');
  await pipeline(createReadStream(landFile(folder)), hash);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as SnapshotManifest;
  const checksum = { file: 'land.gpkg', sha256: hash.digest('hex'), bytes: statSync(landFile(folder)).size } as const;
  writeFileSync(join(current, 'manifest.json'), JSON.stringify({ ...manifest, checksum }));
}
