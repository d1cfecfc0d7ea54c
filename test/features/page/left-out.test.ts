/** The page where features are left out: it shows no trace of them, and asks for nothing that is not there. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { allFeatures } from '../../../src/features.ts';
import { hasBrowser, sharedBrowser, type Visit } from '../../support/drivers/browser.ts';
import { namedOnPage } from '../../../src/features/page/page-document.ts';
import { closeContexts } from '../../support/drivers/kept-contexts.ts';
import { given } from '../../support/drivers/given.ts';
import { COUNTRY, search, switchLanguage, violationsOf, WITH_MAP, withPage } from './visits.ts';

const PLACES = 'lat,lon\n44.29994,-79.31741\n';
const OUTLINES = {
  type: 'FeatureCollection',
  features: [0, 0.01].map((east) => ({ type: 'Feature', properties: {}, geometry: squareAt(-79.32 + east, 44.3) })),
};

function squareAt(lon: number, lat: number) {
  const [east, north] = [lon + 0.001, lat + 0.001];
  const ring = [
    [lon, lat],
    [east, lat],
    [east, north],
    [lon, north],
    [lon, lat],
  ];
  return { type: 'Polygon', coordinates: [ring] };
}

/** Words of the page itself about what other features have. */
const WORDS = {
  en: /\b(maps?|parcels?|files?|rows?|batch\w*|suggest\w*|examples?|account|get a key)\b/i,
  fr: /\b(cartes?|parcelles?|fichiers?|lignes?|lots?|suggest\w*|exemples?|compte|obtenir)\b(?! les recherches)/i,
};

/** What is in the page for other features, by the selectors of its elements. */
const ELEMENTS = [
  ...['#suggested', '#examples', '#to-account', 'a[href^="/signup"]', '#open-map', '#open-parcel', '#open-batch'],
  ...['#parcel', '#batch', '#choose', '.map-side', '#map', '#legend', 'canvas', '[role=combobox]', '[data-feature]'],
  ...['#compare', '#compared', '#rules', '[type=file]', 'textarea', 'a[href="/status"]'],
];

/** What the page has loaded and asked for. */
const pathsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));

/** From here on, the paths of what the page asks for, also of what is not answered yet. */
function requestsOf(page: Page): readonly string[] {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return paths;
}

/** Waits until the page has begun what it puts off until nobody needs it. A browser without time to spare begins none of it, and calls back at the limit alone. */
const idle = (page: Page): Promise<unknown> =>
  page.evaluate(() => {
    const limit = { timeout: 30_000 };
    return new Promise((done) => requestIdleCallback(() => requestIdleCallback(done, limit), limit));
  });

const staticText = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement;
    for (const part of copy.querySelectorAll('script, #sample, #result')) part.remove();
    return `${document.title} ${copy.textContent}`;
  });

/** Drops a file, and says whether the page takes files. */
const drop = (page: Page, name: string, text: string): Promise<boolean> =>
  page.evaluate(
    ([fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content!], fileName!));
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
      return !document.querySelector('main')!.dispatchEvent(event);
    },
    [name, text],
  );

const statusHas = (page: Page, words: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector('#status')!.textContent.includes(wanted), words);

/** What the browser says of an answer that is a refusal. */
const REFUSED = 'console: Failed to load resource: the server responded with a status of 404 (Not Found)';

describe('The page without any other feature', function () {
  this.timeout(240_000);
  const all = new Set([...namedOnPage, ...allFeatures.map(({ name }) => name)]);
  const { open, service } = withPage(this, { leftOut: [...all].filter((name) => name !== 'page') });
  /** A page that has answered, in English. */
  let english: Visit;

  for (const [language, width] of [
    ['en', 1280],
    ['fr', 400],
  ] as const) {
    it(`answers an address, has no word and no element of them, and asks for nothing of theirs: ${language}, ${width} pixels wide`, async () => {
      const locale = `${language}-CA`;
      const opened = await open({ locale, width, height: 850, isNew: true, ...WITH_MAP });
      if (language === 'en') english = opened;
      const { page, complaints } = opened;
      const requests = requestsOf(page);
      expect(WORDS[language].exec(await staticText(page))?.[0]).to.equal(undefined);
      expect(await violationsOf(page)).to.deep.equal([]);
      await search(page, COUNTRY, service().key);
      expect(await page.textContent('#resolved')).to.contain('1209 Concession 4');
      expect(WORDS[language].exec(await staticText(page))?.[0]).to.equal(undefined);
      for (const selector of ELEMENTS) expect(await page.locator(selector).count(), selector).to.equal(0);
      expect(await violationsOf(page)).to.deep.equal([]);
      await idle(page);
      const paths = new Set([...(await pathsOf(page)), ...requests]);
      expect([...paths].filter((path) => path.startsWith('/api/')).sort()).to.deep.equal([
        '/api/layers',
        '/api/lookup',
      ]);
      expect([...paths].filter((path) => /batch|map|vendor/.test(path))).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
    });
  }

  it('says why an address is refused and offers no point for it, takes no files, and follows no link to what is not there', async () => {
    const { page, complaints } = english;
    const requests = requestsOf(page);
    await search(page, '1 Nowhere Rd, Sampleton, ON', service().key, '#problem:not([hidden])');
    expect(await drop(page, 'places.csv', PLACES)).to.equal(false);
    for (const link of ['#batch=bat_0', '#area=0.0!1.0!0.1']) {
      await page.evaluate((hash) => {
        document.querySelector('#status')!.textContent = '';
        location.hash = hash;
      }, link);
      await statusHas(page, 'This link leads to no place that can be read');
    }
    await switchLanguage(page);
    expect(await page.locator('#problem button').count()).to.equal(0);
    await idle(page);
    expect(complaints).to.deep.equal([REFUSED]);
    expect(requests.filter((path) => path.startsWith('/api/') && path !== '/api/layers')).to.deep.equal([
      '/api/lookup',
    ]);
  });
});

