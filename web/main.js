/** The page: from an address, typed or linked to, a point or a parcel to everything that is known of the land there. */
import { drawArea, renderArea } from './area-view.js';
import { lookUp, readLayers, readSettings, UNREACHABLE } from './api.js';
import { offerPoint, placesNear } from './choose-point.js';
import { byId, input } from './dom.js';
import { drawParcels } from './draw-parcel.js';
import { takeFiles } from './dropped-files.js';
import { fill, prepareFormats, textsIn, translatePage } from './i18n.js';
import { drawLookup, renderLookup } from './lookup-view.js';
import { MapPanel } from './map-panel.js';
import { takeParcels } from './parcels.js';
import { hideProblem, showProblem } from './problem.js';
import { batchIn, linkOf, linkOfBatch, questionIn, questionOf, textOf } from './question.js';
import { keepKey, keepLanguage, readLanguage } from './session.js';
import { copy, say } from './status.js';
import { addResultStyles } from './styles.js';
import { suggestAddresses } from './suggestions.js';

/**
 * @typedef {import('./api.js').Failure} Failure
 * @typedef {import('./geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('./question.js').Question} Question
 * @typedef {{ question: Question, body: any, catalogue: import('./lookup-view.js').Catalogue }} Shown the body is that of the question's kind
 * @typedef {{ failure: Failure, question: Question }} Refusal
 */

const settings = readSettings();
const baseMapCredit = settings.baseMap?.attribution ?? settings.tileAttribution;
const panel = new MapPanel(settings, (point) => void ask(point));
const askArea = (/** @type {AreaGeometry} */ geometry) => void ask({ kind: 'area', geometry });
const parcels = takeParcels({ language: () => language, ask: askArea });
/** What a file of places needs; loaded when there is one. @type {Promise<import('./batch.js').BatchPanel> | null} */
let batches = null;

let language = readLanguage();
/** @type {Shown | null} */
let shown = null;
/** The part of the address bar that leads to what is shown; empty when no link can. */
let shownLink = '';
/** The last address or point that was answered: its features lie around a parcel that is drawn there. @type {import('./answers.js').Body | null} */
let lastPlace = null;
/** @type {Refusal | null} */
let refused = null;
/** Only the newest question may show its answer. */
let newest = 0;

start();

function start() {
  translate();
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    search(input('address').value);
  });
  byId('examples').addEventListener('click', ({ target }) => {
    if (target instanceof HTMLButtonElement) search(target.textContent);
  });
  byId('language').addEventListener('click', () => {
    language = language === 'fr' ? 'en' : 'fr';
    keepLanguage(language);
    translate();
  });
  // A key that was typed and not used yet opens its account all the same.
  byId('to-account').addEventListener('click', () => keepKey(input('key').value.trim()));
  byId('copy-json').addEventListener('click', () => {
    const { copiedJson, notCopied } = textsIn(language);
    void copy(JSON.stringify(shown?.body, null, 2), { done: copiedJson, failed: notCopied });
  });
  byId('copy-link').addEventListener('click', () => void copyLink());
  byId('print').addEventListener('click', () => void panel.preparePrint().then(() => window.print()));
  byId('open-map').addEventListener('click', () => {
    if (shown) byId('map-frame').scrollIntoView();
    else void choose([]);
  });
  suggestAddresses({ language: () => language, lookUp: search });
  drawParcels({ map: () => panel.map, language: () => language, ask: askArea });
  takeFiles({
    parcel: (file) => void parcels.readFile(file),
    places: (file) => withBatches((batch) => batch.take(file)),
  });
  byId('open-batch').addEventListener('click', () => withBatches((batch) => batch.open()));
  addEventListener('hashchange', followLink);
  addEventListener('beforeprint', () => void panel.preparePrint());
  followLink();
  document.documentElement.dataset['ready'] = 'true';
  dispatchEvent(new Event('ready'));
  requestIdleCallback(() => {
    prepareFormats(language);
    void getReady();
  });
}

/** Writes everything that stands on the page in the chosen language. */
function translate() {
  translatePage(language, { layers: settings.layers });
  if (refused) refuse(refused);
  if (shown) void show(shown);
  void batches?.then((batch) => batch.translate());
}

/** What stands after `#` in the address bar is a place that somebody shared. A lookup costs, so the visitor starts it. */
function followLink() {
  const batch = batchIn(location.hash.slice(1));
  if (batch !== null && location.hash !== shownLink) withBatches((panel) => panel.follow(batch));
  const question = questionIn(location.hash.slice(1));
  if (question === null || location.hash === shownLink) return;
  if (question.kind === 'area') parcels.fill(question.geometry);
  else input('address').value = textOf(question);
  if (input('key').value === '') {
    input('key').focus();
  } else {
    say(textsIn(language).linked);
    byId(question.kind === 'area' ? 'parcel-ask' : 'submit').focus();
  }
}

