/** The page: from an address typed or linked to, to everything that is known of the land there. */
import { rowsOf, renderGroups } from './answers.js';
import { lookUp, readLayers, readSettings, UNREACHABLE } from './api.js';
import { byId, el, input } from './dom.js';
import { fill, prepareFormats, textsIn, translatePage } from './i18n.js';
import { renderLegend } from './legend.js';
import { makeMap } from './map.js';
import { hideProblem, showProblem } from './problem.js';
import { keepKey, keepLanguage, readKey, readLanguage } from './session.js';
import { addResultStyles } from './styles.js';
import { renderSources, renderSummary } from './summary.js';

/**
 * @typedef {import('./answers.js').Body} Body
 * @typedef {import('./map.js').LandMap} LandMap
 * @typedef {import('./api.js').Failure} Failure
 * @typedef {import('../src/shared/wire/layers.ts').LayersBody} Catalogue
 */

const settings = readSettings();

let language = readLanguage();
/** @type {{ body: Body, catalogue: Catalogue } | null} */
let shown = null;
/** @type {Failure | null} */
let failure = null;
/** Null where the browser cannot draw one. @type {Promise<LandMap | null> | null} */
let making = null;
/** @type {LandMap | null} */
let map = null;
/** Only the newest lookup may show its answer. */
let newest = 0;

start();

function start() {
  input('key').value = readKey();
  translate();
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    void search(input('address').value);
  });
  byId('language').addEventListener('click', () => {
    language = language === 'fr' ? 'en' : 'fr';
    keepLanguage(language);
    translate();
  });
  byId('copy-json').addEventListener(
    'click',
    () => void copy(JSON.stringify(shown?.body, null, 2), textsIn(language).copiedJson),
  );
  byId('copy-link').addEventListener('click', () => void copy(location.href, textsIn(language).copiedLink));
  byId('print').addEventListener('click', () => void print());
  addEventListener('hashchange', followLink);
  addEventListener('beforeprint', preparePrint);
  followLink();
  document.documentElement.dataset['ready'] = 'true';
  requestIdleCallback(() => {
    prepareFormats(language);
    void getReady();
  });
}

/** Writes everything that stands on the page in the chosen language. */
function translate() {
  translatePage(language, { layers: settings.layers });
  const texts = textsIn(language);
  const buttons = settings.examples.map((address) =>
    el('button', { type: 'button', className: 'example', onclick: () => void search(address) }, address),
  );
  byId('examples').replaceChildren(...(buttons.length > 0 ? [el('span', {}, texts.examples), ...buttons] : []));
  if (failure) showProblem(language, failure, (address) => void search(address));
  if (shown) void show(shown);
}

/** `#address=…` in the address bar is an address that somebody shared. A lookup costs, so the visitor starts it. */
function followLink() {
  const address = new URLSearchParams(location.hash.slice(1)).get('address');
  if (address === null || address === '' || address === shown?.body.address) return;
  input('address').value = address;
  if (input('key').value === '') {
    input('key').focus();
  } else {
    say(textsIn(language).linked);
    byId('submit').focus();
  }
}

/** @param {string} text */
async function search(text) {
  const address = text.trim();
  const key = input('key').value.trim();
  input('address').value = text;
  if (address === '' || key === '') {
    input(address === '' ? 'address' : 'key').focus();
    return;
  }
  const ticket = ++newest;
  hideProblem();
  say(textsIn(language).working);
  byId('search').setAttribute('aria-busy', 'true');
  const [result, catalogue] = await Promise.all([lookUp(address, key), getReady()]);
  if (ticket !== newest) return;
  byId('search').removeAttribute('aria-busy');
  if (result.ok && catalogue) {
    failure = null;
    keepKey(key);
    const drawn = show({ body: result.body, catalogue });
    history.replaceState(null, '', `#${new URLSearchParams({ address: result.body.address ?? address })}`);
    say(fill(textsIn(language).ready, { address: result.body.address ?? address }), { quiet: true });
    byId('resolved').focus({ preventScroll: true });
    // On a phone the answer begins below the form.
    if (byId('resolved').getBoundingClientRect().top > innerHeight / 2) byId('result').scrollIntoView();
    await drawn;
  } else {
    failure = result.ok ? UNREACHABLE : result;
    clear();
    say('');
    showProblem(language, failure, (suggestion) => void search(suggestion));
    if (failure.problem.code === 'UNAUTHORIZED') input('key').focus();
  }
}

/**
 * Fetches what every answer needs besides itself. Null: it cannot be had.
 * @returns {Promise<Catalogue | null>}
 */
async function getReady() {
  try {
    const [catalogue] = await Promise.all([readLayers(), addResultStyles()]);
    return catalogue;
  } catch {
    return null;
  }
}

/** @param {{ body: Body, catalogue: Catalogue }} answer */
async function show({ body, catalogue }) {
  shown = { body, catalogue };
  const rows = rowsOf(language, catalogue.layers, body);
  renderSummary(language, body, rows);
  byId('groups').replaceChildren(...renderGroups(language, rows, body));
  renderSources(language, catalogue, body);
  byId('result').hidden = false;
  await showMap({ body, catalogue });
}

function readyMap() {
  return (making ??= makeMap(byId('map'), settings).catch(() => null));
}

/** @param {{ body: Body, catalogue: Catalogue }} answer */
async function showMap({ body, catalogue }) {
  const texts = textsIn(language);
  const dataSets = [
    ...new Map(catalogue.layers.flatMap((layer) => layer.dataSets.map((one) => [one.id, one]))).values(),
  ];
  renderLegend(byId('legend'), { language, body, dataSets }, (id, visible) => map?.show(id, visible));
  map = await readyMap();
  if (map) await map.draw(body, fill(texts.mapAlt, { address: body.address ?? '' }));
  else byId('map').replaceChildren(el('p', { className: 'no-map' }, texts.noMap));
}

function clear() {
  shown = null;
  byId('result').hidden = true;
}

/** A canvas prints blank or blurred, so the report carries a picture of it. */
function preparePrint() {
  const image = /** @type {HTMLImageElement} */ (byId('map-print'));
  image.hidden = map === null;
  if (!map) return;
  image.src = map.picture();
  image.alt = fill(textsIn(language).mapAlt, { address: shown?.body.address ?? '' });
}

async function print() {
  preparePrint();
  if (map) await /** @type {HTMLImageElement} */ (byId('map-print')).decode();
  window.print();
}

/**
 * @param {string} text
 * @param {string} done
 */
async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(textsIn(language).notCopied);
  }
}

/**
 * @param {string} text
 * @param {{ quiet?: boolean }} [how] quiet: for those who listen; others see it anyway
 */
function say(text, { quiet = false } = {}) {
  const status = byId('status');
  status.textContent = text;
  status.classList.toggle('heard-only', quiet);
}