/** One origin for services that are there one after the other: a browser has the programs of their pages in its cache. */
async function oneOrigin(): Promise<AsyncDisposable & { readonly url: string; lead: (to: string) => void }> {
  let port = 0;
  const server = createServer((socket) => {
    const service = connect(port, '127.0.0.1');
    for (const one of [socket, service]) one.on('error', () => undefined);
    socket.pipe(service).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (to) => (port = Number(new URL(to).port)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Uses all that the page still has. */
async function useAll({ page }: Visit, key: string): Promise<void> {
  await search(page, COUNTRY, key);
  await page.fill('#address', '1 Nowhere Rd, Sampleton, ON');
  for (const button of ['#open-map', '#open-parcel', '#open-batch'])
    if (await page.isVisible(button)) await page.click(button);
  const example = page.locator('.example').first();
  if (await example.isVisible()) await example.click();
  await search(page, '44.29994, -79.31741', key);
}

// Sign-up is there only where it is set up, and here it is not.
const leftInTurn = namedOnPage.filter((name) => name !== 'signup');

given(...leftInTurn).describe('The page without one feature', function () {
  this.timeout(240_000);
  let origin: Awaited<ReturnType<typeof oneOrigin>>;
  before(async () => {
    origin = await oneOrigin();
  });
  after(async () => {
    if (hasBrowser()) await closeContexts(await sharedBrowser(), origin.url);
    await origin[Symbol.asyncDispose]();
  });

  for (const left of leftInTurn) {
    describe(left, function () {
      const { open, service } = withPage(this, { leftOut: [left] });
      /** One page for all that is used, and the paths that it asks for from its start. */
      let opened: Visit;
      let requests: readonly string[];
      before(async () => {
        origin.lead(service().url);
        opened = await open({ url: origin.url });
        requests = requestsOf(opened.page);
        await useAll(opened, service().key);
      });

      after(() => opened[Symbol.asyncDispose]());

      if (left === 'maps')
        it('says on paper what the marks of an answer mean', async () => {
          const { page } = opened;
          expect(await page.isVisible('#marks')).to.equal(false);
          await page.emulateMedia({ media: 'print' });
          const marks = await page.locator('#marks li').allInnerTexts();
          expect(marks).to.include.members(['Restricts the land', 'Checked, not here', 'Not known']);
          await page.emulateMedia({ media: null });
        });

      if (left === 'maps' || left === 'account')
        it('answers a file of places', async () => {
          const { page, complaints } = opened;
          await drop(page, 'places.csv', PLACES);
          await page.click('#batch-send');
          await page.waitForSelector('#batch-rows table');
          expect(await page.locator('#batch-map').isVisible()).to.equal(left !== 'maps');
          expect(complaints).to.deep.equal([]);
        });

      if (left === 'areas' || left === 'batches')
        it('says which files it takes when it gets another', async () => {
          const { page, complaints } = opened;
          const [name, formats] =
            left === 'areas' ? ['outlines.geojson', 'CSV and NDJSON'] : ['places.csv', 'GeoJSON, KML and KMZ'];
          await drop(page, name, left === 'areas' ? JSON.stringify(OUTLINES) : PLACES);
          await statusHas(page, `${name} is not a file that this page takes: it takes ${formats}.`);
          await drop(page, 'plan.gpx', '<gpx>');
          await statusHas(page, `plan.gpx is not a file that this page takes: it takes ${formats}.`);
          expect(complaints).to.deep.equal([]);
        });

      if (left === 'maps' || left === 'batches')
        it('asks for the outlines of a file', async () => {
          const { page, complaints } = opened;
          expect(await drop(page, 'outlines.geojson', JSON.stringify(OUTLINES))).to.equal(true);
          await page.waitForSelector('#parcel-together');
          expect(await page.locator('#parcel-each').count()).to.equal(left === 'batches' ? 0 : 1);
          await page.click('#parcel-together');
          await page.locator('#resolved', { hasText: 'Parcel of' }).waitFor({ state: 'visible' });
          expect(complaints).to.deep.equal([]);
        });

      it('does what is left, and asks for nothing that is not there', async () => {
        const { page, complaints } = opened;
        const isThere = (name: string): boolean => left !== name && name !== 'signup';
        for (const [feature, selector] of [
          ...[
            ['suggest', '#suggested'],
            ['examples', '#examples'],
            ['maps', '#map'],
            ['maps', '#choose'],
          ],
          ...[
            ['areas', '#parcel'],
            ['batches', '#batch'],
            ['signup', '#to-account'],
            ['sources', 'a[href="/status"]'],
          ],
        ] as const)
          expect(await page.locator(selector).count(), selector).to.equal(isThere(feature) ? 1 : 0);
        expect(await page.locator('#draw-start').count()).to.equal(left === 'areas' || left === 'maps' ? 0 : 1);
        await switchLanguage(page);
        await idle(page);
        expect(complaints).to.deep.equal([]);
        const gone = {
          batches: /batch/,
          suggest: /suggest/,
          maps: /map|vendor/,
          areas: /lookup\/area|kml/,
          examples: /example/,
          compare: /compare/,
          rules: /rules/,
          sources: /status/,
        };
        const theirs = { ...gone, account: /account/ }[left];
        expect([...(await pathsOf(page)), ...requests].filter((path) => theirs.test(path))).to.deep.equal([]);
      });
    });
  }
});
