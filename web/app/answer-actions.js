/** What can be done with the answer that is shown: copy it, copy a link to its question or to itself, print it. */
import { answerText } from './answer-link.js';
import { byId } from '../shared/dom.js';
import { fill, longMoment, textsIn } from '../shared/i18n.js';
import { linkOfAnswer, urlOf } from '../shared/question.js';
import { copy, say } from '../shared/status.js';

/**
 * @param {{ language: () => import('../shared/session.js').Language, shown: () => import('../shared/kept-answers.js').GivenAnswer | null, preparePrint: () => Promise<void> }} options
 */
export function takeActions({ language, shown, preparePrint }) {
  byId('copy-json').addEventListener('click', () => {
    const { copiedJson, notCopied } = textsIn(language());
    void copy(JSON.stringify(shown()?.body, null, 2), { done: copiedJson, failed: notCopied });
  });
  byId('copy-link').addEventListener('click', () => {
    const { copiedLink, notCopied, area } = textsIn(language());
    const answer = shown();
    // What stands in the address bar then is the answer.
    const link = answer?.isShared ? new URL(urlOf(answer.question), location.href) : location;
    if (link.hash === '') say(area.tooLongForLink);
    else void copy(link.href, { done: copiedLink, failed: notCopied });
  });
  byId('share').addEventListener('click', () => {
    const answer = shown();
    if (answer) void shareAnswer(language(), answer);
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
 * @param {import('../shared/session.js').Language} language
 * @param {import('../shared/kept-answers.js').GivenAnswer} answer
 */
async function shareAnswer(language, answer) {
  const { copiedAnswer, notCopied, tooLongToShare } = textsIn(language);
  const text = await answerText(answer);
  if (text === null) {
    say(tooLongToShare);
    return;
  }
  const link = new URL(`#${linkOfAnswer(text)}`, location.href).href;
  const time = longMoment(language, new Date(answer.givenAt));
  await copy(link, { done: fill(copiedAnswer, { time }), failed: notCopied });
}

/**
 * Folded on the screen, whole on paper.
 * @param {string} which
 * @returns {NodeListOf<HTMLDetailsElement>}
 */
const foldsOf = (which) => document.querySelectorAll(`.fold${which}`);
