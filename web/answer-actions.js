/** What can be done with the answer that is shown: copy it, copy a link to it, print it. */
import { byId } from './dom.js';
import { textsIn } from './i18n.js';
import { copy, say } from './status.js';

/**
 * @param {{ language: () => import('./session.js').Language, body: () => unknown, preparePrint: () => Promise<void> }} options
 */
export function takeActions({ language, body, preparePrint }) {
  byId('copy-json').addEventListener('click', () => {
    const { copiedJson, notCopied } = textsIn(language());
    void copy(JSON.stringify(body(), null, 2), { done: copiedJson, failed: notCopied });
  });
  byId('copy-link').addEventListener('click', () => {
    const { copiedLink, notCopied, area } = textsIn(language());
    if (location.hash === '') say(area.tooLongForLink);
    else void copy(location.href, { done: copiedLink, failed: notCopied });
  });
  byId('print').addEventListener('click', () => void preparePrint().then(() => window.print()));
  const running = new CSSStyleSheet();
  document.adoptedStyleSheets.push(running);
  addEventListener('beforeprint', () => {
    void preparePrint();
    running.replaceSync(`@page { @top-left { content: ${quoted(byId('resolved').textContent ?? '')} } }`);
    for (const fold of foldsOf(':not([open])')) {
      fold.open = true;
      fold.dataset['printed'] = '';
    }
  });
  addEventListener('afterprint', () => {
    for (const fold of foldsOf('[data-printed]')) {
      fold.open = false;
      delete fold.dataset['printed'];
    }
  });
}

/** A text as a string of CSS. @param {string} text */
const quoted = (text) => `"${text.replace(/["\\\s]+/g, ' ')}"`;

/**
 * Folded on the screen, whole on paper.
 * @param {string} which
 * @returns {NodeListOf<HTMLDetailsElement>}
 */
const foldsOf = (which) => document.querySelectorAll(`.fold${which}`);
