/** The account on the page: figures, networks and keys. */
import { byId, el, input } from '../shared/dom.js';
import { fill, longDay, longMoment, money, number } from '../shared/i18n.js';

/**
 * @typedef {import('../shared/session.js').Language} Language
 * @typedef {import('./account-api.js').Account} Account
 * @typedef {import('../texts/account-words.js').AccountTexts} AccountTexts
 * @typedef {{ language: Language, texts: AccountTexts }} Words
 */

/**
 * @param {Words} words
 * @param {Account} account
 * @param {(key: Account['keys'][number]) => void} revoke
 */
export function showAccount(words, account, revoke) {
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

/**
 * @param {Words} words
 * @param {Account} account
 */
function figuresOf({ language, texts }, { hour, limits, month, cost, batchRowsToday }) {
  const n = (/** @type {number} */ value) => number(language, value);
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
    batchRowsToday === undefined
      ? ''
      : figure(
          texts.batchRows,
          n(batchRowsToday),
          limits.batchRowsPerDay === 0 ? texts.noBatches : fill(texts.ofPerDay, { limit: n(limits.batchRowsPerDay) }),
        ),
  ];
}

/**
 * @param {Words} words
 * @param {Account['cost']} cost
 */
function costFigure({ language, texts }, cost) {
  if (!cost) return figure(texts.cost, texts.notBilled, texts.notBilledNote);
  const { amount, currency, perLookup, lookups } = cost;
  if (amount === null || currency === null || perLookup === null) return figure(texts.cost, '?', texts.costUnknown);
  const note = fill(texts.costOf, {
    lookups: number(language, lookups),
    price: money(language, perLookup, currency),
  });
  return figure(texts.cost, money(language, amount, currency), note);
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} note
 */
const figure = (name, value, note) =>
  el('div', {}, el('dt', {}, name), el('dd', { className: 'value' }, value), el('dd', { className: 'soft' }, note));

/**
 * @param {Words} words
 * @param {Account} account
 */
function showBudget({ language, texts }, { limits: { budgetPerMonth: most }, month }) {
  input('budget-value').value = String(month.ownBudgetPerMonth ?? '');
  byId('budget-most').hidden = most === null;
  if (most !== null) byId('budget-most').textContent = fill(texts.budgetMost, { most: number(language, most) });
}

/**
 * @param {Words} words
 * @param {Account} account
 */
function showNetworks({ texts }, { networks, askedFrom }) {
  byId('networks-note').textContent = fill(texts.networksNote, { from: askedFrom });
  networksField().value = networks.join('\n');
}

export function networksField() {
  return /** @type {HTMLTextAreaElement} */ (byId('networks-value'));
}

/**
 * A key that a rotation has replaced changes nothing.
 * @param {Words} words
 * @param {Account} account
 */
function showReplaced({ language, texts }, { secrets }) {
  const endsAt = secrets.find(({ isThis }) => isThis)?.endsAt ?? null;
  byId('replaced').hidden = endsAt === null;
  if (endsAt !== null)
    byId('replaced').textContent = fill(texts.replaced, { time: longMoment(language, new Date(endsAt)) });
  const controls = document.querySelectorAll('#budget button, #networks button, #rotate button, #further button');
  for (const control of /** @type {NodeListOf<HTMLButtonElement>} */ (controls)) control.disabled = endsAt !== null;
}

/**
 * @param {Words} words
 * @param {Account} account
 * @param {(key: Account['keys'][number]) => void} revoke
 */
function showOthers({ language, texts }, { keys }, revoke) {
  const items = keys.map((key) => {
    const { id, name, createdAt, lastUsedAt } = key;
    const used = lastUsedAt === null ? texts.never : longMoment(language, new Date(lastUsedAt));
    const label = `${texts.revoke}: ${name} (${id})`;
    return el(
      'li',
      {},
      el('span', {}, fill(texts.otherKey, { id, name, used, day: longDay(language, createdAt) })),
      el('button', { type: 'button', 'aria-label': label, onclick: () => revoke(key) }, texts.revoke),
    );
  });
  byId('others').replaceChildren(...(items.length > 0 ? items : [el('li', {}, texts.noOthers)]));
}

/**
 * Shows a key that was just made; nobody can show it again.
 * @param {string} key
 * @param {string} note
 */
export function showNewKey(key, note) {
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

/** @param {string} key */
const curlOf = (key) =>
  [
    `curl -s ${location.origin}/api/lookup \\`,
    `  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '{"address": "100 Queen St W, Toronto, ON"}'`,
  ].join('\n');