/** @param {(panel: import('./batch.js').BatchPanel) => Promise<void>} work */
function withBatches(work) {
  batches ??= import('./batch.js').then(
    ({ BatchPanel }) => new BatchPanel({ language: () => language, key: keyOrFocus, accepted: showBatchLink, panel }),
  );
  batches.then(work, () => {
    batches = null;
    showProblem(language, UNREACHABLE, search);
  });
}

/** Returns the key; null when there is none yet, and then its field has the focus. */
function keyOrFocus() {
  const key = input('key').value.trim();
  if (key !== '') return key;
  input('key').focus();
  return null;
}

/**
 * @param {string} id
 * @param {string} key with which it was sent
 */
function showBatchLink(id, key) {
  keepKey(key);
  shownLink = `#${linkOfBatch(id)}`;
  history.replaceState(null, '', shownLink);
}

/** @param {string} text */
function search(text) {
  input('address').value = text;
  if (text.trim() === '') input('address').focus();
  else void ask(questionOf(text));
}

/** @param {Question} question */
async function ask(question) {
  input('address').value = textOf(question);
  const key = keyOrFocus();
  if (key === null) return;
  const ticket = ++newest;
  hideProblem();
  say(textsIn(language).working);
  byId('search').setAttribute('aria-busy', 'true');
  const [result, catalogue] = await Promise.all([lookUp(question, key), getReady()]);
  if (ticket !== newest) return;
  byId('search').removeAttribute('aria-busy');
  byId('choose').hidden = true;
  if (result.ok && catalogue) {
    keepKey(key);
    byId('parcel').hidden = true;
    await succeed({ question, body: result.body, catalogue });
  } else {
    fail({ failure: result.ok ? UNREACHABLE : result, question });
  }
}

/** @param {Shown} answer */
async function succeed(answer) {
  const { question, body } = answer;
  refused = null;
  const drawn = show(answer);
  const link = linkOf(
    question.kind === 'address' ? { ...question, address: body.address ?? question.address } : question,
  );
  shownLink = link === null ? '' : `#${link}`;
  history.replaceState(null, '', shownLink || location.pathname);
  say(fill(textsIn(language).ready, { address: byId('resolved').textContent ?? '' }), { quiet: true });
  byId('resolved').focus({ preventScroll: true });
  // On a phone the answer begins below the form.
  if (byId('resolved').getBoundingClientRect().top > innerHeight / 2) byId('result').scrollIntoView();
  await drawn;
}

/** @param {Refusal} refusal */
function fail(refusal) {
  shown = null;
  byId('result').hidden = true;
  say('');
  refuse(refusal);
  if (refusal.failure.problem.code === 'UNAUTHORIZED') input('key').focus();
}

/**
 * Fetches what every answer needs besides itself. Null: it cannot be had.
 * @returns {Promise<import('./lookup-view.js').Catalogue | null>}
 */
async function getReady() {
  try {
    const [catalogue] = await Promise.all([readLayers(), addResultStyles()]);
    return catalogue;
  } catch {
    return null;
  }
}

/** @param {Shown} answer */
async function show(answer) {
  shown = answer;
  const { question, body, catalogue } = answer;
  if (question.kind === 'area') {
    renderArea(language, { body, catalogue, baseMapCredit });
    await drawArea(language, { body, geometry: question.geometry, around: lastPlace }, panel);
  } else {
    lastPlace = body;
    renderLookup(language, { body, catalogue, baseMapCredit });
    await drawLookup(language, { body, catalogue }, panel);
  }
}

/** @param {Refusal} refusal */
function refuse(refusal) {
  refused = refusal;
  const { failure, question } = refusal;
  showProblem(language, failure, search);
  if (failure.problem.code === 'ADDRESS_NOT_FOUND' && question.kind === 'address')
    void offer(refusal, question.address);
}

/**
 * Offers the point on the map instead of an address that is not found, where there is something to find one's way by.
 * @param {Refusal} refusal
 * @param {string} address
 */
async function offer(refusal, address) {
  const places = await placesNear(address, refusal.failure.problem, input('key').value.trim());
  const hasBase = settings.baseMap !== null || settings.tileUrl !== null;
  if (refused !== refusal || (places.length === 0 && !hasBase)) return;
  offerPoint(language, () => void choose(places));
}

/** @param {readonly import('./map.js').KnownPlace[]} places */
async function choose(places) {
  const label = textsIn(language).chooseMap;
  byId('choose').hidden = false;
  byId('choose-heading').focus();
  await addResultStyles();
  await panel.put('choose-slot', {
    language,
    label,
    draw: (map) => map.orient({ places, around: lastPlace }, { label, language }),
  });
}

async function copyLink() {
  const { copiedLink, notCopied, area } = textsIn(language);
  if (shownLink === '') say(area.tooLongForLink);
  else await copy(location.href, { done: copiedLink, failed: notCopied });
}
