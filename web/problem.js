/** What went wrong, in words, with what to do about it. */
import { byId, el, input } from './dom.js';
import { fill, longMoment, textsIn } from './i18n.js';

/**
 * @typedef {import('./api.js').Problem} Problem
 * @typedef {import('./session.js').Language} Language
 */

const UNREAD = new Set(['MUNICIPALITY_REQUIRED', 'CIVIC_NUMBER_REQUIRED']);

/**
 * @param {Language} language
 * @param {{ problem: Problem, retryAfterS: number | null }} failure
 * @param {(address: string) => void} lookUp called with a suggestion that was chosen
 * @param {Record<string, string>} [words] by code, where those for a lookup do not fit
 */
export function showProblem(language, { problem, retryAfterS }, lookUp, words = {}) {
  const texts = textsIn(language);
  const known = /** @type {Record<string, string>} */ ({ ...texts.problems, ...words });
  const reasons = /** @type {Record<string, string>} */ (texts.reasons);
  const suggestions = problem.suggestions ?? [];
  const box = byId('problem');
  box.replaceChildren(
    el(
      'p',
      { className: 'problem-text' },
      fill(known[problem.code] ?? texts.problems.other, {
        code: problem.code,
        detail: problem.detail ?? '',
        wait: wait(language, retryAfterS ?? 60),
      }),
    ),
  );
  // A single word is no address: what is missing of one would be wrong advice.
  const isUnread = UNREAD.has(problem.reason ?? '') && /^\S+$/.test(input('address').value.trim());
  const reason = isUnread ? texts.notAnAddress : reasons[problem.reason ?? ''];
  if (reason) box.append(el('p', {}, reason));
  if (suggestions.length > 0) {
    const buttons = suggestions.map((address) =>
      el('li', {}, el('button', { type: 'button', className: 'suggestion', onclick: () => lookUp(address) }, address)),
    );
    box.append(el('p', {}, texts.suggestions), el('ul', { className: 'suggestions' }, ...buttons));
  }
  box.hidden = false;
}

/**
 * Why a row has no answer: what is known of it in words, otherwise what the service says.
 * @param {Language} language
 * @param {Problem} problem
 */
export function reasonOf(language, { code, reason = '', detail = '', suggestions = [] }) {
  const texts = textsIn(language);
  const known = /** @type {Record<string, string>} */ (texts.problems);
  const why = /** @type {Record<string, string>} */ (texts.reasons)[reason];
  const told = why ?? fill(known[code] ?? texts.problems.other, { code, detail, wait: '' });
  return [told, ...(suggestions.length > 0 ? [texts.suggestions, suggestions.join(' / ')] : [])].join(' ');
}

export function hideProblem() {
  const box = byId('problem');
  box.hidden = true;
  box.replaceChildren();
}

/**
 * @param {Language} language
 * @param {() => void} retry
 */
export function offerRetry(language, retry) {
  const { tryAgain } = textsIn(language);
  byId('problem').append(el('p', {}, el('button', { type: 'button', id: 'retry', onclick: retry }, tryAgain)));
}

/**
 * When to come back: in some seconds or minutes, or at a time, or on a day.
 * @param {Language} language
 * @param {number} seconds
 */
function wait(language, seconds) {
  const texts = textsIn(language);
  if (seconds <= 90) return fill(texts.seconds, { n: Math.max(1, Math.ceil(seconds)) });
  if (seconds <= 90 * 60) return fill(texts.minutes, { n: Math.ceil(seconds / 60) });
  return fill(texts.onDay, { day: longMoment(language, new Date(Date.now() + seconds * 1000)) });
}
