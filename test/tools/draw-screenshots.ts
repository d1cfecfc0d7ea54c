/** `npm run draw-screenshots` writes the pictures of the page in `docs/images/`, from the service on its bundled sample. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, visit, type VisitOptions } from '../support/drivers/browser.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { startSampleService } from '../support/drivers/sample-service.ts';

const folder = join(projectDir, 'docs', 'images');

/** Of 100: letters stay sharp, and the lines of maps too. */
const QUALITY = 45;
const PAPER_DPI = 80;

/** Given the key, brings the page to what the picture shows. */
type Act = (page: Page, key: string) => Promise<unknown>;

interface Picture extends Omit<VisitOptions, 'url'> {
  readonly name: string;
  readonly act: Act;
  readonly isDark?: boolean;
  readonly isPrinted?: boolean;
}

const DESKTOP = { width: 1440, height: 900 } as const;
const PHONE = { width: 390, height: 844 } as const;
const MARSH = '13 Marsh Rd, Fiddlehead Corners, ON';
const WHARF = '4 Wharf Lane, Maple Sample, ON';
const NORTH = '14 rue Principale, Petit-Échantillon, ON';

const pictures: readonly Picture[] = [
  { name: 'found', act: ask(MARSH), ...DESKTOP },
  { name: 'found-phone', act: ask(MARSH), ...PHONE },
  { name: 'flood-and-lake', act: ask(WHARF), ...DESKTOP },
  { name: 'flood-and-lake-dark', act: ask(WHARF), ...DESKTOP, isDark: true },
  { name: 'flood-and-lake-phone', act: ask(WHARF), ...PHONE },
  { name: 'map-phone', act: atTheMap(WHARF), ...PHONE },
  { name: 'railway', act: ask('31 Main St E, Sampleton, ON'), ...DESKTOP },
  { name: 'town', act: ask('12 Main St W, Sampleton, ON'), ...DESKTOP },
  { name: 'station', act: ask('4 Station St, Sampleton, ON'), ...DESKTOP },
  { name: 'landfill', act: ask('100 Landfill Rd, Sampleton, ON'), ...DESKTOP },
  { name: 'edge-of-data', act: ask('44.05, -78.652'), ...DESKTOP },
  { name: 'french', act: ask(NORTH), ...DESKTOP, locale: 'fr-CA' },
  { name: 'french-phone', act: ask(NORTH), ...PHONE, locale: 'fr-CA' },
  { name: 'little-known', act: ask('50.5, -85.5'), ...DESKTOP },
  { name: 'uncertain', act: ask('1209 Concession 4, Fiddlehead Corners, ON'), ...DESKTOP },
  { name: 'not-found', act: ask('999 Concession 4, Fiddlehead Corners, ON'), ...DESKTOP },
  { name: 'no-key', act: () => Promise.resolve(), ...DESKTOP },
  { name: 'no-key-phone', act: () => Promise.resolve(), ...PHONE },
  { name: 'parcel', act: askParcel, ...DESKTOP },
  { name: 'three-parcels', act: chooseThreeParcels, ...DESKTOP },
  { name: 'batch', act: askBatch, ...DESKTOP },
  { name: 'batch-phone', act: askBatch, ...PHONE },
  { name: 'print', act: ask(WHARF), isPrinted: true },
];

/** The map, or a refusal. */
const shown = (page: Page) => page.waitForSelector('#map[data-ready], #problem:not([hidden])', { timeout: 60_000 });

function ask(address: string): Act {
  return async (page, key) => {
    await page.fill('#key', key);
    await page.fill('#address', address);
    await page.press('#address', 'Enter');
    await shown(page);
  };
}

function atTheMap(address: string): Act {
  return async (page, key) => {
    await ask(address)(page, key);
    await scrollTo(page, '.map-panel');
  };
}

const scrollTo = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`document.querySelector('${selector}').scrollIntoView({ behavior: 'instant' })`);

/** A rectangle so many degrees wide and high, around a place of the sample. */
function rectangle(lon: number, lat: number, size: number): object {
  const [west, south, east, north] = [lon - size, lat - size, lon + size, lat + size];
  const ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]; // prettier-ignore
  return { type: 'Polygon', coordinates: [ring] };
}

async function askParcel(page: Page, key: string): Promise<void> {
  await page.fill('#key', key);
  await page.click('#open-parcel');
  await page.fill('#parcel-text', JSON.stringify(rectangle(-79.3, 44.31, 0.02)));
  await page.click('#parcel-ask');
  await shown(page);
}

async function chooseThreeParcels(page: Page, key: string): Promise<void> {
  await page.fill('#key', key);
  await page.click('#open-parcel');
  const features = [0, 0.004, 0.008].map((east, i) => ({
    type: 'Feature',
    properties: { PIN: `03600-012${i}` },
    geometry: rectangle(-79.32 + east, 44.3, 0.0015),
  }));
  await chooseFile(page, '#parcel-file', {
    name: 'lots.geojson',
    text: JSON.stringify({ type: 'FeatureCollection', features }),
  });
  await shown(page);
}

/** Forty places, as a planner has them. */
async function askBatch(page: Page, key: string): Promise<void> {
  await page.fill('#key', key);
  await page.click('#open-batch');
  const places = [WHARF, MARSH, NORTH, '12 Main St W, Sampleton, ON'].map((place) => place.split(', '));
  const rows = Array.from({ length: 40 }, (_, i) =>
    [`D-${100 + i}`, ...places[i % places.length]!.slice(0, 2)].join(','),
  );
  await chooseFile(page, '#batch-file', {
    name: 'list.csv',
    text: ['File No.,Street Address,Town', ...rows].join('\n'),
  });
  await page.click('#batch-send');
  await page.waitForSelector('#batch-results:not([hidden])');
  await shown(page);
  await scrollTo(page, '#batch-counts');
}

const chooseFile = (page: Page, field: string, { name, text }: { readonly name: string; readonly text: string }) =>
  page.setInputFiles(field, { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });

async function drawScreenshots(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) rmSync(join(folder, old));
  await using service = await startSampleService();
  const browser = await openBrowser();
  for (const { name, act, isDark = false, isPrinted = false, ...options } of pictures) {
    await using opened = await visit(browser, { url: service.url, ...options });
    const { page } = opened;
    if (isDark) await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html[data-ready]');
    await act(page, service.key);
    await page.waitForTimeout(500);
    if (isPrinted) await drawPages(browser, await page.pdf({ preferCSSPageSize: true }), name);
    else await save(page, name);
  }
  await browser.close();
}

/** What the window shows, in the format that takes the fewest bytes. */
async function save(page: Page, name: string): Promise<void> {
  const wire = await page.context().newCDPSession(page);
  const { data } = await wire.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** A picture of each page: `print-1`, `print-2`. */
async function drawPages(browser: Browser, pdf: Buffer, name: string): Promise<void> {
  using scratch = temporaryFolder();
  const report = join(scratch.path, 'report.pdf');
  writeFileSync(report, pdf);
  execFileSync('pdftoppm', ['-r', String(PAPER_DPI), '-png', report, join(scratch.path, name)]);
  for (const file of readdirSync(scratch.path).filter((one) => one.endsWith('.png'))) {
    const png = readFileSync(join(scratch.path, file));
    // Where a PNG has its width and height.
    const page = await browser.newPage({ viewport: { width: png.readUInt32BE(16), height: png.readUInt32BE(20) } });
    await page.setContent(`<body style="margin: 0"><img src="data:image/png;base64,${png.toString('base64')}">`);
    await save(page, file.replace('.png', ''));
    await page.close();
  }
}

void drawScreenshots();
