/** The map as something to check: where is this, what was found, what is not known there. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit } from '../../support/drivers/browser.ts';
import { given } from '../../support/drivers/given.ts';
import {
  changeMap,
  COUNTRY,
  drawAgain,
  lookupsOf,
  mapDrawn,
  search,
  switchLanguage,
  WITH_CLEAR_MAP,
  withPage,
} from './visits.ts';

const TOWN = '12 Main St W, Sampleton, ON';
const TOWN_IN_FULL = '12 Main Street West, Sampleton, ON';
const SHORE = '4 Wharf Lane, Maple Sample, ON';
/** The sample has floods from 78.65 degrees west on. */
const COVERAGE_EDGE = '44.05, -78.652';

given('maps').describe('The map of an answer', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** A page with a map, on which each test goes on from the one before, and one with the first picture alone. */
  let withMap: Visit, plain: Visit;
  before(async () => {
    withMap = await open(WITH_CLEAR_MAP);
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
    for (const [layer, dataSet, entry] of [
      ['floodProximity', 'flood_hazard', 1],
      ['lakeshoreProximity', 'ohn_waterbody', 2],
    ] as const) {
      const card = await lookOf(page, `#findings [data-key=${layer}] > .mark`);
      for (const mark of [`.switch:has([data-set=${dataSet}]) .mark`, `.legend-key li:nth-child(${entry}) .mark`])
        expect(await lookOf(page, mark), mark).to.equal(card);
    }
    expect(await page.locator('.switch input:not(:checked)').count()).to.be.above(3);
  });

  it('says what its stripes are where the data of hazards reach a part of it, and has none where a card says that they reach none', async () => {
    const { page } = plain;
    await search(page, COVERAGE_EDGE, service().key);
    expect(await page.textContent('#legend-hatch')).to.match(
      /^Striped: .*nothing is known there \(Mapped flood hazard\)/,
    );
    await switchLanguage(page);
    await page.getByText(/^Hachures/).waitFor();
    expect(await page.getAttribute('#map-views', 'aria-label')).to.equal('Étendue autour du lieu');
    expect(await page.locator('#map-views button').allTextContents()).to.deep.equal(['250\u00a0m', '1\u00a0km']);
    await search(page, COUNTRY, service().key);
    expect(await page.locator('#findings .row.unknown.hazard').count()).to.equal(1);
    expect(await page.locator('#legend-hatch').count()).to.equal(0);
  });

  it('has the water, railways and boundaries of the answer beneath without a base map, whatever is switched on, and changes with what is', async () => {
    const { page, complaints } = withMap;
    await search(page, COUNTRY, service().key);
    await mapDrawn(page);
    expect(await page.locator('.maplibregl-ctrl-scale').textContent()).to.match(/m$/);
    expect(complaints).to.deep.equal([]);
    await changeMap(page, () => page.click('#map-views button:last-child'));
    const switched = page.locator('.legend input:checked');
    await changeMap(page, async () => {
      while ((await switched.count()) > 0) await switched.first().uncheck();
    });
    expect(await drawnOnPaper(page)).to.be.greaterThan(200);
    await changeMap(page, () => page.locator('[data-set=soil_survey_complex]').check());
  });

  it('ends with the answers, also where they are fewer than its legend', async () => {
    const { page } = withMap;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.click('#draw-start');
    const overlap = await page.evaluate(() => {
      const edge = (selector: string): DOMRect => document.querySelector(selector)!.getBoundingClientRect();
      scrollBy({ top: edge('.map-panel').top + 80, behavior: 'instant' });
      return edge('.map-panel').bottom - edge('.sources').top;
    });
    expect(overlap).to.be.below(1);
    await page.click('#draw-cancel');
  });

  it('has house numbers and street names without another map, with one lookup', async () => {
    const { page } = withMap;
    const asked = lookupsOf(page);
    await drawAgain(page, () => search(page, TOWN, service().key));
    expect(asked).to.have.length(1);
    const resolved = await page.textContent('#resolved');
    const { width, height } = (await page.locator('#map').boundingBox())!;
    const place = { x: width / 2, y: height / 2 };
    const ink = await inkAround(page, place);
    await page.route('**/api/lookup?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { geometry: { addresses?: unknown } };
      delete body.geometry.addresses;
      await route.fulfill({ response, json: body });
    });
    // Another question, of which no answer is kept.
    await drawAgain(page, () => search(page, TOWN_IN_FULL, service().key));
    expect(await page.textContent('#resolved')).to.equal(resolved);
    expect(ink).to.be.above(await inkAround(page, place));
    await page.unroute('**/api/lookup?*');
  });

  it('ties rows to the map, both ways, and spends nothing', async () => {
    const { page } = withMap;
    await page.setViewportSize({ width: 1440, height: 900 });
    await drawAgain(page, () => search(page, SHORE, service().key));
    const { y, height: tall } = (await page.locator('#findings .row h4').first().boundingBox())!;
    expect(y + tall, 'the hazard is on the first screen').to.be.below(900);
    const asked = lookupsOf(page);
    await changeMap(page, () => page.hover('[data-key=floodProximity] h4'));
    await changeMap(page, () => page.hover('#resolved'));
    const { width, height } = (await page.locator('#map').boundingBox())!;
    await page.hover('#map canvas', { position: { x: width / 2, y: height * 0.7 } });
    await page.waitForSelector('[data-key=lakeshoreProximity].lit');
    expect(asked).to.deep.equal([]);
  });

  it('lets the page scroll over the map', async () => {
    const { page } = withMap;
    await mapDrawn(page);
    await page.hover('#map canvas');
    const before = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction((from) => scrollY > from + 200, before);
  });

  it('begins near the place, goes to a kilometre and back at a button, and says which it shows', async () => {
    const { page } = withMap;
    const scale = (): Promise<string | null> => page.textContent('.maplibregl-ctrl-scale');
    const pressed = (): Promise<string[]> => page.locator('#map-views [aria-pressed=true]').allTextContents();
    const near = await scale();
    expect(await pressed()).to.deep.equal(['250\u00a0m']);
    await page.focus('#map-views button:last-child');
    await changeMap(page, () => page.keyboard.press('Enter'));
    expect(Number.parseInt((await scale())!, 10)).to.be.above(Number.parseInt(near!, 10));
    expect(await pressed()).to.deep.equal(['1\u00a0km']);
    await changeMap(page, () => page.press('#map canvas', 'ArrowRight'));
    expect(await pressed(), 'somebody moved the map').to.deep.equal([]);
    await changeMap(page, () => page.click('#map-views button:first-child'));
    expect([await scale(), await pressed()]).to.deep.equal([near, ['250\u00a0m']]);
  });

  it('leads to the end of its legend on a low window', async () => {
    const { page } = withMap;
    await page.setViewportSize({ width: 1200, height: 600 });
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
    expect(await page.textContent('#resolved')).to.contain('12 Main St W');
    expect(await page.getAttribute('#map canvas', 'aria-label')).to.contain('12 Main St W');
  });

  it('is dark where the browser prefers it, and light on paper all the same', async () => {
    const { page } = withMap;
    const light = await lightest(page, '#map canvas');
    await drawAgain(page, () => page.emulateMedia({ colorScheme: 'dark' }));
    expect(light).to.be.above(700);
    expect(await lightest(page, '#map canvas')).to.be.below(250);
    await page.evaluate(() => (window.print = () => undefined));
    await page.click('#print');
    await page.waitForSelector('#map-print:not([hidden])', { state: 'attached' });
    await page.waitForFunction(() => (document.querySelector('#map-print') as HTMLImageElement).naturalWidth > 0);
    expect(await lightest(page, '#map-print')).to.be.above(700);
  });
});

