/** The first picture of the map stands at once, and shows what the map will show. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { given } from '../../support/drivers/given.ts';
import { mapDrawn, search, WITH_FINE_MAP, withPage } from './visits.ts';

const SHORE = '4 Wharf Lane, Maple Sample, ON';
const LIBRARY = /\/maplibre-gl\.mjs$/;

given('maps').describe('The first picture of the map', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  it('is there before the library of the map, and lies as the map does', async () => {
    await using opened = await open(WITH_FINE_MAP);
    const { page } = opened;
    await withoutNames(page);
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route(LIBRARY, async (route) => {
      await isReleased;
      await route.continue();
    });
    await search(page, SHORE, service().key);
    await page.waitForSelector('#first-picture:not([hidden])');
    const first = await pixels(page, '#first-picture');
    release();
    await mapDrawn(page);
    await page.waitForSelector('#first-picture', { state: 'hidden' });
    const map = await pixels(page, '#map canvas');
    const differing = shareThatDiffers(first, map, 0);
    expect(differing).to.be.below(0.01);
    for (const shiftPx of [-3, 3]) expect(shareThatDiffers(first, map, shiftPx)).to.be.above(2 * differing);
  });

  it('is what a browser without WebGL shows, on the page and in print', async () => {
    await using opened = await open();
    const { page } = opened;
    await search(page, SHORE, service().key);
    await page.getByText('This map cannot be moved').waitFor();
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(loaded.filter((url) => LIBRARY.test(url))).to.deep.equal([]);
    expect(await page.isVisible('#first-picture')).to.equal(true);
    expect(await page.getAttribute('#first-picture', 'aria-label')).to.contain('4 Wharf Lane');
    const near = await pixels(page, '#first-picture');
    await page.click('#map-views button:last-child');
    const far = await pixels(page, '#first-picture');
    expect(shareThatDiffers(near, far, 0), 'a kilometre').to.be.above(0.02);
    await page.hover('[data-key=floodProximity] h4');
    expect(shareThatDiffers(far, await pixels(page, '#first-picture'), 0), 'what is pointed at').to.be.above(0);
    await page.evaluate(() => (window.print = () => undefined));
    await page.click('#print');
    await page.waitForSelector('#map-print:not([hidden])', { state: 'attached' });
    const width = await page.$eval('#map-print', (image) => (image as HTMLImageElement).naturalWidth);
    expect(width).to.be.above(100);
  });
});

interface Pixels {
  readonly width: number;
  readonly data: Buffer;
}

/** Texts are drawn by the map alone. */
async function withoutNames(page: Page): Promise<void> {
  await page.route('**/api/lookup?*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { geometry: { addresses?: unknown } };
    delete body.geometry.addresses;
    await route.fulfill({ response, json: body });
  });
}

async function pixels(page: Page, selector: string): Promise<Pixels> {
  const { width, text } = await page.$eval(selector, async (element) => {
    const canvas = element as HTMLCanvasElement;
    const copy = document.createElement('canvas');
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d')!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const reader = new FileReader();
    const isRead = new Promise((resolve) => (reader.onload = resolve));
    // A list of two million numbers takes seconds on its way.
    reader.readAsDataURL(new Blob([data]));
    await isRead;
    return { width: canvas.width, text: reader.result as string };
  });
  return { width, data: Buffer.from(text.slice(text.indexOf(',') + 1), 'base64') };
}

/** Share of the pixels that have clearly other colours in the second picture, moved so far to the right. */
function shareThatDiffers(first: Pixels, second: Pixels, shiftPx: number): number {
  expect([first.width, first.data.length]).to.deep.equal([second.width, second.data.length]);
  const count = first.data.length / 4;
  let differing = 0;
  for (let pixel = 0; pixel < count; pixel++) {
    const other = pixel + shiftPx;
    if (other < 0 || other >= count) continue;
    const differs = [0, 1, 2].some(
      (part) => Math.abs(first.data[4 * pixel + part]! - second.data[4 * other + part]!) > 40,
    );
    if (differs) differing++;
  }
  return differing / count;
}
