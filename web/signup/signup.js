/** The page of a sign-up: what it costs, the way to the payment processor, and the key when the browser comes back. */
import { byId, el } from '../shared/dom.js';
import { fill } from '../shared/i18n.js';
import { keepKey, keepLanguage, readLanguage } from '../shared/session.js';
import { english, french } from '../texts/signup-texts.js';
import { copy, say } from '../shared/status.js';

/**
 * @typedef {import('../../src/features/signup/signup-page.ts').SignupSettings} SignupSettings
 * @typedef {{ state: 'key', key: string, keyId: string } | { state: 'shown', keyId: string } | { state: 'ended', reason: string }
 *   | { state: 'open' | 'unknown' | 'elsewhere' | 'processing' | 'failed' }} Claim
 */

/** Waits between two questions for the key, in milliseconds: the processor confirms within seconds. */
const WAITS_MS = [1000, 1000, 2000, 2000, 3000, 5000, 5000, 10_000, 10_000, 20_000];

/** @type {SignupSettings} */
const settings = JSON.parse(byId('settings').textContent ?? '');
const isReturn = location.pathname === '/signup/done';
/** The sign-up whose page was filled. Another browser may have begun it. */
const filled = new URLSearchParams(location.search).get('of');

let language = readLanguage();
/** What came of the sign-up, once it is known. @type {Claim | null} */
let claimed = null;

start();

function start() {
  byId('language').addEventListener('click', () => {
    language = language === 'fr' ? 'en' : 'fr';
    keepLanguage(language);
    translate();
  });
  byId('test-mode').hidden = settings.isLive;
  byId('terms').setAttribute('href', settings.termsUrl);
  byId('offer').hidden = isReturn;
  const button = byId('submit');
  if (button instanceof HTMLButtonElement) button.disabled = settings.price === null;
  translate();
  document.documentElement.dataset['ready'] = 'true';
  if (isReturn) void claim();
}

function texts() {
  return language === 'fr' ? french : english;
}

function translate() {
  const { page } = texts();
  document.documentElement.lang = language;
  document.title = page.title;
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = /** @type {Record<string, string>} */ (page)[element.getAttribute('data-text') ?? ''] ?? '';
  }
  const button = byId('language');
  button.textContent = language === 'fr' ? 'English' : 'Français';
  button.lang = language === 'fr' ? 'en' : 'fr';
  byId('price').textContent = priceText();
  byId('limit').textContent = fill(texts().limit, { count: settings.lookupsPerHour.toLocaleString(`${language}-CA`) });
  byId('problem').hidden = settings.problem === null;
  if (settings.problem !== null) byId('problem').textContent = texts().problems[settings.problem];
  if (claimed) show(claimed);
}

function priceText() {
  const { price } = settings;
  if (price === null) return texts().priceUnknown;
  const { intervals } = texts();
  const unit = /** @type {Record<string, string>} */ (intervals)[price.interval] ?? price.interval;
  const interval = price.intervals === 1 ? unit : fill(intervals.other, { count: price.intervals, unit });
  if (price.amount === null) return fill(texts().priceVaries, { interval });
  return fill(texts().price, { amount: money(price.amount, price.currency), interval });
}

/**
 * An amount as the language writes it, with as many decimals as a small price needs.
 * @param {string} smallestUnits
 * @param {string} currency
 */
function money(smallestUnits, currency) {
  const style = /** @type {const} */ ({ style: 'currency', currency });
  const usual = new Intl.NumberFormat(`${language}-CA`, style).resolvedOptions().maximumFractionDigits ?? 2;
  const format = new Intl.NumberFormat(`${language}-CA`, { ...style, maximumFractionDigits: usual + 12 });
  return format.format(Number(smallestUnits) / 10 ** usual);
}

/** Asks for the key until the processor has confirmed. */
async function claim() {
  byId('done').hidden = true;
  say(texts().waiting);
  for (const waitMs of [...WAITS_MS, 0]) {
    const answer = await ask();
    if (answer !== null && answer.state !== 'processing') return settle(answer);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return settle({ state: 'failed' });
}

/** @returns {Promise<Claim | null>} null: ask again */
async function ask() {
  const query = filled === null ? '' : `?of=${encodeURIComponent(filled)}`;
  try {
    const response = await fetch(`/signup/key${query}`, { method: 'POST', signal: AbortSignal.timeout(20_000) });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** @param {Claim} answer */
function settle(answer) {
  claimed = answer;
  // Who opens the address later is not who filled the page.
  if (answer.state !== 'failed') history.replaceState(null, '', location.pathname);
  say('');
  show(answer);
  byId('done').hidden = false;
  byId('done-heading').focus();
  // Only now: a key that was lost on its way is given again.
  if (answer.state === 'key') void fetch('/signup/shown', { method: 'POST', keepalive: true }).catch(() => undefined);
}

/** @param {Claim} answer */
function show(answer) {
  byId('done-heading').textContent = texts()[answer.state === 'processing' ? 'failed' : answer.state].heading;
  byId('done-body').replaceChildren(...bodyOf(answer));
}

/**
 * @param {Claim} answer
 * @returns {Node[]}
 */
function bodyOf(answer) {
  if (answer.state === 'key') return keyBody(answer.key);
  if (answer.state === 'shown') return [el('p', {}, fill(texts().shown.text, { keyId: answer.keyId }))];
  const { text, again } = texts()[answer.state === 'processing' ? 'failed' : answer.state];
  const why = answer.state === 'ended' ? [whyEnded(answer.reason)] : [];
  return [el('p', {}, text), ...why, el('p', { className: 'steps' }, nextStep(answer.state, again))];
}

/** @param {string} reason a code, or words in English */
function whyEnded(reason) {
  const { reason: label, reasons } = texts().ended;
  const known = /** @type {Record<string, string>} */ (reasons)[reason];
  return el('p', {}, `${label} `, known ?? el('span', { lang: 'en' }, `${reason}.`));
}

/**
 * @param {Claim['state']} state
 * @param {string} text
 */
function nextStep(state, text) {
  const onclick = state === 'failed' ? () => void claim() : () => location.assign('/signup');
  return el('button', { type: 'button', className: 'primary', onclick }, text);
}

/** @param {string} key */
function keyBody(key) {
  const { once, copied, notCopied, ...words } = texts().key;
  const command = curlOf(key);
  const copying = { done: copied, failed: notCopied };
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, className = '') =>
    el('button', { type: 'button', className, onclick }, text);
  /** Nothing where a feature is left out: then the page has no link there. */
  const goTo = (/** @type {string} */ path, /** @type {string} */ text) => {
    if (!document.querySelector(`nav a[href="${path}"]`)) return null;
    return button(text, () => {
      keepKey(key);
      location.assign(path);
    });
  };
  return [
    el('p', {}, once),
    el('code', { className: 'key', id: 'key' }, key),
    el(
      'p',
      { className: 'steps' },
      button(words.copy, () => void copy(key, copying), 'primary'),
      goTo('/', words.use),
      goTo('/account', words.account),
    ),
    el('p', {}, words.curl),
    el('code', { className: 'curl' }, command),
    el(
      'p',
      { className: 'steps' },
      button(words.copyCurl, () => void copy(command, copying)),
    ),
  ];
}

/** @param {string} key */
function curlOf(key) {
  return [
    `curl ${location.origin}/api/lookup`,
    `-H 'Authorization: Bearer ${key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"address": "100 Queen St W, Toronto, ON"}'`,
  ].join(' \\\n  ');
}
