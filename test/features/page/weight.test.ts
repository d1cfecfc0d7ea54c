import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../support/drivers/patience.ts';
import { COUNTRY, HAS_MAP, search, WITH_MAP, withPage } from './visits.ts';

/** All that is sent until the first answer stands, as it is sent. */
const WEIGHT_BYTES = 150_000;
/** What is sent until the page can be used. */
const READY_BYTES = 27_000;
/** As Lighthouse counts it: share of the window that moves, times how far. */
const MOST_SHIFT = 0.02;
/** An address takes a person longer; the page gets its map ready meanwhile. */
const TYPING_MS = 2000;
/** For a browser that has nothing of the page yet. */
const NEW = { path: '/healthz', isNew: true } as const;

describe('The page, while it loads', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  it(`loads less than ${WEIGHT_BYTES / 1000} kB before the first answer, which is in it, and the map after it`, async () => {
    const { page } = await open({ ...NEW, ...WITH_MAP });
    const wire = await page.context().newCDPSession(page);
    await wire.send('Network.enable');
    const paths = new Map<string, string>();
    const bytes = new Map<string, number>();
    wire.on('Network.requestWillBeSent', ({ requestId, request }) =>
      paths.set(requestId, new URL(request.url).pathname),
    );
    wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength));
    await page.goto(service().url);
    await page.waitForSelector('html[data-ready]');
    await page.waitForTimeout(TYPING_MS);
    await search(page, COUNTRY, service().key);
    const all = [...bytes].map(([id, size]) => [paths.get(id)!, size] as const);
    // In the order in which they ended: the answer is the last that counts.
    const before = all.slice(0, all.findIndex(([path]) => path === '/api/lookup') + 1);
    expect(before.map(([path]) => path)).to.include.members(['/', '/api/layers', '/api/lookup']);
    expect(before.filter(([path]) => path.startsWith('/vendor/'))).to.deep.equal([]);
    const weight = before.reduce((sum, [, size]) => sum + size, 0);
    console.log(`      ${Math.round(weight / 1000)} kB in ${before.length} answers`);
    expect(weight).to.be.within(10_000, WEIGHT_BYTES);
    const asksForMap = (): boolean => [...paths.values()].some((path) => path.startsWith('/vendor/maplibre-gl/'));
    if (HAS_MAP) await until(asksForMap);
    else expect(asksForMap()).to.equal(false);
  });

  for (const locale of ['en-CA', 'fr-CA'])
    describe(`for a browser that prefers ${locale}, at the width of a phone`, () => {
      let page: Page;
      before(async () => {
        ({ page } = await open({ ...NEW, width: 412, height: 823, locale }));
        await page.addInitScript(() => {
          const shifts: number[] = [];
          Object.assign(window, { shifts });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
          }).observe({ type: 'layout-shift', buffered: true });
          addEventListener('ready', () => Object.assign(window, { readyMs: performance.now() }));
        });
        await page.goto(service().url);
        await page.waitForSelector('html[data-ready]');
      });

      it(`loads less than ${READY_BYTES / 1000} kB until it can be used`, async () => {
        const loaded = await page.evaluate(() => {
          const { readyMs } = window as unknown as { readyMs: number };
          const all = performance.getEntries().filter((one) => one instanceof PerformanceResourceTiming);
          return all
            .filter(({ startTime }) => startTime < readyMs)
            .map(({ name, transferSize }) => [new URL(name).pathname.split('/').at(-1)!, transferSize] as const);
        });
        const weight = loaded.reduce((sum, [, size]) => sum + size, 0);
        console.log(`      ${(weight / 1000).toFixed(1)} kB in ${loaded.length} answers`);
        expect(loaded.map(([name]) => name)).to.include.members(['', 'main.js', `${locale.slice(0, 2)}.js`]);
        expect(weight).to.be.within(5000, READY_BYTES);
      });

      it('moves nothing while it loads', async () => {
        await page.waitForTimeout(TYPING_MS);
        const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
        const sum = shifts.reduce((total, shift) => total + shift, 0);
        console.log(`      shift ${sum.toFixed(4)}`);
        expect(sum).to.be.at.most(MOST_SHIFT);
      });
    });
});
