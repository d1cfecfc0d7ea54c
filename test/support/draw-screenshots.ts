/** `npm run draw-screenshots` writes the pictures of the page in `docs/images/`, from the service on its bundled sample. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config.ts';
import { openBrowser, visit, type VisitOptions } from './browser.ts';
import { temporaryFolder } from './folder.ts';
import { startSampleService } from './sample-service.ts';

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
