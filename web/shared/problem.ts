/** What went wrong, in words, with what to do about it. */
import { button, byId, el, input, write } from './dom.ts';
import { fill, longDay, longMoment, texts } from './i18n.ts';
import type { Problem } from './api.ts';

const UNREAD = new Set(['MUNICIPALITY_REQUIRED', 'CIVIC_NUMBER_REQUIRED']);

/** `lookUp`: called with a suggestion that was chosen. `words`: as those for a lookup, where they do not fit. */
export function showProblem(
  { problem, retryAfterS }: { problem: Problem; retryAfterS: number | null },
  lookUp: (address: string) => void,
  words: Record<string, string> = {},
) {
  const { code, detail = '', suggestions = [] } = problem;
  const text = wordsFor(problem, words, texts.problems);
  const values = { code, detail, wait: wait(retryAfterS ?? 60), since: sinceOf(problem) };
  const choices = suggestions.map((address) =>
    el(
      'li',
      button(address, () => lookUp(address), { className: 'suggestion' }),
    ),
  );
  write(
    'problem',
    el('p.problem-text', fill(text ?? texts.problems.other, values)),
    // Better than nothing, in the language of the service.
    text === undefined && detail !== '' && el('p', { lang: 'en' }, detail),
    moreOf(problem).map((more) => el('p', more)),
    choices.length > 0 && [el('p', texts.suggestions), el('ul.suggestions', choices)],
  );
  byId('problem').hidden = false;
}

/**
 * The words for a problem by its reason, else by what in the request is wrong, else by its code; undefined when there are none. `known`: the first that
 * has words for it is taken.
 */
function wordsFor({ code, reason = '', param = '' }: Problem, ...known: readonly Record<string, string>[]) {
  const [place = ''] = /[^/]+/.exec(param) ?? [];
  return known.flatMap((words) => [words[reason], words[place], words[code]]).find((text) => typeof text === 'string');
}

const sinceOf = ({ since }: Problem) => (since === undefined ? '' : longMoment(since));

/** Why, or since when, where the code alone does not say it. */
function moreOf(problem: Problem): string[] {
  const { code, reason = '', since } = problem;
  if (code === 'PAYMENT_REQUIRED' && since) return [fill(texts.suspendedSince, { since: sinceOf(problem) })];
  const more = (texts.reasons as Record<string, string>)[problem.hint ?? reason];
  // What is missing of an address would be wrong advice.
  if (UNREAD.has(reason) && !isLikeAnAddress(input('address').value)) return [texts.notAnAddress];
  return more === undefined ? [] : [more];
}

/** An address has several words, of letters and numbers, and none of the signs of markup and programs. */
const isLikeAnAddress = (text: string) => /\S\s+\S/.test(text.trim()) && !/[<>{}[\]=|\\^~`$%*]/.test(text);

/** Why a row has no answer. */
export function reasonOf(problem: Problem) {
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
  byId('problem').hidden = true;
  write('problem');
}

/** Adds the place that was meant, to be asked for. */
export const offerMeant = ({ lat, lon }: { lat: number; lon: number }, ask: () => void) =>
  byId('problem').append(
    button(fill(texts.meant, { point: `${lat}, ${lon}` }), ask, { id: 'meant', className: 'suggestion' }),
  );

export const offerRetry = (retry: () => void) =>
  byId('problem').append(el('p', button(texts.tryAgain, retry, { id: 'retry' })));

const HOUR_MS = 3_600_000;
/** What ends later than this ends with a day. */
const DAYS_S = 36 * 3600;

/** When to come back: in some seconds or minutes, at a time, or on a day. */
function wait(seconds: number) {
  if (seconds <= 90) return fill(texts.seconds, { n: Math.max(1, Math.ceil(seconds)) });
  if (seconds <= 90 * 60) return fill(texts.minutes, { n: Math.ceil(seconds / 60) });
  const end = new Date(Date.now() + seconds * 1000);
  if (seconds <= DAYS_S) return fill(texts.atTime, { time: longMoment(end) });
  // A clock that is a little slow must not name the day before.
  const hour = new Date(Math.round(end.getTime() / HOUR_MS) * HOUR_MS);
  return fill(texts.onDay, { day: longDay(hour.toISOString()) });
}
