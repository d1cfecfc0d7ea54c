/** The period that the account page shows, and its usage. */
import { byId } from '../shared/dom.js';
import { fill, longDay } from '../shared/i18n.js';
import { chartOf, tableOf, titleOf } from './usage-view.js';

/** @typedef {import('./account-view.js').Words} Words */

const DAY_MS = 86_400_000;

/** @param {string} id */
const choice = (id) => /** @type {HTMLSelectElement} */ (byId(id)).value;

/**
 * What is chosen, in days of UTC.
 * @returns {import('./account-api.js').AskedUsage}
 */
export function askedPeriod() {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const [from, to] = /** @type {Record<string, [number, number]>} */ ({
    month: [Date.UTC(year, month), now.getTime()],
    last: [Date.UTC(year, month - 1), Date.UTC(year, month) - DAY_MS],
    30: [now.getTime() - 29 * DAY_MS, now.getTime()],
    365: [Date.UTC(year, month - 11), now.getTime()],
  })[choice('span')] ?? [now.getTime(), now.getTime()];
  return { from: dayOf(from), to: dayOf(to), of: choice('whose') === 'customer' ? 'customer' : 'key' };
}

/**
 * @param {Words} words
 * @param {import('./account-api.js').Usage} usage
 */
export function showUsage(words, { from, to, of, covers, days, months }) {
  const { language, texts } = words;
  const byMonth = choice('span') === '365';
  const bars = byMonth
    ? months.map(({ month, ...counts }) => ({ label: shortMonth(language, month), ...counts }))
    : days.map(({ day, ...counts }) => ({ label: shortDay(language, day), ...counts }));
  const period = { from: longDay(language, from), to: longDay(language, to) };
  const title = titleOf({ ...words, bars, ...period });
  const whose = of === 'key' ? texts.page.ofKey : texts.page.ofCustomer;
  const caption = fill(texts.tableCaption, { whose, ...period });
  byId('chart').replaceChildren(...chartOf({ ...words, bars, title, room: byId('chart').clientWidth }));
  const head = byMonth ? texts.month : texts.day;
  byId('table').replaceChildren(tableOf({ ...words, bars, title, caption, head }));
  byId('usage-note').textContent = covers === 'machine' ? texts.machine : '';
}

/** @param {number} ms */
const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/**
 * @param {import('../shared/session.js').Language} language
 * @param {string} day
 */
const shortDay = (language, day) =>
  new Intl.DateTimeFormat(`${language}-CA`, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(day));

/**
 * @param {import('../shared/session.js').Language} language
 * @param {string} month
 */
const shortMonth = (language, month) =>
  new Intl.DateTimeFormat(`${language}-CA`, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01`),
  );
