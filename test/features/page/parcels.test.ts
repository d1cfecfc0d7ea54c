import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Visit, VisitOptions } from '../../support/drivers/browser.ts';
import { given } from '../../support/drivers/given.ts';
import { until } from '../../support/drivers/patience.ts';
import {
  changeMap,
  COUNTRY,
  drawAgain,
  drawNoMap,
  HAS_MAP,
  mapDrawn,
  search,
  switchLanguage,
  violationsOf,
  WITH_MAP,
  withPage,
} from './visits.ts';

const SQUARE = [
  [-79.319, 44.299],
  [-79.316, 44.299],
  [-79.316, 44.301],
  [-79.319, 44.301],
  [-79.319, 44.299],
];

/** Around the address, 16 km²: with bands around a lake and a creek, some values, and layers that nobody knows there. It crosses itself. */
const BOW_TIE = [
  [-79.345, 44.28],
  [-79.295, 44.315],
  [-79.295, 44.28],
  [-79.345, 44.315],
  [-79.345, 44.28],
];

interface Asked {
  readonly geometry: { readonly type: string; readonly coordinates: number[][][] };
}

interface OpenPage extends Visit {
  readonly asked: Asked[];
}

describe('The page, from a parcel', function () {
  this.timeout(240_000);
  const { open: openPage, service } = withPage(this);

  /** Opens the page with the key in its field; `asked` are the bodies that it sends for areas. */
  async function open(options: Partial<VisitOptions> = {}): Promise<OpenPage> {
    const opened = await openPage(options);
    const asked: Asked[] = [];
    opened.page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/lookup/area') asked.push(request.postDataJSON() as Asked);
    });
    if (options.path === undefined) await opened.page.fill('#key', service().key);
    return { ...opened, asked };
  }

  /** What the API answers for a ring. */
  async function answerFor(ring: readonly (readonly number[])[]): Promise<AreaBody> {
    const response = await fetch(`${service().url}/api/lookup/area`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service().key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ geometry: { type: 'Polygon', coordinates: [ring] } }),
    });
    return (await response.json()) as AreaBody;
  }

  const paste = async (page: Page, text: string): Promise<void> => {
    await page.click('#open-parcel');
    await page.fill('#parcel-text', text);
    await page.click('#parcel-ask');
  };
  /** What the page says of the shares of each layer. */
  const sharesOf = (page: Page, keys: readonly string[]): Promise<Record<string, string[]>> =>
    page.evaluate((names) => {
      const partsOf = (key: string): string[] => {
        const ofLayer = `:is(.row[data-key=${key}] > .values, div[data-key=${key}]) > .value .shares li`;
        return Array.from(document.querySelectorAll(ofLayer), (one) => one.textContent);
      };
      return Object.fromEntries(names.map((key) => [key, partsOf(key)]));
    }, keys);

  /** A page whose map is used, and one without a map, which has not been at the first page yet. */
  let withMap: OpenPage, square: OpenPage;
  before(async () => {
    withMap = await open(WITH_MAP);
    square = await open({ path: '/docs/errors' });
  });

  it('says that its program cannot be had, and has it when it is asked for again', async () => {
    const { page } = square;
    let isCut = true;
    await page.route('**/files.js', (route) => (isCut ? route.abort() : route.continue()));
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
    await page.fill('#key', service().key);
    await page.click('#open-parcel');
    await page.waitForSelector('#problem:not([hidden])');
    expect(await page.textContent('#problem')).to.contain('cannot be reached');
    expect(await page.isVisible('#parcel')).to.equal(false);
    isCut = false;
    await page.click('#open-parcel');
    await page.waitForSelector('#parcel:not([hidden])');
    await page.unroute('**/files.js');
  });

  it('is taken from a file that is dropped or chosen, shown, and asked for at a button', async () => {
    const { page, asked } = withMap;
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [SQUARE] } };
    const text = JSON.stringify({ type: 'FeatureCollection', features: [feature] });
    const elsewhere = { ...feature, crs: { type: 'name', properties: { name: 'EPSG:26917' } } };
    const chosen = (content: object) => ({
      name: 'p.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    });
    await page.click('#open-parcel');
    await page.setInputFiles('#parcel-file', chosen(elsewhere));
    await page.locator('#status', { hasText: 'another coordinate system' }).waitFor();
    const data = await page.evaluateHandle((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], 'parcel.geojson', { type: 'application/geo+json' }));
      return transfer;
    }, text);
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    await page.getByText(/^parcel.geojson: a parcel of about 5.3\d\sha with 4 corners/).waitFor();
    expect(await page.textContent('#status'), 'of the file before').to.equal('');
    expect(await page.getByRole('button', { name: /^Ask for this parcel/ }).count()).to.equal(1);
    await mapDrawn(page);
    expect(await page.locator('#parcel-slot #map').isVisible()).to.equal(HAS_MAP);
    expect(await violationsOf(page)).to.deep.equal([]);
    expect(asked, 'nothing before the button').to.deep.equal([]);
    await page.click('#parcel-together');
    await page.getByText(/^Parcel of/).waitFor();
    await page.click('#open-parcel');
    expect(await page.isVisible('#parcel-shown')).to.equal(false);
    const [a, b, c, d] = SQUARE;
    await page.setInputFiles('#parcel-file', chosen({ type: 'Polygon', coordinates: [[a, c, b, d, a]] }));
    await page.getByText('Its outline crosses itself').waitFor();
    await page.setInputFiles('#parcel-file', chosen(elsewhere));
    await page.locator('#status', { hasText: 'another coordinate system' }).waitFor();
    expect(await page.isVisible('#parcel-shown'), 'the parcel before').to.equal(false);
    await page.setInputFiles('#parcel-file', chosen(feature));
    await page.click('#parcel-together');
    await page.getByText('shown again without a lookup').waitFor();
    expect(await page.isVisible('#parcel')).to.equal(false);
    expect(asked).to.deep.equal([{ geometry: feature.geometry }]);
  });

  it('shows shares by layer as bars, and what is not known as such', async () => {
    const { layers, areaM2 } = await answerFor(BOW_TIE);
    const { page, complaints, asked } = withMap;
    asked.length = 0;
    await drawAgain(page, () => paste(page, JSON.stringify({ type: 'Polygon', coordinates: [BOW_TIE] })));
    // Without a map there was nothing to wait for yet.
    await page.locator('#resolved', { hasText: 'km²' }).waitFor();
    expect(asked).to.deep.equal([{ geometry: { type: 'Polygon', coordinates: [BOW_TIE] } }]);
    expect(await page.textContent('#resolved')).to.equal(`Parcel of ${(areaM2 / 1e6).toFixed(2)}\u00a0km²`);
    expect(await page.textContent('#faults')).to.contain('repaired');
    const keys = Object.keys(layers);
    expect(keys).to.have.length(37);
    const told = await sharesOf(page, keys);
    for (const key of keys) {
      const shown = told[key]!.map((text) => Number(/([\d.]+)%$/.exec(text)?.[1] ?? NaN));
      expect(shown.filter(isShown).sort(ascending), key).to.deep.equal(percentagesOf(layers[key]!).sort(ascending));
    }
    expect(told['greenbeltDesignation']!.join()).to.match(
      /Niagara Escarpment Plan area [1-9].*Protected Countryside [1-9].*None/,
    );
    expect(told['floodProximity'], 'never a "no"').to.deep.equal(['Not known 100%']);
    expect(await page.locator('[data-key=floodProximity]').getAttribute('class')).to.contain('unknown');
    const widths = await page
      .locator('[data-key=wetlandProximity] .bar span')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
    const all = widths.reduce((sum, width) => sum + width, 0);
    expect(Math.max(...widths) / all).to.be.closeTo(
      Math.max(...percentagesOf(layers['wetlandProximity']!)) / 100,
      0.02,
    );
    expect(await violationsOf(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  given('maps').it(
    'draws a repaired outline as it was answered, and what findings cover of it, with a legend',
    async () => {
      const { page, complaints } = withMap;
      await mapDrawn(page);
      // Both triangles of the bow tie are the parcel, and what is above and below its middle is not.
      const { width, height } = (await page.locator('#map').boundingBox())!;
      const lightAt = (x: number, y: number): Promise<number> => lightOf(page, { x: width * x, y: height * y });
      const looked: number[] = [];
      const differs = async (): Promise<boolean> => {
        const [left, right, above, below] = [
          await lightAt(0.4, 0.5),
          await lightAt(0.6, 0.5),
          await lightAt(0.5, 0.3),
          await lightAt(0.5, 0.7),
        ];
        looked.splice(0, 4, left, right, above, below);
        return [left, right].every((inside) => [above, below].every((outside) => Math.abs(inside - outside) > 2));
      };
      // A slow machine may show the picture of before once more.
      await until(differs, 250, () => looked);
      expect(await page.textContent('#faults')).to.contain('as it was repaired');
      const on = await page.locator('.switch:has(:checked)').allTextContents();
      expect(on.join(), 'findings, with their shares').to.match(/Greenbelt designation\d/);
      expect(await page.locator('[data-set=soil_survey_complex]').isChecked()).to.equal(false);
      await changeMap(page, () => page.locator('[data-set=soil_survey_complex]').check());
      expect(await page.textContent('[data-key=greenbelt] summary'), 'source and date').to.match(/Greenbelt.* \d{4}/);
      expect(complaints).to.deep.equal([]);
    },
  );

  it('tells what covers it from what it only meets', async () => {
    const { page } = square;
    await paste(page, JSON.stringify({ type: 'Polygon', coordinates: [SQUARE] }));
    await page.getByText(/^Parcel of/).waitFor();
    expect(await page.textContent('[data-key=greenbelt]')).to.contain('covers the whole parcel');
    expect(await page.textContent('#tally')).to.match(/restricts? this land: .*Greenbelt/);
  });

  it('is printed with every statement that the licences of the data require', async () => {
    const { statements } = (await (
      await fetch(`${service().url}/licences`, { headers: { Accept: 'application/json' } })
    ).json()) as { statements: { attribution: string }[] };
    expect(statements).not.to.be.empty;
    const { page } = square;
    await page.emulateMedia({ media: 'print' });
    const printed = await page.locator('body').innerText();
    for (const { attribution } of statements) expect(printed).to.contain(attribution);
    await page.emulateMedia({ media: null });
  });

  it('fits a phone, in French', async () => {
    const { page } = square;
    await page.setViewportSize({ width: 360, height: 740 });
    await switchLanguage(page);
    await page.getByText(/^Parcelle de/).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(360);
    expect(await violationsOf(page)).to.deep.equal([]);
    await switchLanguage(page);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  given('maps').it('is drawn by keyboard, with corners in the middle of the map', async () => {
    const { page, asked } = withMap;
    const before = asked.length;
    await drawAgain(page, () => search(page, COUNTRY, service().key));
    await page.focus('#draw-start');
    await page.keyboard.press('Enter');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft']) {
      await page.focus('#draw-middle');
      await page.keyboard.press('Enter');
      await page.focus('#map canvas');
      await changeMap(page, () => page.keyboard.press(key));
    }
    await page.focus('#draw-finish');
    await drawAgain(page, () => page.keyboard.press('Enter'));
    await page.getByText(/^Parcel of/).waitFor();
    expect(new Set(asked[before]!.geometry.coordinates[0]!.map(String)).size).to.equal(3);
  });

  given('maps').it('is drawn on the map, corner by corner, and shared by link', async () => {
    const { page, asked } = withMap;
    const before = asked.length;
    await page.click('#draw-start');
    const { width, height } = (await page.locator('#map').boundingBox())!;
    const at = (x: number, y: number) => ({ position: { x: width * x, y: height * y } });
    const corners = [at(0.4, 0.4), at(0.6, 0.4), at(0.6, 0.6), at(0.5, 0.2)];
    for (const corner of corners) await page.click('#map canvas', corner);
    await page.getByText('4 corners so far.').waitFor();
    expect(await page.textContent('#draw-told'), 'where the last side meets the first').to.contain('crosses itself');
    expect(await violationsOf(page)).to.deep.equal([]);
    await page.click('#draw-undo');
    await page.getByText('3 corners so far.').waitFor();
    expect(await page.textContent('#draw-told')).to.match(/About [\d.,]+\s(m²|ha|km²)\.$/);
    // A click on the first corner ends it. The link of the parcel before stays until the answer.
    const linkBefore = page.url();
    await page.click('#map canvas', corners[0]);
    await page.waitForURL((url) => url.href !== linkBefore);
    const [ring] = asked[before]!.geometry.coordinates;
    expect(ring).to.have.length(4);
    expect(ring![0]).to.deep.equal(ring![3]);
    const link = page.url();
    expect(link).to.match(/#area=[\w.!-]+$/);
    await drawNoMap(page);
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('comes from a link').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('shown again without a lookup').waitFor();
    expect(asked).to.have.length(before + 1);
    await Promise.all([page.waitForRequest('**/api/lookup/area**'), page.click('#ask-anew')]);
    expect(asked[before + 1]).to.deep.equal(asked[before]);
  });

  given('batches').it('is asked for together, or each by itself, where there are several', async () => {
    const { page, asked } = square;
    asked.length = 0;
    const polygonAt = (west: number) => ({
      type: 'Polygon',
      coordinates: [SQUARE.map(([lon, lat]) => [lon! + west, lat!])],
    });
    const features = [0, 0.01].map((west) => ({ type: 'Feature', properties: {}, geometry: polygonAt(west) }));
    await paste(page, JSON.stringify({ type: 'FeatureCollection', features }));
    await page.getByText(/has 2 outlines, together about 10.6\d\sha/).waitFor();
    await page.click('#parcel-each');
    await page.waitForSelector('#batch-send');
    expect(await page.textContent('#batch-cost')).to.contain('at most 2 lookups');
    expect(asked).to.deep.equal([]);
    await page.click('#parcel-together');
    await page.getByText(/^Parcel of 10\.\d+.ha/).waitFor();
    expect(asked).to.deep.equal([
      { geometry: { type: 'MultiPolygon', coordinates: [polygonAt(0).coordinates, polygonAt(0.01).coordinates] } },
    ]);
  });

  it('says what is wrong with a text that is no parcel, and asks nothing', async () => {
    const { page, asked } = square;
    asked.length = 0;
    const faults: Record<string, string> = {
      'not JSON': 'This is not JSON.',
      '{"type":"LineString","coordinates":[[1,2],[3,4]]}': 'There is no polygon in it',
      '{"type":"Polygon","coordinates":[[[500000,4900000],[1,2],[3,4],[500000,4900000]]]}': 'are not degrees',
    };
    for (const [text, fault] of Object.entries(faults)) {
      await paste(page, text);
      await page.getByText(fault).waitFor();
    }
    expect(asked).to.deep.equal([]);
  });
});

/** How light a pixel of the map is, from 0 to 765. */
function lightOf(page: Page, { x, y }: { readonly x: number; readonly y: number }): Promise<number> {
  return page.evaluate(
    ([left, top]) => {
      const map = document.querySelector('#map canvas') as HTMLCanvasElement;
      const copy = document.createElement('canvas').getContext('2d')!;
      const scale = map.width / map.clientWidth;
      copy.drawImage(map, left! * scale, top! * scale, 1, 1, 0, 0, 1, 1);
      return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((sum, one) => sum + one, 0);
    },
    [x, y],
  );
}

type AreaLayer = Readonly<Record<string, unknown>> & { readonly unknownShare: number };

interface AreaBody {
  readonly areaM2: number;
  readonly layers: Readonly<Record<string, AreaLayer | null>>;
}

/** A tenth of a percent may be what rounding leaves. */
const isShown = (percent: number): boolean => percent > 0.1;
const ascending = (a: number, b: number): number => a - b;

/** What a bar consists of, in percent: what is there, the rest, and what is not known. Counts have no bar, only the part that is not known. */
function percentagesOf(layer: AreaLayer | null): number[] {
  if (layer === null) return [100];
  const { share, parts, bands, unknownShare } = layer as AreaLayer & {
    readonly share?: number;
    readonly parts?: readonly { readonly share: number }[];
    readonly bands?: Readonly<Record<string, number>>;
  };
  const known = bands
    ? Object.values(bands)
    : parts
      ? parts.map((part) => part.share)
      : share === undefined
        ? []
        : [share];
  const isCount = !bands && !parts && share === undefined;
  const rest = isCount ? 0 : 1 - unknownShare - known.reduce((sum, one) => sum + one, 0);
  return [...known, rest, unknownShare].map((one) => Math.round(one * 1000) / 10).filter(isShown);
}
