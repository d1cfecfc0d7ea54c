import { expect } from 'chai';
import { quickBrowser } from '../../support/drivers/browser.ts';
import { COUNTRY, mapDrawn, search, WITH_FINE_MAP, withPage } from './visits.ts';
import { watchWaits, type Waits } from './waits.ts';

const ANSWER_MS = 300;
const PICTURE_MS = 300;
const MAP_MS = 1000;
const MOST_VISITS = 8;
/** An address takes a person longer; the page gets its map ready meanwhile. */
const TYPING_MS = 2000;
/** Machines that run tests draw without a graphics card, on cores that others use too: the printed figures tell the rest. */
const SLACK = 1.5;

/** 3G as it is measured everywhere: 400 kbit/s, and 400 ms for the way there and back. */
const SLOW_NETWORK = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** The network makes nearly all of these waits, so that they have no slack. */
const SLOW_READY_MS = 1500;
const SLOW_ANSWER_MS = 1200;

describe('The page, in little time', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this, undefined, { browser: quickBrowser, ...WITH_FINE_MAP });

  // The best of some visits: what else the machine does makes waits longer, never shorter. Once they are short enough, no more are needed.
  it('answers soon after Enter, and shows the map soon after that', async () => {
    const all: Waits[] = [];
    const best = (): Waits => ({
      answerMs: Math.min(...all.map(({ answerMs }) => answerMs)),
      pictureMs: Math.min(...all.map(({ pictureMs }) => pictureMs)),
      mapMs: Math.min(...all.map(({ mapMs }) => mapMs)),
    });
    const isQuick = ({ answerMs, pictureMs, mapMs }: Waits): boolean =>
      answerMs <= ANSWER_MS * SLACK && pictureMs <= PICTURE_MS * SLACK && mapMs <= MAP_MS * SLACK;
    for (let i = 0; i < MOST_VISITS && !isQuick(best()); i++) {
      await using opened = await open({ isNew: true });
      const waits = await watchWaits(opened.page);
      await opened.page.waitForTimeout(TYPING_MS);
      await search(opened.page, COUNTRY, service().key);
      await mapDrawn(opened.page);
      all.push(await waits());
    }
    console.log(
      all
        .map((waits) => [waits.answerMs, waits.pictureMs, waits.mapMs].map((ms) => ms.toFixed()))
        .map(([answer, picture, map]) => `      answer ${answer} ms, first picture ${picture} ms, map ${map} ms`)
        .join('\n'),
    );
    expect(best().answerMs).to.be.within(1, ANSWER_MS * SLACK);
    expect(best().pictureMs).to.be.within(1, PICTURE_MS * SLACK);
    expect(best().mapMs).to.be.within(1, MAP_MS * SLACK);
  });

  it('is ready and answers soon on a slow network', async () => {
    const all: { readonly readyMs: number; readonly answerMs: number }[] = [];
    const best = (of: 'readyMs' | 'answerMs'): number => Math.min(...all.map((visit) => visit[of]));
    const isQuick = (): boolean => best('readyMs') <= SLOW_READY_MS && best('answerMs') <= SLOW_ANSWER_MS;
    for (let i = 0; i < MOST_VISITS && !isQuick(); i++) {
      // A page that shares nothing with the one that is measured.
      await using opened = await open({ path: '/healthz', isNew: true });
      const { page } = opened;
      await page.addInitScript(() => {
        addEventListener('ready', () => Object.assign(window, { readyMs: performance.now() }));
      });
      const wire = await page.context().newCDPSession(page);
      await wire.send('Network.enable');
      await wire.send('Network.emulateNetworkConditions', SLOW_NETWORK);
      await page.goto(service().url, { waitUntil: 'commit' });
      await page.waitForSelector('html[data-ready]');
      const readyMs = await page.evaluate(() => (window as unknown as { readyMs: number }).readyMs);
      const waits = await watchWaits(page);
      await page.waitForTimeout(TYPING_MS);
      await search(page, COUNTRY, service().key);
      await mapDrawn(page);
      all.push({ readyMs, answerMs: (await waits()).answerMs });
    }
    console.log(
      all
        .map(({ readyMs, answerMs }) => `      ready ${readyMs.toFixed()} ms, answer ${answerMs.toFixed()} ms`)
        .join('\n'),
    );
    expect(best('readyMs')).to.be.within(1, SLOW_READY_MS);
    expect(best('answerMs')).to.be.within(1, SLOW_ANSWER_MS);
  });
});
