/** The field of the key. It folds once the service has accepted the key, and shows what the key has left. */
import { has, request } from '../shared/api.ts';
import { forgetAllAsked } from '../shared/asked.ts';
import { byId, input } from '../shared/dom.ts';
import { textsIn } from '../shared/i18n.ts';
import { forgetAnswers } from '../shared/kept-answers.ts';
import {
  forgetKey,
  forgetOnDevice,
  isRemembering,
  keepKey,
  readKey,
  rememberKey,
  type Language,
} from '../shared/session.ts';
import { keyWords, setMeans, showMeans, type Left, type Means } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import type { AccountBody as Account } from '../../src/messages/wire/account.ts';

const TIMEOUT_MS = 15_000;
const MOST_WAIT_MS = 1000;

export class KeyField {
  #language: () => Language;
  /** Of a key that a visitor gets here. */
  #price: Means['price'];
  /** Of the key that was accepted last. */
  #known: { key: string; account: Account } | null = null;

  constructor({ language, price }: { language: () => Language; price: Means['price'] }) {
    this.#language = language;
    this.#price = price;
  }

  /** Begins, once the page's texts are there. */
  start() {
    setMeans(this.#language(), { price: this.#price, left: null, rows: null });
    const remember = input('remember');
    remember.checked = isRemembering();
    remember.addEventListener('change', () => {
      if (remember.checked) rememberKey(readKey());
      else forgetOnDevice();
    });
    byId('change-key').addEventListener('click', () => {
      this.open();
    });
    byId('forget-key').addEventListener('click', () => {
      this.#forget();
    });
    // Kept by another tab, or by this page before it was loaded again.
    if (this.#isFolded) this.#learnSoon(this.value);
  }

  get value() {
    return input('key').value.trim();
  }

  get #isFolded() {
    return byId('search').classList.contains('keyed');
  }

  /** Shows the field, to be filled anew. */
  open() {
    byId('search').classList.remove('keyed');
    input('key').focus();
    input('key').select();
  }

  /** Keeps a key that the service has accepted. `left`: lookups of this hour, where they are known. */
  accept(key: string, left: number | null = null) {
    keepKey(key);
    byId('search').classList.toggle('keyed', this.value === key);
    const account = this.#known?.key === key ? this.#known.account : null;
    // The header says nothing of months.
    if (account && left !== null && account.month.budgetPerMonth === null) this.#show(account, left);
    else this.#learnSoon(key);
  }

  translate() {
    showMeans(this.#language());
    byId('key-left').textContent = keyWords(this.#language()) ?? textsIn(this.#language()).page.keyKept;
  }

  /** Leaves what is under way its time, but not for ever: a browser that draws nothing may never say that it is idle. */
  #learnSoon(key: string) {
    requestIdleCallback(() => void this.#learn(key), { timeout: MOST_WAIT_MS });
  }

  async #learn(key: string) {
    if (!has('account')) return;
    const result = await request<Account>('/api/account', key, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (key !== this.value) return;
    if (result.ok) {
      this.#known = { key, account: result.body };
      this.#show(result.body, result.body.hour.left);
    } else if (result.problem.code === 'UNAUTHORIZED') {
      byId('search').classList.remove('keyed');
    }
  }

  #show({ month, cost, limits, batchRowsToday }: Account, hourLeft: number) {
    const hour = { n: hourLeft, of: 'hour' } as const;
    const today = { n: Math.max(0, limits.batchRowsPerDay - batchRowsToday), of: 'day' } as const;
    const inMonth = month.left === null ? null : ({ n: month.left, of: 'month' } as const);
    const least = (own: Left) => (inMonth && inMonth.n < own.n ? inMonth : own);
    const { perLookup = null, currency = null } = cost ?? {};
    const price = perLookup === null || currency === null ? null : { amount: perLookup, currency };
    setMeans(this.#language(), { price, left: least(hour), rows: has('batches') ? least(today) : null });
    this.translate();
  }

  #forget() {
    forgetKey();
    forgetAnswers();
    forgetAllAsked();
    this.#known = null;
    input('remember').checked = false;
    input('key').value = '';
    setMeans(this.#language(), { price: this.#price, left: null, rows: null });
    this.translate();
    this.open();
    say(textsIn(this.#language()).keyForgotten);
  }
}
