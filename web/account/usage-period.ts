/** The period that the account page shows, and its usage. */
import { byId } from '../shared/dom.ts';
import { fill, longDay } from '../shared/i18n.ts';
import { chartOf, tableOf, titleOf } from './usage-view.ts';
import type { AskedUsage, Usage } from './account-api.ts';
import type { Language } from '../shared/session.ts';
import type { Words } from './account-view.ts';

const DAY_MS = 86_400_000;

const choice = (id: string) => (byId(id) as HTMLSelectElement).value;

/** What is chosen, in days of UTC. */
export function askedPeriod(): AskedUsage {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const [from, to] = (
    {
      month: [Date.UTC(year, month), now.getTime()],
      last: [Date.UTC(year, month - 1), Date.UTC(year, month) - DAY_MS],
      30: [now.getTime() - 29 * DAY_MS, now.getTime()],
      365: [Date.UTC(year, month - 11), now.getTime()],
    } as Record<string, [number, number]>
  )[choice('span')] ?? [now.getTime(), now.getTime()];
  return { from: dayOf(from), to: dayOf(to), of: choice('whose') === 'customer' ? 'customer' : 'key' };
}

export function showUsage(words: Words, { from, to, of, covers, days, months }: Usage) {
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

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const shortDay = (language: Language, day: string) =>
  new Intl.DateTimeFormat(`${language}-CA`, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(day));

const shortMonth = (language: Language, month: string) =>
  new Intl.DateTimeFormat(`${language}-CA`, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01`),
  );
