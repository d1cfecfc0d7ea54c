/** What went wrong, in words, with what to do about it. */
import { byId, el, input } from './dom.ts';
import { fill, longDay, longMoment, textsIn } from './i18n.ts';
import type { Problem } from './api.ts';
import type { Language } from './session.ts';

const UNREAD = new Set(['MUNICIPALITY_REQUIRED', 'CIVIC_NUMBER_REQUIRED']);

/** `lookUp`: called with a suggestion that was chosen. `words`: as those for a lookup, where they do not fit. */
export function showProblem(
  language: Language,
  { problem, retryAfterS }: { problem: Problem; retryAfterS: number | null },
  lookUp: (address: string) => void,
  words: Record<string, string> = {},
) {
  const texts = textsIn(language);
  const { code, detail = '', suggestions = [] } = problem;
  const text = wordsFor(problem, words, texts.problems);
  const values = {
    ...{ code, detail },
    wait: wait(language, retryAfterS ?? 60),
    since: sinceOf(language, problem),
  };
  const box = byId('problem');
  box.replaceChildren(el('p', { className: 'problem-text' }, fill(text ?? texts.problems.other, values)));
  // Better than nothing, in the language of the service.
  if (text === undefined && detail !== '') box.append(el('p', { lang: 'en' }, detail));
  box.append(...moreOf(language, problem).map((more) => el('p', {}, more)));
  if (suggestions.length > 0) {
    const buttons = suggestions.map((address) =>
      el(
        'li',
        {},
        el(
          'button',
          {
            type: 'button',
            className: 'suggestion',
            onclick: () => {
              lookUp(address);
            },
          },
          address,
        ),
      ),
    );
    box.append(el('p', {}, texts.suggestions), el('ul', { className: 'suggestions' }, ...buttons));
  }
  box.hidden = false;
}

/**
 * The words for a problem by its reason, else by what in the request is wrong, else by its code; undefined when there are none. `known`: the first that
 * has words for it is taken.
 */
function wordsFor({ code, reason = '', param = '' }: Problem, ...known: readonly Record<string, string>[]) {
  const [place = ''] = /[^/]+/.exec(param) ?? [];
  return known.flatMap((words) => [words[reason], words[place], words[code]]).find((text) => typeof text === 'string');
}

const sinceOf = (language: Language, { since }: Problem) =>
  since === undefined ? '' : longMoment(language, new Date(since));

/** Why, or since when, where the code alone does not say it. */
function moreOf(language: Language, problem: Problem): string[] {
  const texts = textsIn(language);
  const { code, reason = '', since } = problem;
  if (code === 'PAYMENT_REQUIRED' && since) return [fill(texts.suspendedSince, { since: sinceOf(language, problem) })];
  const more = (texts.reasons as Record<string, string>)[problem.hint ?? reason];
  // What is missing of an address would be wrong advice.
  if (UNREAD.has(reason) && !isLikeAnAddress(input('address').value)) return [texts.notAnAddress];
  return more === undefined ? [] : [more];
}

/** An address has several words, of letters and numbers, and none of the signs of markup and programs. */
const isLikeAnAddress = (text: string) => /\S\s+\S/.test(text.trim()) && !/[<>{}[\]=|\\^~`$%*]/.test(text);

/** Why a row has no answer. */
export function reasonOf(language: Language, problem: Problem) {
  const texts = textsIn(language);
  const { code, reason = '', hint = reason, detail = '', suggestions = [] } = problem;
  const why = (texts.reasons as Record<string, string>)[hint];
  // A row does not say when to come back.
  const told = (wordsFor(problem, texts.problems) ?? texts.problems.other).replace(/ [^.]*\{wait\}\./, '');
  return [
    why ?? fill(told, { code, detail }),
    ...(suggestions.length > 0 ? [texts.suggestions, suggestions.join(' / ')] : []),
  ].join(' ');
}

export function hideProblem() {
  const box = byId('problem');
  box.hidden = true;
  box.replaceChildren();
}

/** Adds the place that was meant, to be asked for. */
export function offerMeant(language: Language, { lat, lon }: { lat: number; lon: number }, ask: () => void) {
  const text = fill(textsIn(language).meant, { point: `${lat}, ${lon}` });
  byId('problem').append(el('button', { type: 'button', id: 'meant', className: 'suggestion', onclick: ask }, text));
}

export function offerRetry(language: Language, retry: () => void) {
  const { tryAgain } = textsIn(language);
  byId('problem').append(el('p', {}, el('button', { type: 'button', id: 'retry', onclick: retry }, tryAgain)));
}

const HOUR_MS = 3_600_000;
/** What ends later than this ends with a day. */
const DAYS_S = 36 * 3600;

/** When to come back: in some seconds or minutes, at a time, or on a day. */
function wait(language: Language, seconds: number) {
  const texts = textsIn(language);
  if (seconds <= 90) return fill(texts.seconds, { n: Math.max(1, Math.ceil(seconds)) });
  if (seconds <= 90 * 60) return fill(texts.minutes, { n: Math.ceil(seconds / 60) });
  const end = new Date(Date.now() + seconds * 1000);
  if (seconds <= DAYS_S) return fill(texts.atTime, { time: longMoment(language, end) });
  // A clock that is a little slow must not name the day before.
  const hour = new Date(Math.round(end.getTime() / HOUR_MS) * HOUR_MS);
  return fill(texts.onDay, { day: longDay(language, hour.toISOString()) });
}
