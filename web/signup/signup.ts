/** The page of a sign-up: what it costs, the way to the payment processor, and the key when the browser comes back. */
import { button, byId, el, write, type Child } from '../shared/dom.ts';
import { fill, language, offerLanguage, speak, translatePage } from '../shared/i18n.ts';
import { keepKey, readLanguage } from '../shared/session.ts';
import { signupTexts } from '../texts/signup.ts';
import { copy, say } from '../shared/status.ts';
import type { SignupSettings } from '../../src/features/signup/signup-page.ts';

type Claim =
  | { state: 'key'; key: string; keyId: string }
  | { state: 'shown'; keyId: string }
  | { state: 'ended'; reason: string }
  | { state: 'open' | 'unknown' | 'elsewhere' | 'processing' | 'failed' };

/** Waits between two questions for the key, in milliseconds: the processor confirms within seconds. */
const WAITS_MS = [1000, 1000, 2000, 2000, 3000, 5000, 5000, 10_000, 10_000, 20_000];

const settings = JSON.parse(byId('settings').textContent) as SignupSettings;
const isReturn = location.pathname === '/signup/done';
/** The sign-up whose page was filled. Another browser may have begun it. */
const filled = new URLSearchParams(location.search).get('of');

/** What came of the sign-up, once it is known. */
let claimed: Claim | null = null;

start();

function start() {
  speak(readLanguage());
  // It has no texts but its own.
  offerLanguage(
    translate,
    () => undefined,
    () => Promise.resolve(),
  );
  byId('terms').setAttribute('href', settings.termsUrl);
  byId('offer').hidden = isReturn;
  (byId('submit') as HTMLButtonElement).disabled = settings.price === null;
  translate();
  document.documentElement.dataset['ready'] = 'true';
  if (isReturn) void claim();
}

function texts() {
  return signupTexts[language];
}

function translate() {
  translatePage({}, texts().page);
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
  const unit = (intervals as Record<string, string>)[price.interval] ?? price.interval;
  const interval = price.intervals === 1 ? unit : fill(intervals.other, { count: price.intervals, unit });
  if (price.amount === null) return fill(texts().priceVaries, { interval });
  return fill(texts().price, { amount: money(price.amount, price.currency), interval });
}

/** An amount as the language writes it, with as many decimals as a small price needs. */
function money(smallestUnits: string, currency: string) {
  const style = { style: 'currency', currency } as const;
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
    if (answer !== null && answer.state !== 'processing') {
      settle(answer);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  settle({ state: 'failed' });
}

/** Returns null: ask again. */
async function ask(): Promise<Claim | null> {
  const query = filled === null ? '' : `?of=${encodeURIComponent(filled)}`;
  try {
    const response = await fetch(`/signup/key${query}`, { method: 'POST', signal: AbortSignal.timeout(20_000) });
    return response.ok ? ((await response.json()) as Claim) : null;
  } catch {
    return null;
  }
}

function settle(answer: Claim) {
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

function show(answer: Claim) {
  byId('done-heading').textContent = texts()[answer.state === 'processing' ? 'failed' : answer.state].heading;
  write('done-body', bodyOf(answer));
}

function bodyOf(answer: Claim): Child {
  if (answer.state === 'key') return keyBody(answer.key);
  if (answer.state === 'shown') return el('p', fill(texts().shown.text, { keyId: answer.keyId }));
  const { text, again } = texts()[answer.state === 'processing' ? 'failed' : answer.state];
  const next = () => (answer.state === 'failed' ? claim() : location.assign('/signup'));
  return [
    el('p', text),
    answer.state === 'ended' && whyEnded(answer.reason),
    el('p.steps', button(again, next, { className: 'primary' })),
  ];
}

/** `reason`: a code, or words in English. */
function whyEnded(reason: string) {
  const { reason: label, reasons } = texts().ended;
  const known = (reasons as Record<string, string>)[reason];
  return el('p', `${label} `, known ?? el('span', { lang: 'en' }, `${reason}.`));
}

function keyBody(key: string) {
  const { once, copied, notCopied, ...words } = texts().key;
  const command = curlOf(key);
  const copying = { done: copied, failed: notCopied };
  /** Nothing where a feature is left out: then the page has no link there. */
  const goTo = (path: string, text: string) =>
    document.querySelector(`nav a[href="${path}"]`) &&
    button(text, () => {
      keepKey(key);
      location.assign(path);
    });
  return [
    el('p', once),
    el('code.key', { id: 'key' }, key),
    el(
      'p.steps',
      button(words.copy, () => copy(key, copying), { className: 'primary' }),
      goTo('/', words.use),
      goTo('/account', words.account),
    ),
    el('p', words.curl),
    el('code.curl', command),
    el(
      'p.steps',
      button(words.copyCurl, () => copy(command, copying)),
    ),
  ];
}

function curlOf(key: string) {
  return [
    `curl ${location.origin}/api/lookup`,
    `-H 'Authorization: Bearer ${key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${settings.request}'`,
  ].join(' \\\n  ');
}
