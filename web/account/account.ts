/** The page of a key: what it may do, what it has used, what that costs; its budget, networks and keys. */
import { readCsv, readUsage, remove, send, type Usage, type Account } from './account-api.ts';
import { hideSecrets, networksField, showAccount, showNewKey } from './account-view.ts';
import { accountTexts } from '../texts/account.ts';
import { UNREACHABLE, type Failure } from '../shared/api.ts';
import { byId, input } from '../shared/dom.ts';
import { fill, loadTexts, longMoment, translatePage } from '../shared/i18n.ts';
import { hideProblem, showProblem } from '../shared/problem.ts';
import { forgetAnswers } from '../shared/kept-answers.ts';
import { forgetKey, keepKey, keepLanguage, readKey, readLanguage, type Language } from '../shared/session.ts';
import { copy, say } from '../shared/status.ts';
import { askedPeriod, showUsage } from './usage-period.ts';

/** Hours of an overlap that can be chosen, as the texts name them. */
const OVERLAPS = [0, 1, 24, 72, 168];

let language = readLanguage();
/** The key that the account was opened with. */
let key = '';
let account: Account | null = null;
let usage: Usage | null = null;

void loadTexts(language).then(start);

function start() {
  translate();
  onSubmit('open', () => openAccount(input('key').value.trim()));
  onSubmit('budget', () => change({ budgetPerMonth: Number(input('budget-value').value) }));
  onSubmit('networks', () =>
    change({
      networks: networksField()
        .value.split(/[\s,]+/)
        .filter((text) => text !== ''),
    }),
  );
  onSubmit('rotate', rotate);
  onSubmit('further', makeFurtherKey);
  onSubmit('period', loadUsage);
  byId('period').addEventListener('change', () => void loadUsage());
  onClick('no-budget', () => change({ budgetPerMonth: null }));
  onClick('leave', leave);
  onClick('portal', openPortal);
  onClick('print', () => {
    window.print();
  });
  onClick('csv', saveCsv);
  onClick('webhook', makeWebhookSecret);
  onClick('copy-key', () => copyTextOf('new-key-value'));
  onClick('copy-curl', () => copyTextOf('new-key-curl'));
  onClick('copy-webhook', () => copyTextOf('webhook-value'));
  onClick('language', () => {
    const chosen = language === 'fr' ? 'en' : 'fr';
    return loadTexts(chosen).then(
      () => {
        speak(chosen);
      },
      () => {
        showProblem(language, UNREACHABLE, () => undefined);
      },
    );
  });
  document.documentElement.dataset['ready'] = 'true';
  dispatchEvent(new Event('ready'));
  // Unless another key is being typed.
  if (input('key').value === readKey()) void openAccount(readKey());
}

function speak(chosen: Language) {
  language = chosen;
  keepLanguage(language);
  translate();
}

function words() {
  return { language, texts: accountTexts[language] };
}

function translate() {
  const { texts } = words();
  translatePage(language, {}, texts.page);
  const chosen = overlapField().selectedIndex;
  const names = texts.hours.split('|');
  overlapField().replaceChildren(...OVERLAPS.map((hours, i) => new Option(names[i], String(hours))));
  overlapField().selectedIndex = chosen < 0 ? OVERLAPS.indexOf(24) : chosen;
  hideProblem();
  say('');
  if (account) showAccount(words(), account, revoke);
  if (usage) showUsage(words(), usage);
}

async function openAccount(given: string) {
  if (given === '') return;
  if (given !== key) close();
  const result = await ask(() => send<Account>(given, 'account'));
  if (!result) return;
  key = given;
  keepKey(key);
  show(result.body);
  say(words().texts.ready);
  byId('name').focus();
  await loadUsage();
}

function show(body: Account) {
  account = body;
  byId('account').hidden = false;
  byId('leave').hidden = false;
  showAccount(words(), body, revoke);
}

