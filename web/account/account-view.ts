/** The account on the page: figures, networks and keys, and the usage of a period, as a chart and as a table with the same figures. */
import { button, byId, el, input, write, shape } from '../shared/dom.ts';
import { fill, language, longDay, longMoment, money, number } from '../shared/i18n.ts';
import { accountTexts } from '../texts/account.ts';
import { table } from '../shared/table.ts';
import type { AccountBody as Account, UsageBody } from '../../src/features/account/wire.ts';

export function showAccount(account: Account, revoke: (key: Account['keys'][number]) => Promise<void>) {
  const texts = accountTexts[language];
  byId('name').textContent = account.name;
  byId('key-id').textContent = fill(texts.keyId, { id: account.id, day: longDay(account.createdAt) });
  byId('suspended').hidden = !account.isSuspended;
  write('figures', figuresOf(account));
  byId('coverage').textContent = account.month.elsewhere === null ? texts.incomplete : texts.utc;
  for (const id of ['billing', 'further']) byId(id).hidden = !account.isBilled;
  showBudget(account);
  showNetworks(account);
  showReplaced(account);
  showOthers(account, revoke);
}

/** Of a service without batches the account says nothing of their rows. */
export const hasBatches = ({ batchRowsToday }: Account) => (batchRowsToday as number | undefined) !== undefined;

function figuresOf(account: Account) {
  const { hour, limits, month, cost, batchRowsToday } = account;
  const texts = accountTexts[language];
  const renewed = { limit: number(limits.perHour), minutes: number(Math.ceil(hour.renewedInS / 60)) };
  const budget = { budget: number(month.budgetPerMonth ?? 0), month: month.month };
  return [
    figure(texts.leftThisHour, number(hour.left), fill(texts.ofPerHour, renewed)),
    figure(texts.usedThisMonth, number(month.used), usedFrom(month, hasBatches(account))),
    month.budgetPerMonth === null
      ? figure(texts.leftOfBudget, '–', texts.noBudget)
      : month.left === null
        ? figure(texts.leftOfBudget, '?', texts.notKnown)
        : figure(texts.leftOfBudget, number(month.left), fill(texts.ofBudget, budget)),
    costFigure(cost),
    hasBatches(account) &&
      figure(
        texts.batchRows,
        number(batchRowsToday),
        limits.batchRowsPerDay === 0
          ? texts.noBatches
          : fill(texts.ofPerDay, { limit: number(limits.batchRowsPerDay) }),
      ),
  ];
}

function usedFrom({ lookups, batchRows: rows, elsewhere }: Account['month'], hasBatches: boolean) {
  const counts = { lookups, ...(hasBatches || rows > 0 ? { rows } : {}), ...(elsewhere ? { elsewhere } : {}) };
  const { used } = accountTexts[language];
  return Object.entries(counts)
    .map(([of, n]) => fill(used[of as keyof typeof used], { n: number(n) }))
    .join(', ');
}

function costFigure(cost: Account['cost']) {
  const texts = accountTexts[language];
  if (!cost) return figure(texts.cost, texts.notBilled, texts.notBilledNote);
  const { amount, currency, perLookup, lookups } = cost;
  if (amount === null || currency === null || perLookup === null) return figure(texts.cost, '?', texts.costUnknown);
  const note = fill(texts.costOf, { lookups: number(lookups), price: money(perLookup, currency) });
  return figure(texts.cost, money(amount, currency), note);
}

const figure = (name: string, value: string, note: string) =>
  el('div', el('dt', name), el('dd.value', value), el('dd.soft', note));

function showBudget({ limits: { budgetPerMonth: most }, month }: Account) {
  input('budget-value').value = String(month.ownBudgetPerMonth ?? '');
  byId('budget-most').hidden = most === null;
  if (most !== null) byId('budget-most').textContent = fill(accountTexts[language].budgetMost, { most: number(most) });
}

function showNetworks({ networks, askedFrom }: Account) {
  byId('networks-note').textContent = fill(accountTexts[language].networksNote, { from: askedFrom });
  networksField().value = networks.join('\n');
}

export const networksField = () => byId('networks-value') as HTMLTextAreaElement;

/** A key that a rotation has replaced changes nothing. */
function showReplaced({ secrets }: Account) {
  const endsAt = secrets.find(({ isThis }) => isThis)?.endsAt ?? null;
  byId('replaced').hidden = endsAt === null;
  if (endsAt !== null)
    byId('replaced').textContent = fill(accountTexts[language].replaced, { time: longMoment(endsAt) });
  const controls = document.querySelectorAll('#budget button, #networks button, #rotate button, #further button');
  for (const control of controls as NodeListOf<HTMLButtonElement>) control.disabled = endsAt !== null;
}

function showOthers({ keys }: Account, revoke: (key: Account['keys'][number]) => Promise<void>) {
  const texts = accountTexts[language];
  const items = keys.map((key) => {
    const { id, name, createdAt, lastUsedAt } = key;
    const used = lastUsedAt === null ? texts.never : longMoment(lastUsedAt);
    return el(
      'li',
      el('span', fill(texts.otherKey, { id, name, used, day: longDay(createdAt) })),
      button(texts.revoke, () => revoke(key), { 'aria-label': `${texts.revoke}: ${name} (${id})` }),
    );
  });
  write('others', items.length > 0 ? items : el('li', texts.noOthers));
}

/** Shows a key that was just made; nobody can show it again. */
export function showNewKey(key: string, note: string) {
  byId('new-key-note').textContent = note;
  byId('new-key-value').textContent = key;
  byId('new-key-curl').textContent = curlOf(key);
  byId('new-key').hidden = false;
  byId('new-key-heading').focus();
}

