/** The map as something to check: where is this, what was found, what is not known there. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { COUNTRY, drawAgain, lookupsOf, search, WITH_FINE_MAP, withPage, switchLanguage } from './visits.ts';

const TOWN = '12 Main St W, Sampleton, ON';
const SHORE = '4 Wharf Lane, Maple Sample, ON';

describe('The map of an answer', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** A page with a map, whose window each test sets, and one with the first picture alone. */
  let withMap: Visit, plain: Visit;
  before(async () => {
    withMap = await open(WITH_FINE_MAP);
    plain = await open();
  });

  const switchedOn = (page: Page): Promise<string[]> =>
    page.locator('.switch input:checked').evaluateAll((boxes) => boxes.map((box) => box.getAttribute('data-set')!));

  it('shows the findings, and the rest when it is switched on', async () => {
    const { page } = plain;
    await search(page, SHORE, service().key);
    const on = await switchedOn(page);
    expect(on).to.include.members(['flood_hazard', 'ohn_waterbody']);
    const rows = await page
      .locator('#findings .row.found')
      .evaluateAll((found) => found.flatMap((row) => (row as HTMLElement).dataset['sets']!.split(' ')));
    for (const dataSet of on) expect(rows).to.include(dataSet);
    expect(await page.locator('.switch input:not(:checked)').count()).to.be.above(3);
  });

  it('has house numbers and street names without another map, with one lookup', async () => {
    const { page } = withMap;
    const asked = lookupsOf(page);
    await drawAgain(page, () => search(page, TOWN, service().key));
    expect(asked).to.have.length(1);
    const { width, height } = (await page.locator('#map').boundingBox())!;
    const place = { x: width / 2, y: height / 2 };
    const ink = await inkAround(page, place);
    await page.route('**/api/lookup?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { geometry: { addresses?: unknown } };
      delete body.geometry.addresses;
      await route.fulfill({ response, json: body });
    });
    await drawAgain(page, () => search(page, TOWN, service().key));
    await drawAgain(page, () => page.click('#ask-anew'));
    expect(ink).to.be.above(await inkAround(page, place));
    await page.unroute('**/api/lookup?*');
  });

  it('stripes the ground where the data of hazards do not reach, and says so', async () => {
    const { page } = plain;
    await search(page, COUNTRY, service().key);
    expect(await page.textContent('#legend-hatch')).to.match(
      /^Striped: .*nothing is known there \(Mapped flood hazard\)/,
    );
    await switchLanguage(page);
    await page.getByText(/^Hachures/).waitFor();
    await search(page, TOWN, service().key);
    expect(await page.locator('#legend-hatch').count()).to.equal(0);
  });

  it('ends with the answers, also where they are fewer than its legend', async () => {
    const { page } = withMap;
    await page.setViewportSize({ width: 1440, height: 900 });
    await drawAgain(page, () => search(page, COUNTRY, service().key));
    await page.click('#draw-start');
    const overlap = await page.evaluate(() => {
      const edge = (selector: string): DOMRect => document.querySelector(selector)!.getBoundingClientRect();
      scrollBy({ top: edge('.map-panel').top + 80, behavior: 'instant' });
      return edge('.map-panel').bottom - edge('.sources').top;
    });
    expect(overlap).to.be.below(1);
  });

  it('leads to the end of its legend on a low window', async () => {
    const { page } = withMap;
    await page.setViewportSize({ width: 1200, height: 600 });
    await drawAgain(page, () => search(page, SHORE, service().key));
    const last = page.locator('.switch').last();
    // Where the panel stays while the answers are read, far from their end.
    await page.evaluate(() => {
      const { top } = document.querySelector('.map-panel')!.getBoundingClientRect();
      scrollBy({ top, behavior: 'instant' });
    });
    await page.locator('.map-panel').evaluate((panel) => {
      panel.scrollTo(0, panel.scrollHeight);
    });
    const { y, height } = (await last.boundingBox())!;
    expect(y + height).to.be.below(600);
  });

  it('is drawn again on the way back in the history', async () => {
    const { page } = withMap;
    await drawAgain(page, () => page.goBack());
    expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
    expect(await page.getAttribute('#map canvas', 'aria-label')).to.contain('1209 Concession 4');
  });
});

/** How many dark pixels are around a place of the map. */
function inkAround(page: Page, { x, y }: { readonly x: number; readonly y: number }): Promise<number> {
  return page.evaluate(
    ([left, top]) => {
      const map = document.querySelector('#map canvas') as HTMLCanvasElement;
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: 200, height: 160 });
      const context = copy.getContext('2d')!;
      const scale = map.width / map.clientWidth;
      context.drawImage(map, left! * scale - 100, top! * scale - 80, 200, 160, 0, 0, 200, 160);
      const { data } = context.getImageData(0, 0, 200, 160);
      let ink = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! + data[i + 1]! + data[i + 2]! < 300) ink++;
      return ink;
    },
    [x, y],
  );
}
