/** The field of the key. It folds once the service has accepted the key, and shows what the key has left. */
import { has, request } from '../shared/api.ts';
import { forgetAllAsked } from '../shared/asked.ts';
import { byId, input, onClick } from '../shared/dom.ts';
import { texts } from '../shared/i18n.ts';
import { forgetAnswers } from '../shared/kept-answers.ts';
import { forgetKey, forgetOnDevice, isRemembering, keepKey, readKey, rememberKey } from '../shared/session.ts';
import { keyWords, setMeans, showMeans, type Left, type Means } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import type { AccountBody as Account } from '../../src/features/account/wire.ts';

const MOST_WAIT_MS = 1000;

export class KeyField {
  /** Before anything is known of a key. `price`: of one that a visitor gets here. */
  #unknown: Means;
  /** Of the key that was accepted last. */
  #known: { key: string; account: Account } | null = null;

  constructor(price: Means['price']) {
    this.#unknown = { price, left: null, rows: null };
  }

  /** Begins, once the page's texts are there. */
  start() {
    setMeans(this.#unknown);
    const remember = input('remember');
    remember.checked = isRemembering();
    remember.addEventListener('change', () => {
      if (remember.checked) rememberKey(readKey());
      else forgetOnDevice();
    });
    // Another tab may have made the device forget it.
    addEventListener('storage', () => (remember.checked = isRemembering()));
    onClick('change-key', () => this.open());
    onClick('forget-key', () => this.#forget());
    // Kept by another tab, or by this page before it was loaded again.
    if (byId('search').classList.contains('keyed')) this.#learnSoon(this.value);
  }

  get value() {
    return input('key').value.trim();
  }

  /** The key; null when there is none yet, and then its field has the focus. */
  valueOrFocus() {
    if (this.value === '') this.open();
    return this.value || null;
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
    showMeans();
    byId('key-left').textContent = keyWords() ?? texts.page.keyKept;
  }

  /** Leaves what is under way its time, but not for ever: a browser that draws nothing may never say that it is idle. */
  #learnSoon(key: string) {
    requestIdleCallback(() => void this.learn(key), { timeout: MOST_WAIT_MS });
  }

  /** Asks what the key in the field may do, and shows what it has left. Null: nothing is known of it, or it is another by now. */
  async learn(key: string = this.value): Promise<Account | null> {
    if (key === '' || !has('account')) return null;
    const result = await request<Account>('/api/account', key);
    if (key !== this.value) return null;
    if (!result.ok) {
      if (result.problem.code === 'UNAUTHORIZED') byId('search').classList.remove('keyed');
      return null;
    }
    this.#known = { key, account: result.body };
    this.#show(result.body, result.body.hour.left);
    return result.body;
  }

  #show({ month, cost, limits, batchRowsToday }: Account, hourLeft: number) {
    const inMonth: Left | null = month.left === null ? null : { n: month.left, of: 'month' };
    const least = (own: Left) => (inMonth && inMonth.n < own.n ? inMonth : own);
    const { perLookup = null, currency = null } = cost ?? {};
    const price = perLookup === null || currency === null ? null : { amount: perLookup, currency };
    const rows = least({ n: Math.max(0, limits.batchRowsPerDay - batchRowsToday), of: 'day' });
    setMeans({ price, left: least({ n: hourLeft, of: 'hour' }), rows: has('batches') ? rows : null });
    this.translate();
  }

  #forget() {
    forgetKey();
    forgetAnswers();
    forgetAllAsked();
    this.#known = null;
    input('remember').checked = false;
    input('key').value = '';
    setMeans(this.#unknown);
    this.translate();
    this.open();
    say(texts.keyForgotten);
  }
}
