/** Style sheets that only an answer needs. They come after the first paint. */

import { el } from './dom.ts';

const sheets: Map<string, Promise<void>> = new Map();

/** Adds a style sheet to the page; ends when it applies, or cannot be had. */
export function addStyles(url: string | URL, media: string = 'all'): Promise<void> {
  const href = String(url);
  let sheet = sheets.get(href);
  if (!sheet) {
    const link = el('link', { rel: 'stylesheet', href, media });
    sheet = new Promise((resolve) => {
      for (const type of ['load', 'error']) link.addEventListener(type, () => resolve());
    });
    document.head.append(link);
    sheets.set(href, sheet);
  }
  return sheet;
}

/** The style sheets of an answer and of its print. */
export async function addResultStyles() {
  await Promise.all([
    addStyles(new URL('./result.css', import.meta.url)),
    addStyles(new URL('./answers.css', import.meta.url)),
    addStyles(new URL('./print.css', import.meta.url), 'print'),
  ]);
}
