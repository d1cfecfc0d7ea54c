import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit, VisitOptions } from '../support/browser.ts';
import { COUNTRY, mapDrawn, search, violationsOf, withPage } from './visits.ts';

/** An answer as the contract describes it: every kind of layer, and every degree of knowledge. */
const ANSWER = {
  areaM2: 40_469.4,
  lat: 44.3,
  lon: -79.3174,
  repaired: true,
  insideOntarioShare: 0.9,
  layers: {
    greenbelt: { share: 0.3712, unknownShare: 0 },
    greenbeltDesignation: {
      parts: [
        { value: 'protected_countryside', share: 0.25 },
        { value: 'niagara_escarpment_plan', share: 0.1212 },
      ],
      unknownShare: 0,
    },
    soil: {
      parts: [{ value: { cliClass: '1', description: 'No significant limitations' }, share: 0.8 }],
      unknownShare: 0.2,
    },
    wetlandProximity: {
      bands: { inside: 0.05, regulated: 0.1, adjacent: 0.4, outside: 0.45 },
      distanceM: 0,
      unknownShare: 0,
    },
    watercourseProximity: { bands: { outside: 1 }, distanceM: 431, unknownShare: 0 },
    waterWells: { count: 2, count500m: 7, nearestDistanceM: 0, unknownShare: 0 },
    floodProximity: null,
  },
  dataAsOf: {},
};

const SQUARE = [
  [-79.319, 44.299],
  [-79.316, 44.299],
  [-79.316, 44.301],
  [-79.319, 44.301],
  [-79.319, 44.299],
];

interface Asked {
  readonly geometry: { readonly type: string; readonly coordinates: number[][][] };
}

