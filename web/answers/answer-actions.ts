/** What can be done with the answer that is shown: copy it, copy a link to its question or to itself, print it. */
import { answerText } from './answer-link.ts';
import { byId, onClick } from '../shared/dom.ts';
import { fill, longMoment, texts } from '../shared/i18n.ts';
import { linkOfAnswer, urlOf } from '../shared/question.ts';
import { copy, say } from '../shared/status.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';

export function takeActions(shown: () => GivenAnswer | null, preparePrint: () => Promise<void>) {
  onClick('copy-json', () =>
    copy(JSON.stringify(shown()?.body, null, 2), { done: texts.copiedJson, failed: texts.notCopied }),
  );
  onClick('copy-link', () => {
    const answer = shown();
    // What stands in the address bar then is the answer.
    const link = answer?.isShared ? new URL(urlOf(answer.question), location.href) : location;
    if (link.hash === '') say(texts.area.tooLongForLink);
    else void copy(link.href, { done: texts.copiedLink, failed: texts.notCopied });
  });
  onClick('share', () => {
    const answer = shown();
    if (answer) void shareAnswer(answer);
  });
  onClick('print', () => preparePrint().then(() => window.print()));
  const running = new CSSStyleSheet();
  document.adoptedStyleSheets.push(running);
  addEventListener('beforeprint', () => {
    void preparePrint();
    running.replaceSync(`@page { @top-left { content: ${quoted(byId('resolved').textContent)} } }`);
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

/** A text as a string of CSS. */
const quoted = (text: string) => `"${text.replace(/["\\\s]+/g, ' ')}"`;

async function shareAnswer(answer: GivenAnswer) {
  const text = await answerText(answer);
  if (text === null) {
    say(texts.tooLongToShare);
    return;
  }
  const link = new URL(`#${linkOfAnswer(text)}`, location.href).href;
  const done = fill(texts.copiedAnswer, { time: longMoment(answer.givenAt) });
  await copy(link, { done, failed: texts.notCopied });
}

/** Folded on the screen, whole on paper. */
const foldsOf = (which: string): NodeListOf<HTMLDetailsElement> => document.querySelectorAll(`.fold${which}`);
