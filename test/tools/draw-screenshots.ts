/** `npm run draw-screenshots` writes the pictures of the page in `docs/images/`, from the service on its bundled sample. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/project/project.ts';
import type { Browser } from 'playwright-core';
import { openBrowser, visit, type VisitOptions } from '../support/drivers/browser.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { startSampleService, type SampleService } from '../support/drivers/sample-service.ts';

const folder = join(projectDir, 'docs', 'images');

interface Picture extends Omit<VisitOptions, 'url'> {
  readonly name: string;
  readonly address: string;
  readonly kind?: 'print';
}

const pictures: readonly Picture[] = [
  { name: 'found', address: '13 Marsh Rd, Fiddlehead Corners, ON', height: 1000 },
  { name: 'refused', address: '999 Concession 4, Fiddlehead Corners, ON', height: 520 },
  { name: 'phone', address: '4 Wharf Lane, Maple Sample, ON', width: 360, height: 780 },
  { name: 'french', address: '14 rue Principale, Petit-Échantillon, ON', height: 1000, locale: 'fr-CA' },
  { name: 'print', address: '1209 Concession 4, Fiddlehead Corners, ON', kind: 'print' },
];

/** The first screens of ten places, on a desktop and on a phone, in few bytes. */
const firstScreens: readonly (Omit<Picture, 'kind' | 'address'> & {
  readonly address: string | null;
  readonly parcel?: string;
})[] = [
  { name: 'railway', address: '31 Main St E, Sampleton, ON' },
  { name: 'flood-and-lake', address: '4 Wharf Lane, Maple Sample, ON' },
  { name: 'greenbelt', address: '13 Marsh Rd, Fiddlehead Corners, ON' },
  { name: 'town', address: '12 Main St W, Sampleton, ON' },
  { name: 'north', address: '14 rue Principale, Petit-Échantillon, ON', locale: 'fr-CA' },
  { name: 'little-known', address: '50.5, -85.5' },
  {
    name: 'parcel',
    address: null,
    parcel:
      '{"type":"Polygon","coordinates":[[[-79.33,44.29],[-79.27,44.29],[-79.27,44.33],[-79.33,44.33],[-79.33,44.29]]]}',
  },
  { name: 'uncertain', address: '1209 Concession 4, Fiddlehead Corners, ON' },
  { name: 'not-found', address: '999 Concession 4, Fiddlehead Corners, ON' },
  { name: 'no-key', address: null },
];
const windows = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

async function drawFirstScreens(service: SampleService, browser: Browser): Promise<void> {
  for (const { name, address, parcel, ...options } of firstScreens)
    for (const [window, size] of Object.entries(windows)) {
      await using opened = await visit(browser, { url: service.url, ...options, ...size });
      const { page } = opened;
      await page.waitForSelector('html[data-ready]');
      if (name !== 'no-key') await page.fill('#key', service.key);
      if (address !== null) {
        await page.fill('#address', address);
        await page.press('#address', 'Enter');
      } else if (parcel !== undefined) {
        await page.click('#open-parcel');
        await page.fill('#parcel-text', parcel);
        await page.click('#parcel-ask');
      }
      if (name !== 'no-key')
        await page.waitForSelector('#map[data-ready], #problem:not([hidden])', { timeout: 60_000 });
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(folder, `first-${name}-${window}.jpg`), type: 'jpeg', quality: 30 });
    }
}

async function drawScreenshots(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await using service = await startSampleService();
  const browser = await openBrowser();
  for (const { name, address, kind, ...options } of pictures) {
    await using opened = await visit(browser, { url: service.url, ...options });
    const { page } = opened;
    await page.waitForSelector('html[data-ready]');
    await page.fill('#key', service.key);
    await page.fill('#address', address);
    await page.press('#address', 'Enter');
    await page.waitForSelector('#map[data-ready], #problem:not([hidden])', { timeout: 60_000 });
    await page.waitForTimeout(500);
    if (kind === 'print') drawPages(await page.pdf({ preferCSSPageSize: true }), join(folder, name));
    else await page.screenshot({ path: join(folder, `${name}.png`) });
  }
  await drawFirstScreens(service, browser);
  await browser.close();
}

/** A picture of each page: `print-1.png`, `print-2.png`. */
function drawPages(pdf: Buffer, prefix: string): void {
  using scratch = temporaryFolder();
  const report = join(scratch.path, 'report.pdf');
  writeFileSync(report, pdf);
  execFileSync('pdftoppm', ['-r', '80', '-png', report, prefix]);
}

void drawScreenshots();
