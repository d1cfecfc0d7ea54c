/** The account on the page: figures, networks and keys. */
import { byId, el, input } from '../shared/dom.ts';
import { fill, longDay, longMoment, money, number } from '../shared/i18n.ts';
import type { Language } from '../shared/session.ts';
import type { Account } from './account-api.ts';
import type { accountTexts } from '../texts/account.ts';

export type Words = { language: Language; texts: (typeof accountTexts)[Language] };

export function showAccount(words: Words, account: Account, revoke: (key: Account['keys'][number]) => Promise<void>) {
  const { language, texts } = words;
  byId('name').textContent = account.name;
  byId('key-id').textContent = fill(texts.keyId, { id: account.id, day: longDay(language, account.createdAt) });
  byId('suspended').hidden = !account.isSuspended;
  byId('figures').replaceChildren(...figuresOf(words, account));
  byId('coverage').textContent = account.month.elsewhere === null ? texts.incomplete : texts.utc;
  for (const id of ['billing', 'further']) byId(id).hidden = !account.isBilled;
  showBudget(words, account);
  showNetworks(words, account);
  showReplaced(words, account);
  showOthers(words, account, revoke);
}

function figuresOf({ language, texts }: Words, { hour, limits, month, cost, batchRowsToday }: Account) {
  const n = (value: number) => number(language, value);
  const counts = { lookups: n(month.lookups), rows: n(month.batchRows), elsewhere: n(month.elsewhere ?? 0) };
  return [
    figure(
      texts.leftThisHour,
      n(hour.left),
      fill(texts.ofPerHour, { limit: n(limits.perHour), minutes: n(Math.ceil(hour.renewedInS / 60)) }),
    ),
    figure(
      texts.usedThisMonth,
      n(month.used),
      fill((month.elsewhere ?? 0) > 0 ? texts.withElsewhere : texts.lookupsAndRows, counts),
    ),
    month.budgetPerMonth === null
      ? figure(texts.leftOfBudget, '–', texts.noBudget)
      : figure(
          texts.leftOfBudget,
          month.left === null ? '?' : n(month.left),
          month.left === null
            ? texts.notKnown
            : fill(texts.ofBudget, { budget: n(month.budgetPerMonth), month: month.month }),
        ),
    costFigure({ language, texts }, cost),
    // Missing where the service has no batches.
    (batchRowsToday as number | undefined) === undefined
      ? ''
      : figure(
          texts.batchRows,
          n(batchRowsToday),
          limits.batchRowsPerDay === 0 ? texts.noBatches : fill(texts.ofPerDay, { limit: n(limits.batchRowsPerDay) }),
        ),
  ];
}

function costFigure({ language, texts }: Words, cost: Account['cost']) {
  if (!cost) return figure(texts.cost, texts.notBilled, texts.notBilledNote);
  const { amount, currency, perLookup, lookups } = cost;
  if (amount === null || currency === null || perLookup === null) return figure(texts.cost, '?', texts.costUnknown);
  const note = fill(texts.costOf, {
    lookups: number(language, lookups),
    price: money(language, perLookup, currency),
  });
  return figure(texts.cost, money(language, amount, currency), note);
}

const figure = (name: string, value: string, note: string) =>
  el('div', {}, el('dt', {}, name), el('dd', { className: 'value' }, value), el('dd', { className: 'soft' }, note));

function showBudget({ language, texts }: Words, { limits: { budgetPerMonth: most }, month }: Account) {
  input('budget-value').value = String(month.ownBudgetPerMonth ?? '');
  byId('budget-most').hidden = most === null;
  if (most !== null) byId('budget-most').textContent = fill(texts.budgetMost, { most: number(language, most) });
}

function showNetworks({ texts }: Words, { networks, askedFrom }: Account) {
  byId('networks-note').textContent = fill(texts.networksNote, { from: askedFrom });
  networksField().value = networks.join('\n');
}

export function networksField() {
  return byId('networks-value') as HTMLTextAreaElement;
}

/** A key that a rotation has replaced changes nothing. */
function showReplaced({ language, texts }: Words, { secrets }: Account) {
  const endsAt = secrets.find(({ isThis }) => isThis)?.endsAt ?? null;
  byId('replaced').hidden = endsAt === null;
  if (endsAt !== null)
    byId('replaced').textContent = fill(texts.replaced, { time: longMoment(language, new Date(endsAt)) });
  const controls = document.querySelectorAll('#budget button, #networks button, #rotate button, #further button');
  for (const control of controls as NodeListOf<HTMLButtonElement>) control.disabled = endsAt !== null;
}

function showOthers(
  { language, texts }: Words,
  { keys }: Account,
  revoke: (key: Account['keys'][number]) => Promise<void>,
) {
  const items = keys.map((key) => {
    const { id, name, createdAt, lastUsedAt } = key;
    const used = lastUsedAt === null ? texts.never : longMoment(language, new Date(lastUsedAt));
    const label = `${texts.revoke}: ${name} (${id})`;
    return el(
      'li',
      {},
      el('span', {}, fill(texts.otherKey, { id, name, used, day: longDay(language, createdAt) })),
      el(
        'button',
        {
          type: 'button',
          'aria-label': label,
          onclick: () => {
            void revoke(key);
          },
        },
        texts.revoke,
      ),
    );
  });
  byId('others').replaceChildren(...(items.length > 0 ? items : [el('li', {}, texts.noOthers)]));
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