export function hideSecrets() {
  for (const element of document.querySelectorAll('.secret')) element.textContent = '';
  for (const element of document.querySelectorAll('#new-key, #webhook-shown')) element.setAttribute('hidden', '');
}

const curlOf = (key: string) =>
  [
    `curl -s ${location.origin}/api/lookup \\`,
    `  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '${byId('new-key-curl').dataset['request'] ?? ''}'`,
  ].join('\n');

/** A day or a month. */
type Bar = { label: string; lookups: number; batchRows: number };

const SVG = 'http://www.w3.org/2000/svg';
/** Widest drawing; narrower ones keep their letters readable on a phone. */
const MOST_WIDTH = 720;
const LEAST_WIDTH = 260;
const HEIGHT = 220;
/** Room for the scale at the left and the labels below. */
const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;
/** Room of one label below the bars. */
const LABEL_WIDTH = 80;

const DAY_MS = 86_400_000;

const choice = (id: string) => (byId(id) as HTMLSelectElement).value;

/** What is chosen, in days of UTC. */
export function askedPeriod() {
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

/** `hasBatches`: of the service; rows of earlier batches are shown in any case. */
export function showUsage({ of, covers, days, months, total, ...asked }: UsageBody, hasBatches: boolean) {
  const texts = accountTexts[language];
  const byMonth = choice('span') === '365';
  const bars = byMonth
    ? months.map(({ month, ...counts }) => ({ label: shortDay(`${month}-01`, { year: 'numeric' }), ...counts }))
    : days.map(({ day, ...counts }) => ({ label: shortDay(day, { day: 'numeric' }), ...counts }));
  const period = { from: longDay(asked.from), to: longDay(asked.to) };
  const whose = of === 'key' ? texts.page.ofKey : texts.page.ofCustomer;
  const caption = fill(texts.tableCaption, { whose, ...period });
  const hasRows = hasBatches || total.batchRows > 0;
  write('chart', chartOf(bars, { ...period, hasRows, room: byId('chart').clientWidth }));
  write('table', tableOf(bars, { caption, hasRows, head: byMonth ? texts.month : texts.day }));
  byId('usage-note').textContent = covers === 'machine' ? texts.machine : '';
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The month with the year or with the day. */
const shortDay = (day: string, besides: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(`${language}-CA`, { month: 'short', timeZone: 'UTC', ...besides }).format(new Date(day));

/** Bars of lookups, with those of rows on top of them. `room`: width that there is, in pixels. */
function chartOf(
  bars: readonly Bar[],
  { from, to, hasRows, room }: { from: string; to: string; hasRows: boolean; room: number },
) {
  const texts = accountTexts[language];
  const total = number(bars.reduce((sum, { lookups, batchRows }) => sum + lookups + batchRows, 0));
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, room));
  const most = scaleOf(Math.max(1, ...bars.map(({ lookups, batchRows }) => lookups + batchRows)));
  const height = (value: number) => (value / most) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT) / Math.max(1, bars.length);
  const perLabel = Math.ceil((bars.length * LABEL_WIDTH) / (width - LEFT));
  const base = HEIGHT - BOTTOM;
  const svg = drawn('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: 'img',
    'aria-label': fill(texts.chart, { what: hasRows ? texts.lookupsAndRows : texts.lookups, from, to, total }),
  });
  for (const share of [0, 0.5, 1]) {
    const y = base - height(most * share);
    svg.append(
      drawn('line', { class: 'grid', x1: LEFT, x2: width, y1: y, y2: y }),
      drawn('text', { class: 'scale', x: LEFT - 8, y: y + 4 }, number(most * share)),
    );
  }
  bars.forEach(({ label, lookups, batchRows }, i) => {
    const [x, thick] = [LEFT + i * step + step * 0.15, step * 0.7];
    const rows = hasRows ? `, ${texts.rows} ${number(batchRows)}` : '';
    const words = `${label}: ${texts.lookups} ${number(lookups)}${rows}`;
    const part = (of: string, count: number, top: number) =>
      drawn('rect', { class: of, x, width: thick, y: base - height(top), height: height(count) });
    const parts = [part('lookups', lookups, lookups), part('rows', batchRows, lookups + batchRows)];
    svg.append(drawn('g', {}, drawn('title', {}, words), ...parts));
    if (i % perLabel === 0) svg.append(drawn('text', { class: 'label', x: x + thick / 2, y: HEIGHT - 6 }, label));
  });
  const legend = el(
    'p.chart-legend',
    { 'aria-hidden': 'true' },
    shape('key lookups'),
    `${texts.lookups} `,
    shape('key rows'),
    texts.rows,
  );
  return [svg, hasRows && legend];
}

/** `head`: what stands above the days or months. */
function tableOf(
  bars: readonly Bar[],
  { caption, head, hasRows }: { caption: string; head: string; hasRows: boolean },
) {
  const texts = accountTexts[language];
  const sum = (of: 'lookups' | 'batchRows') => bars.reduce((all, bar) => all + bar[of], 0);
  return table<Bar>(
    [
      { name: head, of: ({ label }) => label, isName: true },
      { name: texts.lookups, of: ({ lookups }) => number(lookups) },
      hasRows && { name: texts.rows, of: ({ batchRows }) => number(batchRows) },
      hasRows && { name: texts.sum, of: ({ lookups, batchRows }) => number(lookups + batchRows) },
    ],
    {
      caption: el('span', { id: 'table-caption' }, caption),
      rows: bars,
      sum: { label: texts.total, lookups: sum('lookups'), batchRows: sum('batchRows') },
    },
  );
}

/** The end of the scale: 1, 2 or 5 and zeros, so that its half is a whole number from 2 on. */
function scaleOf(most: number) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [2, 4, 6, 10].map((factor) => factor * power).find((end) => end >= most) ?? most;
}

function drawn(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}
