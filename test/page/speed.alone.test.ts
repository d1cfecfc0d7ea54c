import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { COUNTRY, mapDrawn, search, withPage } from './visits.ts';

const ANSWER_MS = 300;
const MAP_MS = 1000;
const WEIGHT_BYTES = 400_000;
const MOST_VISITS = 8;
/** An address takes a person longer; the page gets its map ready meanwhile. */
const TYPING_MS = 2000;
/** Machines that run tests draw without a graphics card, on cores that others use too: the printed figures tell the rest. */
const SLACK = 1.5;

interface Waits {
  answerMs: number;
  mapMs: number;
}

/** From here on the page notes the moments when Enter is pressed, the answer stands, and the map is drawn. */
async function watchWaits(page: Page): Promise<() => Promise<Waits>> {
  await page.evaluate(() => {
    const [result, map] = [document.querySelector<HTMLElement>('#result')!, document.querySelector('#map')!];
    const at: Record<string, number> = {};
    Object.assign(window, { moments: at });
    document.addEventListener('keydown', ({ key }) => (at[key] ??= performance.now()), { capture: true });
    new MutationObserver(() => {
      if (!result.hidden) at['answer'] ??= performance.now();
      if (at['Enter'] !== undefined && map.hasAttribute('data-ready')) at['map'] ??= performance.now();
    }).observe(document, { attributes: true, subtree: true });
  });
  return async () => {
    const at = await page.evaluate(() => (window as unknown as { moments: Record<string, number> }).moments);
    return { answerMs: at['answer']! - at['Enter']!, mapMs: at['map']! - at['Enter']! };
  };
}

describe('The page, in little time', function () {
  this.timeout(240_000);
  const { open, service } = withPage(this);

  // The best of some visits: what else the machine does makes waits longer, never shorter. Once they are short enough, no more are needed.
  it('answers soon after Enter, and shows the map soon after that', async () => {
    const all: Waits[] = [];
    const best = (): Waits => ({
      answerMs: Math.min(...all.map(({ answerMs }) => answerMs)),
      mapMs: Math.min(...all.map(({ mapMs }) => mapMs)),
    });
    const isQuick = ({ answerMs, mapMs }: Waits): boolean => answerMs <= ANSWER_MS * SLACK && mapMs <= MAP_MS * SLACK;
    for (let i = 0; i < MOST_VISITS && !isQuick(best()); i++) {
      await using opened = await open();
      const waits = await watchWaits(opened.page);
      await opened.page.waitForTimeout(TYPING_MS);
      await search(opened.page, COUNTRY, service().key);
      await mapDrawn(opened.page);
      all.push(await waits());
    }
    console.log(
      all.map(({ answerMs, mapMs }) => `      answer ${answerMs.toFixed()} ms, map ${mapMs.toFixed()} ms`).join('\n'),
    );
    expect(best().answerMs).to.be.within(1, ANSWER_MS * SLACK);
    expect(best().mapMs).to.be.within(1, MAP_MS * SLACK);
  });

  it(`weighs less than ${WEIGHT_BYTES / 1000} kB compressed, the map library's own files aside`, async () => {
    await using opened = await open();
    const { page } = opened;
    const sizes = new Map<string, Promise<number>>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith('/vendor/maplibre-gl/')) return;
      sizes.set(
        pathname,
        response.body().then((body) => gzipSync(body).length),
      );
    });
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    await search(page, COUNTRY, service().key);
    await mapDrawn(page);
    expect([...sizes.keys()]).to.include.members(['/', '/web/main.js', '/web/style.css', '/api/lookup']);
    const bytes = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    expect(bytes).to.be.within(10_000, WEIGHT_BYTES);
    console.log(`      ${Math.round(bytes / 1000)} kB in ${sizes.size} answers`);
  });
});
