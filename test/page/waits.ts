/** How long a person waits for an answer and its map. */
import type { Page } from 'playwright-core';

/** From Enter on. */
export interface Waits {
  readonly answerMs: number;
  readonly mapMs: number;
}

/** From here on the page notes the moments when Enter is pressed, the answer stands, and the map is drawn. */
export async function watchWaits(page: Page): Promise<() => Promise<Waits>> {
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