function close() {
  account = null;
  usage = null;
  hideSecrets();
  byId('account').hidden = true;
  byId('leave').hidden = true;
}

function leave() {
  key = '';
  forgetKey();
  forgetAnswers();
  input('key').value = '';
  close();
  say(words().texts.left);
  input('key').focus();
}

async function loadUsage() {
  const result = await ask(() => readUsage(key, askedPeriod()));
  if (!result) return;
  usage = result.body;
  showUsage(words(), result.body);
}

async function saveCsv() {
  const asked = askedPeriod();
  const result = await ask(() => readCsv(key, asked));
  if (!result) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(result.blob);
  link.download = `usage-${asked.from}-${asked.to}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function change(body: { budgetPerMonth?: number | null; networks?: string[] }) {
  const result = await ask(() => send<Account>(key, 'account', { method: 'PATCH', body }));
  if (!result) return;
  show(result.body);
  say(words().texts.saved);
}

async function rotate() {
  const { texts } = words();
  if (!confirm(texts.rotateQuestion)) return;
  const body = { overlapHours: Number(overlapField().value) };
  const result = await ask(() =>
    send<{ key: string; previousEndsAt: string | null }>(key, 'account/keys/rotate', { method: 'POST', body }),
  );
  if (!result) return;
  const { key: made, previousEndsAt } = result.body;
  key = made;
  keepKey(key);
  input('key').value = key;
  const ends = previousEndsAt === null ? '' : longMoment(language, new Date(previousEndsAt));
  await refresh();
  showNewKey(made, ends === '' ? texts.replacedNow : fill(texts.replacing, { time: ends }));
}

async function makeFurtherKey() {
  const name = input('further-name').value.trim();
  const body = name === '' ? {} : { name };
  const result = await ask(() => send<{ key: string }>(key, 'account/keys', { method: 'POST', body }));
  if (!result) return;
  input('further-name').value = '';
  await refresh();
  showNewKey(result.body.key, words().texts.furtherMade);
}

async function revoke({ id, name }: Account['keys'][number]) {
  const { texts } = words();
  if (!confirm(fill(texts.revokeQuestion, { name }))) return;
  const result = await ask(() => remove(key, `account/keys/${encodeURIComponent(id)}`));
  if (!result) return;
  await refresh();
  say(fill(texts.revoked, { name }));
  byId('keys-heading').focus();
}

async function refresh() {
  const result = await ask(() => send<Account>(key, 'account'));
  if (result) show(result.body);
}

async function openPortal() {
  const result = await ask(() => send<{ url: string }>(key, 'account/portal', { method: 'POST' }));
  // Never an address that a browser would run.
  if (result && new URL(result.body.url).protocol === 'https:') location.assign(result.body.url);
}

async function makeWebhookSecret() {
  const result = await ask(() => send<{ secret: string }>(key, 'webhooks/secret', { method: 'POST' }));
  if (!result) return;
  byId('webhook-value').textContent = result.body.secret;
  byId('webhook-shown').hidden = false;
}

/** Asks the service. A failure is shown, and gives null. */
async function ask<Answer extends { ok: true }>(work: () => Promise<Answer | Failure>): Promise<Answer | null> {
  hideProblem();
  say(words().texts.working);
  const result = await work();
  say('');
  if (result.ok) return result;
  showProblem(language, result, () => undefined, words().texts.problems);
  byId('problem').scrollIntoView({ block: 'center' });
  if (result.problem.code === 'UNAUTHORIZED') input('key').focus();
  return null;
}

function copyTextOf(id: string) {
  const { copied, notCopied } = words().texts;
  return copy(byId(id).textContent, { done: copied, failed: notCopied });
}

function overlapField() {
  return byId('overlap') as HTMLSelectElement;
}

function onSubmit(id: string, work: () => unknown) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void work();
  });
}

function onClick(id: string, work: () => unknown) {
  // The page has none of a feature that is left out.
  document.getElementById(id)?.addEventListener('click', () => void work());
}
