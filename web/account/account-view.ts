/** The account on the page: figures, networks and keys. */
import { button, byId, el, input, write } from '../shared/dom.ts';
import { fill, language, longDay, longMoment, money, number } from '../shared/i18n.ts';
import { accountTexts } from '../texts/account.ts';
import type { AccountBody as Account } from '../../src/messages/wire/account.ts';

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