describe('The page, from a parcel', function () {
  this.timeout(240_000);
  const { open: openPage, service } = withPage(this);

  /** A page whose service answers for areas; `asked` are the bodies that it got. */
  async function open(options: Partial<VisitOptions> = {}): Promise<Visit & { readonly asked: Asked[] }> {
    const opened = await openPage(options);
    const { page } = opened;
    const asked: Asked[] = [];
    await page.route('**/api/lookup/area', async (route) => {
      asked.push(route.request().postDataJSON() as Asked);
      await route.fulfill({ json: ANSWER });
    });
    await page.route(/\/(#.*)?$/, async (route) => {
      const response = await route.fetch();
      const html = (await response.text())
        .replace('"areas":false', '"areas":true')
        .replace('data-text="openParcel" hidden', 'data-text="openParcel"');
      await route.fulfill({ response, body: html });
    });
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await page.fill('#key', service().key);
    return { ...opened, asked };
  }

  const paste = async (page: Page, text: string): Promise<void> => {
    await page.click('#open-parcel');
    await page.fill('#parcel-text', text);
    await page.click('#parcel-ask');
  };
  const sharesOf = (page: Page, key: string): Promise<string[]> =>
    page.locator(`[data-key=${key}] .shares li`).allTextContents();

  it('shows shares by layer as bars, and what is not known as such', async () => {
    await using opened = await open();
    const { page, complaints, asked } = opened;
    await paste(page, JSON.stringify({ type: 'Polygon', coordinates: [SQUARE] }));
    await page.waitForSelector('#result:not([hidden])');
    expect(asked).to.deep.equal([{ geometry: { type: 'Polygon', coordinates: [SQUARE] } }]);
    expect(await page.textContent('#resolved')).to.match(/^Parcel of 4\.05\sha$/);
    expect(await page.textContent('#faults'))
      .to.contain('repaired')
      .and.to.contain('90% of it is in Ontario');
    expect(await sharesOf(page, 'greenbelt')).to.deep.equal(['Yes 37.1%', 'None 62.9%']);
    expect(await sharesOf(page, 'greenbeltDesignation')).to.deep.equal([
      ...['Protected Countryside 25%', 'Niagara Escarpment Plan area 12.1%', 'None 62.9%'],
    ]);
    expect(await sharesOf(page, 'soil')).to.deep.equal(['Class 1 80%', 'Not known 20%']);
    expect(await sharesOf(page, 'wetlandProximity')).to.deep.equal([
      ...['Here 5%', 'Within the regulated distance 10%', 'Near 40%', 'Farther away 45%'],
    ]);
    expect(await page.textContent('[data-key=watercourseProximity] .value')).to.match(/nearest 431\sm away/);
    expect(await page.textContent('[data-key=waterWells] .value')).to.match(/2 in the parcel7 within 500\sm/);
    expect(await sharesOf(page, 'floodProximity'), 'never a "no"').to.deep.equal(['Not known 100%']);
    expect(await page.locator('[data-key=floodProximity]').getAttribute('class')).to.contain('unknown');
    const widths = await page
      .locator('[data-key=wetlandProximity] .bar span')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
    expect(widths[2]! / widths[1]!).to.be.closeTo(4, 0.2);
    await mapDrawn(page);
    expect(await violationsOf(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('is drawn on the map, corner by corner, and shared by link', async () => {
    await using opened = await open();
    const { page, asked } = opened;
    await search(page, COUNTRY, service().key);
    await mapDrawn(page);
    await page.click('#draw-start');
    const { width, height } = (await page.locator('#map').boundingBox())!;
    const at = (x: number, y: number) => ({ position: { x: width * x, y: height * y } });
    const corners = [at(0.4, 0.4), at(0.6, 0.4), at(0.6, 0.6), at(0.2, 0.8)];
    for (const corner of corners) await page.click('#map canvas', corner);
    await page.getByText('4 corners so far.').waitFor();
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.click('#draw-undo');
    await page.getByText('3 corners so far.').waitFor();
    // A click on the first corner ends it.
    await page.click('#map canvas', corners[0]);
    await page.getByText(/^Parcel of/).waitFor();
    const [ring] = asked[0]!.geometry.coordinates;
    expect(ring).to.have.length(4);
    expect(ring![0]).to.deep.equal(ring![3]);
    const link = page.url();
    expect(link).to.match(/#area=[\w.!-]+$/);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('comes from a link').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^Parcel of/).waitFor();
    expect(asked[1]).to.deep.equal(asked[0]);
  });

  it('is drawn by keyboard, with corners in the middle of the map', async () => {
    await using opened = await open();
    const { page, asked } = opened;
    await search(page, COUNTRY, service().key);
    await mapDrawn(page);
    await page.focus('#draw-start');
    await page.keyboard.press('Enter');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
      await page.focus('#draw-middle');
      await page.keyboard.press('Enter');
      await page.focus('#map canvas');
      await page.keyboard.press(key);
      await page.waitForTimeout(800);
    }
    await page.focus('#draw-finish');
    await page.keyboard.press('Enter');
    await page.getByText(/^Parcel of/).waitFor();
    expect(new Set(asked[0]!.geometry.coordinates[0]!.map(String)).size).to.equal(3);
  });

  it('is taken from a file that is dropped or chosen', async () => {
    await using opened = await open();
    const { page, asked } = opened;
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [SQUARE] } };
    const text = JSON.stringify({ type: 'FeatureCollection', features: [feature] });
    const data = await page.evaluateHandle((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], 'parcel.geojson', { type: 'application/geo+json' }));
      return transfer;
    }, text);
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    await page.getByText(/^Parcel of/).waitFor();
    await page.click('#open-parcel');
    const again = page.waitForResponse('**/api/lookup/area');
    await page.setInputFiles('#parcel-file', {
      name: 'p.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
    await again;
    expect(asked).to.deep.equal([{ geometry: feature.geometry }, { geometry: feature.geometry }]);
  });

  it('says what is wrong with a text that is no parcel, and asks nothing', async () => {
    await using opened = await open();
    const { page, asked } = opened;
    const faults: Record<string, string> = {
      'not JSON': 'This is not JSON.',
      '{"type":"Point","coordinates":[1,2]}': 'There is no polygon in it',
      '{"type":"Polygon","coordinates":[[[500000,4900000],[1,2],[3,4],[500000,4900000]]]}': 'are not degrees',
    };
    for (const [text, fault] of Object.entries(faults)) {
      await paste(page, text);
      await page.getByText(fault).waitFor();
    }
    expect(asked).to.deep.equal([]);
  });

  it('fits a phone, in French', async () => {
    await using opened = await open({ width: 360, height: 740, locale: 'fr-CA' });
    const { page } = opened;
    await paste(page, JSON.stringify({ type: 'Polygon', coordinates: [SQUARE] }));
    await page.getByText(/^Parcelle de/).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
  });
});
