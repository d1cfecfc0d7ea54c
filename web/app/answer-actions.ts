/** What can be done with the answer that is shown: copy it, copy a link to its question or to itself, print it. */
import { answerText } from './answer-link.ts';
import { byId } from '../shared/dom.ts';
import { fill, longMoment, textsIn } from '../shared/i18n.ts';
import { linkOfAnswer, urlOf } from '../shared/question.ts';
import { copy, say } from '../shared/status.ts';
import type { Language } from '../shared/session.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';

export function takeActions({
  language,
  shown,
  preparePrint,
}: {
  language: () => Language;
  shown: () => GivenAnswer | null;
  preparePrint: () => Promise<void>;
}) {
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
  byId('print').addEventListener(
    'click',
    () =>
      void preparePrint().then(() => {
        window.print();
      }),
  );
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

async function shareAnswer(language: Language, answer: GivenAnswer) {
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

/** Folded on the screen, whole on paper. */
const foldsOf = (which: string): NodeListOf<HTMLDetailsElement> => document.querySelectorAll(`.fold${which}`);
