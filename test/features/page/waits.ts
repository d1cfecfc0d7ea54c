/** How long a person waits for an answer, the first picture of its map, and the map itself. */
import type { Page } from 'playwright-core';

/** From Enter on. */
export interface Waits {
  readonly answerMs: number;
  /** What was found is drawn. */
  readonly pictureMs: number;
  /** The map can be moved. */
  readonly mapMs: number;
}

/** From here on the page notes the moments when Enter is pressed, the answer stands, and the map is drawn at first and as a whole. */
export async function watchWaits(page: Page): Promise<() => Promise<Waits>> {
  await page.evaluate(() => {
    const [result, picture] = ['#result', '#first-picture'].map((name) => document.querySelector<HTMLElement>(name)!);
    const map = document.querySelector('#map')!;
    const at: Record<string, number> = {};
    Object.assign(window, { moments: at });
    document.addEventListener('keydown', ({ key }) => (at[key] ??= performance.now()), { capture: true });
    new MutationObserver(() => {
      if (!result!.hidden) at['answer'] ??= performance.now();
      if (!picture!.hidden) at['picture'] ??= performance.now();
      if (at['Enter'] !== undefined && map.hasAttribute('data-ready')) at['map'] ??= performance.now();
    }).observe(document, { attributes: true, subtree: true });
  });
  return async () => {
    const at = await page.evaluate(() => (window as unknown as { moments: Record<string, number> }).moments);
    const waited = (name: string): number => at[name]! - at['Enter']!;
    return { answerMs: waited('answer'), pictureMs: waited('picture'), mapMs: waited('map') };
  };
}
