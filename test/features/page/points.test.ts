import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FullPointLookupBody } from '../../../src/messages/wire/point-lookup.ts';
import type { Visit } from '../../support/drivers/browser.ts';
import { given } from '../../support/drivers/given.ts';
import {
  changeMap,
  COUNTRY,
  drawAgain,
  drawNoMap,
  lookupsOf,
  mapDrawn,
  search,
  violationsOf,
  WITH_MAP,
  withPage,
} from './visits.ts';
import { furtherKeys, layerKeys } from '../../support/material/layer-keys.ts';

describe('The page, from a point', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);
  /** A page whose map is used, and one without a map. */
  let withMap: Visit, plain: Visit;
  before(async () => {
    withMap = await open({ expectedStatus: 404, hasTouch: true, ...WITH_MAP });
    plain = await open({ path: '/?layers=all' });
  });

  /** What the page asks for, and gets, when something is done. */
  async function pointAsked(page: Page, act: () => Promise<void>): Promise<FullPointLookupBody> {
    const response = page.waitForResponse((one) => one.url().includes('/api/lookup/point'));
    await act();
    const body = (await (await response).json()) as FullPointLookupBody;
    await page.getByText(/^The point that was asked for/).waitFor();
    return body;
  }

  /** Marks a point of the map by a click, and asks for it. */
  async function askAt(page: Page, position: { readonly x: number; readonly y: number }): Promise<void> {
    await page.click('#map canvas', { position });
    await page.click('#ask-point');
  }

  it('shows further answers where its address asks for them, and not otherwise', async () => {
    const { page, complaints } = plain;
    await page.waitForSelector('html[data-ready]');
    await search(page, COUNTRY, service().key);
    expect(await page.locator('[data-key]').count()).to.equal(layerKeys.length + furtherKeys.length);
    expect(await page.textContent('#result')).to.contain('Provincially significant wetland');
    expect(await page.textContent('#source-list')).to.contain('Wellhead protection areas');
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
    await search(page, COUNTRY, service().key);
    expect(await page.locator('[data-key]').count()).to.equal(layerKeys.length);
    expect(await page.textContent('#source-list')).not.to.contain('Wellhead protection areas');
    expect(complaints).to.deep.equal([]);
  });

  given('maps').it('offers the point on the map when an address is refused', async () => {
    const { page, complaints } = withMap;
    const refusal = page.waitForResponse('**/api/lookup?*');
    await search(page, '999 Concession 4, Fiddlehead Corners, ON', service().key, '#problem:not([hidden])');
    const { suggestions } = (await (await refusal).json()) as { readonly suggestions: readonly string[] };
    expect(suggestions).not.to.be.empty;
    await page.click('#offer-point');
    await page.waitForSelector('#choose #map[data-ready]');
    const labels = await page.locator('.map-label').allTextContents();
    expect(labels, 'numbers of known addresses to find one’s way by').to.have.members(
      suggestions.map((text) => text.split(' ')[0]),
    );
    expect(await violationsOf(page)).to.deep.equal([]);
    await pointAsked(page, () => askAt(page, { x: 200, y: 150 }));
    await mapDrawn(page);
    expect(await page.isVisible('#choose')).to.equal(false);
    expect(await page.locator('.map-panel #map').count(), 'the map is beside the answer').to.equal(1);
    expect(complaints).to.deep.equal([]);
  });

  given('maps').it('asks for coordinates that are typed, and for the middle of the map by keyboard', async () => {
    const { page } = withMap;
    await drawAgain(page, async () => {
      const typed = await pointAsked(page, () => search(page, '44.3, -79.3174', service().key));
      expect([typed.lat, typed.lon, typed.geocode.uncertaintyM]).to.deep.equal([44.3, -79.3174, 0]);
    });
    await page.focus('#map canvas');
    await changeMap(page, () => page.keyboard.press('ArrowRight'));
    await page.focus('#ask-centre');
    await drawAgain(page, async () => {
      const body = await pointAsked(page, () => page.keyboard.press('Enter'));
      expect(body.lon).to.be.within(-79.3173, -79.29);
      expect(body.lat).to.be.closeTo(44.3, 0.0005);
    });
  });

  given('maps').it(
    'spends nothing on a double click or a double tap, which zoom, nor on an offer that is not taken',
    async () => {
      const { page } = withMap;
      await drawAgain(page, () => search(page, COUNTRY, service().key));
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      const asked = lookupsOf(page);
      const scale = (): Promise<string | null> => page.textContent('.maplibregl-ctrl-scale');
      const before = await scale();
      await page.dblclick('#map canvas');
      await page.waitForFunction(
        (text) => document.querySelector('.maplibregl-ctrl-scale')?.textContent !== text,
        before,
      );
      const { x, y, width, height } = (await page.locator('#map').boundingBox())!;
      const tap = (): Promise<void> => page.touchscreen.tap(x + width / 2, y + height / 3);
      await tap();
      await tap();
      // Longer than the time after which a single click is offered.
      await page.waitForTimeout(1500);
      await tap();
      await page.getByRole('group', { name: 'The marked point' }).getByText('Cancel').click();
      expect(await page.locator('.point-offer').count()).to.equal(0);
      await page.click('#map canvas', { position: { x: width / 2, y: height / 2 } });
      await page.waitForSelector('.point-offer');
      await page.keyboard.press('Escape');
      expect(await page.locator('.point-offer').count()).to.equal(0);
      expect(await page.textContent('#resolved'), 'the answer stays').to.contain('1209 Concession 4');
      expect(asked).to.deep.equal([]);
      await page.emulateMedia({ reducedMotion: 'reduce' });
    },
  );

  given('maps').it(
    'offers the point under a click on the map, asks for it when it is told to, and links to it',
    async () => {
      const { page, complaints } = withMap;
      await drawAgain(page, () => search(page, COUNTRY, service().key));
      const { width, height } = (await page.locator('#map').boundingBox())!;
      const asked = lookupsOf(page);
      await page.click('#map canvas', { position: { x: width * 0.6, y: height / 2 } });
      await page.waitForSelector('#ask-point');
      expect(await page.textContent('.point-offer')).to.match(/44\.\d{5}° N, 79\.\d{5}° W ±\d+\sm.*1 lookup/);
      expect(asked, 'nothing is spent').to.deep.equal([]);
      const body = await pointAsked(page, () => page.click('#ask-point'));
      expect(await page.locator('.point-offer').count()).to.equal(0);
      // The map showed 1 km each way around the address.
      expect(body.geocode.lon - -79.31741).to.be.within(0.0005, 0.01);
      expect(body.geocode.lat - 44.29994).to.be.within(-0.0005, 0.0005);
      expect(body.geocode.uncertaintyM).to.be.within(1, 60);
      await mapDrawn(page);
      expect(await page.textContent('#resolved')).to.match(/^44\.\d{5}° N, 79\.\d{5}° W$/);
      expect(await page.textContent('#certainty')).to.match(
        /within about \d+\sm · (nearest address: |no address within)/,
      );
      expect(await page.locator('[data-key]').count()).to.equal(layerKeys.length);
      expect(await page.textContent('.legend-place')).to.contain('The point');
      expect(complaints).to.deep.equal([]);
      const link = page.url();
      expect(link).to.match(/#point=44\.\d{5},-79\.\d{5},\d+$/);
      // The answer to a point, and the offer of another.
      await page.click('#map canvas', { position: { x: width * 0.6, y: height / 2 } });
      await page.waitForSelector('#ask-point');
      expect(await violationsOf(page)).to.deep.equal([]);

      await drawNoMap(page);
      await page.goto('about:blank');
      await page.goto(link);
      await page.getByText('comes from a link').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('shown again without a lookup').waitFor();
      const again = await pointAsked(page, () => page.click('#ask-anew'));
      expect([again.lat, again.lon, again.geocode.uncertaintyM]).to.deep.equal([
        ...[body.lat, body.lon, body.geocode.uncertaintyM],
      ]);
    },
  );

  it('refuses a point outside Ontario in words', async () => {
    const { page } = plain;
    await search(page, '49.89, -97.14', service().key, '#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('This point is outside Ontario');
    expect(await page.locator('#offer-point, #meant').count()).to.equal(0);
  });

  it('offers the point that was meant by exchanged coordinates', async () => {
    const { page } = plain;
    await search(page, '-79.31741, 44.29994', service().key, '#meant');
    expect(await page.textContent('#problem')).to.contain('latitude and longitude are exchanged');
    expect(await page.textContent('#meant')).to.equal('Did you mean 44.29994, -79.31741?');
    await page.click('#meant');
    await page.waitForSelector('#result:not([hidden])');
    expect(await page.inputValue('#address')).to.equal('44.29994, -79.31741');
  });
});