/** What a mark looks like, whatever its size. */
const lookOf = (page: Page, mark: string): Promise<string> =>
  page.$eval(mark, (element) => {
    const { clipPath, borderRadius, backgroundColor, transform, borderStyle } = getComputedStyle(element);
    return [clipPath, borderRadius, backgroundColor, transform, borderStyle].join(' ');
  });

/** The light of the ground near the upper edge of the map, from 0 to 765. */
function lightest(page: Page, selector: string): Promise<number> {
  return page.$eval(selector, (element) => {
    const picture = element as HTMLCanvasElement | HTMLImageElement;
    const width = 'naturalWidth' in picture ? picture.naturalWidth : picture.width;
    const copy = new OffscreenCanvas(width, 30).getContext('2d')!;
    copy.drawImage(picture, 0, 0);
    const [red = 0, green = 0, blue = 0] = copy.getImageData(width / 2, 20, 1, 1).data;
    return red + green + blue;
  });
}

/** How many pixels of the middle of the map, which is within its disc, are neither its paper nor the mark of the place. */
function drawnOnPaper(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector('#map canvas') as HTMLCanvasElement;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!;
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(canvas.width / 4, canvas.height / 4, canvas.width / 2, canvas.height / 2);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
      const isPaper = red > 250 && green > 248 && blue > 240;
      const isMark = red - blue > 30;
      if (!isPaper && !isMark) count++;
    }
    return count;
  });
}

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
