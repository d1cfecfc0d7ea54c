/** The page of a key: what it may do, what it has used, what that costs; its budget, networks and keys. */
import {
  askedPeriod,
  hasBatches,
  hideSecrets,
  networksField,
  showAccount,
  showNewKey,
  showUsage,
} from './account-view.ts';
import { accountTexts } from '../texts/account.ts';
import { posting, request, UNREACHABLE, type Result } from '../shared/api.ts';
import { byId, input, onClick, save } from '../shared/dom.ts';
import { fill, language, loadTexts, longMoment, offerLanguage, speak, texts, translatePage } from '../shared/i18n.ts';
import { hideProblem, showProblem } from '../shared/problem.ts';
import { forgetAnswers } from '../shared/kept-answers.ts';
import { forgetKey, keepKey, readKey, readLanguage } from '../shared/session.ts';
import { copy, say } from '../shared/status.ts';
import type { AccountBody, UsageBody } from '../../src/features/account/wire.ts';

/** Hours of an overlap that can be chosen, as the texts name them. */
const OVERLAPS = [0, 1, 24, 72, 168];

/** The key that the account was opened with. */
let key = '';
let account: AccountBody | null = null;
let usage: UsageBody | null = null;

const first = readLanguage();
void loadTexts(first).then(() => {
  speak(first);
  start();
});

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
  onClick('print', () => window.print());
  onClick('csv', saveCsv);
  onClick('webhook', makeWebhookSecret);
  onClick('copy-key', () => copyTextOf('new-key-value'));
  onClick('copy-curl', () => copyTextOf('new-key-curl'));
  onClick('copy-webhook', () => copyTextOf('webhook-value'));
  offerLanguage(translate, () => showProblem(UNREACHABLE, () => undefined));
  document.documentElement.dataset['ready'] = 'true';
  dispatchEvent(new Event('ready'));
  // Unless another key is being typed.
  if (input('key').value === readKey()) void openAccount(readKey());
}

const words = () => accountTexts[language];

function translate() {
  const { page, hours } = words();
  translatePage({}, { ...texts.page, ...page });
  const chosen = overlapField().selectedIndex;
  const names = hours.split('|');
  overlapField().replaceChildren(...OVERLAPS.map((hours, i) => new Option(names[i], String(hours))));
  overlapField().selectedIndex = chosen < 0 ? OVERLAPS.indexOf(24) : chosen;
  hideProblem();
  say('');
  if (account) showAccount(account, revoke);
  if (usage) showUsage(usage, withRows());
}

async function openAccount(given: string) {
  if (given === '') return;
  if (given !== key) close();
  const result = await ask(() => request<AccountBody>('/api/account', given));
  if (!result) return;
  key = given;
  keepKey(key);
  show(result.body);
  say(words().ready);
  byId('name').focus();
  await loadUsage();
}

function show(body: AccountBody) {
  account = body;
  byId('account').hidden = false;
  byId('leave').hidden = false;
  showAccount(body, revoke);
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
  say(words().left);
  input('key').focus();
}

async function loadUsage() {
  const result = await ask(() => request<UsageBody>(usagePath(askedPeriod()), key));
  if (!result) return;
  usage = result.body;
  showUsage(usage, withRows());
}

const withRows = () => account !== null && hasBatches(account);

const usagePath = (asked: ReturnType<typeof askedPeriod>) => `/api/account/usage?${new URLSearchParams(asked)}`;

async function saveCsv() {
  const asked = askedPeriod();
  const init = { headers: { Accept: 'text/csv' } };
  const result = await ask(() => request<Blob>(usagePath(asked), key, init, (response) => response.blob()));
  if (result) save(result.body, `usage-${asked.from}-${asked.to}.csv`);
}

async function change(body: { budgetPerMonth?: number | null; networks?: string[] }) {
  const sent = { ...posting(JSON.stringify(body)), method: 'PATCH' };
  const result = await ask(() => request<AccountBody>('/api/account', key, sent));
  if (!result) return;
  show(result.body);
  say(words().saved);
}

async function rotate() {
  const { rotateQuestion, replacedNow, replacing } = words();
  if (!confirm(rotateQuestion)) return;
  const body = { overlapHours: Number(overlapField().value) };
  const result = await post<{ key: string; previousEndsAt: string | null }>('account/keys/rotate', body);
  if (!result) return;
  const { key: made, previousEndsAt } = result.body;
  key = made;
  keepKey(key);
  input('key').value = key;
  const ends = previousEndsAt === null ? '' : longMoment(previousEndsAt);
  await refresh();
  showNewKey(made, ends === '' ? replacedNow : fill(replacing, { time: ends }));
}

async function makeFurtherKey() {
  const name = input('further-name').value.trim();
  const body = name === '' ? {} : { name };
  const result = await post<{ key: string }>('account/keys', body);
  if (!result) return;
  input('further-name').value = '';
  await refresh();
  showNewKey(result.body.key, words().furtherMade);
}

async function revoke({ id, name }: AccountBody['keys'][number]) {
  const { revokeQuestion, revoked } = words();
  if (!confirm(fill(revokeQuestion, { name }))) return;
  const path = `/api/account/keys/${encodeURIComponent(id)}`;
  const result = await ask(() => request(path, key, { method: 'DELETE' }, () => Promise.resolve(null)));
  if (!result) return;
  await refresh();
  say(fill(revoked, { name }));
  byId('keys-heading').focus();
}

async function refresh() {
  const result = await ask(() => request<AccountBody>('/api/account', key));
  if (result) show(result.body);
}

async function openPortal() {
  const result = await post<{ url: string }>('account/portal');
  // Never an address that a browser would run.
  if (result && new URL(result.body.url).protocol === 'https:') location.assign(result.body.url);
}

async function makeWebhookSecret() {
  const result = await post<{ secret: string }>('webhooks/secret');
  if (!result) return;
  byId('webhook-value').textContent = result.body.secret;
  byId('webhook-shown').hidden = false;
}

/** `path`: after `/api/`. */
const post = <Answer>(path: string, body?: object) =>
  ask(() => request<Answer>(`/api/${path}`, key, body ? posting(JSON.stringify(body)) : { method: 'POST' }));

/** Asks the service. A failure is shown, and gives null. */
async function ask<Answer>(work: () => Promise<Result<Answer>>) {
  hideProblem();
  say(words().working);
  const result = await work();
  say('');
  if (result.ok) return result;
  showProblem(result, () => undefined, words().problems);
  byId('problem').scrollIntoView({ block: 'center' });
  if (result.problem.code === 'UNAUTHORIZED') input('key').focus();
  return null;
}

function copyTextOf(id: string) {
  return copy(byId(id).textContent, { done: words().copied, failed: texts.notCopied });
}

const overlapField = () => byId('overlap') as HTMLSelectElement;

function onSubmit(id: string, work: () => unknown) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void work();
  });
}
