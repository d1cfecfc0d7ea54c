/** The page: from an address, typed or linked to, a point or a parcel to everything that is known of the land there. */
import { takeActions } from './answer-actions.ts';
import { answerInText, datedAs } from './answer-link.ts';
import { answerInFile, ComparePanel } from './compare-again.ts';
import {
  has,
  lookUp,
  presentSnapshot,
  readExample,
  readLayers,
  readSettings,
  requestOf,
  UNREACHABLE,
  type AnswerBody,
  type AreaBody,
  type PageSettings,
} from '../shared/api.ts';
import { forgetAsked, idempotencyKeyOf, nameOfRequest } from '../shared/asked.ts';
import { byId, el, input, raise } from '../shared/dom.ts';
import { drawParcels } from '../map/draw-parcel.ts';
import { endingOf, takeFiles, type Kind } from './dropped-files.ts';
import { fill, longMoment, loadTexts, number, prepareFormats, textsIn, translatePage } from '../shared/i18n.ts';
import { answerHere, enterAgain, enterAnswer, idHere, keptId, type GivenAnswer } from '../shared/kept-answers.ts';
import { KeyField } from './key-field.ts';
import { MapPanel } from '../map/map-panel.ts';
import { takeParcels } from './parcels.ts';
import { showProblem } from '../shared/problem.ts';
import {
  answerIn,
  batchIn,
  exampleIn,
  isHalfAPoint,
  isLink,
  linkOfBatch,
  questionIn,
  questionOf,
  textOf,
  urlOf,
  type Question,
} from '../shared/question.ts';
import { Refusals, type Refusal } from './refusals.ts';
import { dropSecondClicks } from './second-click.ts';
import { keepKey, keepLanguage, keepTyped, readLanguage, takeTyped, type Language } from '../shared/session.ts';
import { priceWords } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import { tieRowsToMap } from '../answers/tie.ts';
import { addResultStyles } from '../shared/styles.ts';
import { isSharedAnswer } from './shared-shape.ts';
import { suggestAddresses } from './suggestions.ts';
import type { BatchPanel } from '../batch/batch.ts';
import type { Body } from '../shared/api.ts';
import type { Catalogue } from '../answers/lookup-view.ts';
import { MOST_BYTES, type AreaGeometry } from '../shared/geojson-input.ts';
import type * as Views from '../answers/views.ts';

type Example = PageSettings['examples'][number];

/** Most answers are there before somebody could press a button. */
const CANCEL_AFTER_MS = 1500;

const settings = readSettings();
const baseMapCredit = settings.baseMap?.attribution ?? settings.tileAttribution;
const panel = new MapPanel(settings, (point) => void ask(point));
const askArea = (geometry: AreaGeometry) => void ask({ kind: 'area', geometry });
const refusals = new Refusals({
  ...{ language: () => language, settings, panel },
  ...{ lookUp: search, retry: (question) => void ask(question), around: () => lastPlace },
});
const takePlaces = (file: File) => {
  withBatches((batch) => batch.take(file));
};
const parcels = has('areas')
  ? takeParcels({ language: () => language, panel, ask: askArea, askEach: has('batches') ? takePlaces : null })
  : null;
const comparisons = has('compare')
  ? new ComparePanel({
      ...{ language: () => language, key: keyOrFocus },
      accept: (key, left) => {
        keyField.accept(key, left);
      },
      refuse: (failure) => {
        showProblem(language, failure, search);
      },
    })
  : null;
/** What a file of places needs; loaded when there is one. */
let batches: Promise<BatchPanel> | null = null;

let language = readLanguage();
/** What shows answers; null until it is loaded. */
let views: typeof Views | null = null;
const keyField = new KeyField({ language: () => language, price: settings.price });
let shown: GivenAnswer | null = null;
/** The answer that is shown was given before. */
let isKept = false;
/** The last address or point that was answered: its features lie around a parcel that is drawn there. */
let lastPlace: Body | null = null;
/** Only the newest question may show its answer. */
let newest = 0;
let cancelling = new AbortController();
/** The question that is being asked, as JSON: the same one again would cost again. */
let asking = '';

void loadTexts(language).then(start);

function start() {
  keyField.start();
  translate();
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    search(input('address').value);
  });
  if (has('examples')) input('address').setAttribute('aria-describedby', 'examples');
  for (const id of ['examples', 'brief'])
    onClick(id, ({ target }) => {
      const outcome = target instanceof Element ? target.closest('button')?.dataset['outcome'] : undefined;
      const example = exampleWith((one) => one.outcome === outcome);
      if (example) void ask(example);
    });
  byId('language').addEventListener('click', () => {
    const chosen = language === 'fr' ? 'en' : 'fr';
    loadTexts(chosen).then(
      () => {
        speak(chosen);
      },
      () => {
        showProblem(language, UNREACHABLE, search);
      },
    );
  });
  for (const link of document.querySelectorAll('a[href="/signup"]'))
    link.addEventListener('click', () => {
      keepTyped(input('address').value);
    });
  // A key that was typed and not used yet opens its account all the same.
  onClick('to-account', () => {
    keepKey(keyField.value);
  });
  onClick('open-map', () => {
    if (shown) byId('map-frame').scrollIntoView();
    else void refusals.choose([]);
  });
  if (has('suggest')) suggestAddresses({ language: () => language, lookUp: search });
  if (has('maps') && has('areas')) drawParcels({ map: () => panel.map, language: () => language, ask: askArea });
  if (has('areas') || has('batches') || has('compare')) takeFiles({ ...takers(), other: refuseFile });
  onClick('open-batch', () => {
    withBatches((batch) => batch.open());
  });
  takeActions({ language: () => language, shown: () => shown, preparePrint: () => panel.preparePrint() });
  dropSecondClicks();
  byId('cancel').addEventListener('click', () => {
    cancelling.abort();
  });
  if (has('maps')) tieRowsToMap(panel);
  addEventListener('popstate', () => void showEntry());
  const typed = input('address').value;
  void showEntry(typed);
  const kept = takeTyped();
  input('address').value ||= kept;
  document.documentElement.dataset['ready'] = 'true';
  dispatchEvent(new Event('ready'));
  requestIdleCallback(() => {
    prepareFormats(language);
    void getReady();
    if (has('maps')) void import('../map/map.ts').catch(() => undefined);
  });
}

/** Does nothing where the page has no such element, because a feature is left out. */
function onClick(id: string, work: (event: MouseEvent) => void) {
  document.getElementById(id)?.addEventListener('click', work);
}

/** What the page does with files. */
const takers = () => ({
  // An earlier refusal is not about this file.
  begin: () => {
    refusals.clear();
    say('');
  },
  parcel: parcels && ((file: File) => void parcels.readFile(file)),
  places: has('batches') ? takePlaces : null,
  kml: parcels && ((file: File) => void takeKml(file)),
  zip: parcels && ((file: File) => void takeKml(file)),
  answer: comparisons && ((file: File) => void takeAnswer(file)),
});

async function takeKml(file: File) {
  const program = await import('./kml.ts').catch(() => null);
  if (program === null) {
    showProblem(language, UNREACHABLE, search);
    return;
  }
  const read = await program.readKml(file).catch(() => ({ kind: 'notXml' as const, format: undefined }));
  if ('kind' in read) refuseFile(file, read.kind, read.format);
  else await parcels?.readText(file.name, read.text, read.leftOut);
}

/** Shows an answer that was saved, which costs nothing. */
async function takeAnswer(file: File) {
  const [answer, catalogue] = await Promise.all([answerInFile(file), getReady()]);
  try {
    if (answer === null || catalogue === null) throw new Error('no answer');
    const given = {
      ...answer,
      snapshotId: answer.body.snapshot?.id ?? '',
      registerAsOf: catalogue.addresses?.asOf ?? '',
    };
    input('address').value = textOf(answer.question);
    isKept = true;
    await show({ ...answer, catalogue: datedAs(catalogue, given) });
    byId('resolved').focus({ preventScroll: true });
  } catch {
    clear();
    say(textsIn(language).openedUnreadable);
  }
}

/** `format`: of a map. */
function refuseFile({ name, size }: File, kind: Kind, format = endingOf(name).toUpperCase()) {
  const { only, formats, ...texts } = textsIn(language).files;
  const takesBoth = has('areas') && has('batches');
  const own = { ...(takesBoth ? texts : {}), ...textsIn(language).fileFaults };
  const text = (own as Record<string, string>)[kind];
  const values = {
    ...{ name, format, size: number(language, size / 1e6), most: number(language, MOST_BYTES / 1e6) },
    formats: formats[has('areas') ? 'areas' : has('batches') ? 'batches' : 'compare'],
  };
  say(fill(text ?? only, values));
  byId('status').scrollIntoView({ block: 'nearest' });
}

function speak(chosen: Language) {
  language = chosen;
  keepLanguage(language);
  translate();
}

/** Writes everything that stands on the page in the chosen language. */
function translate() {
  translatePage(language, { layers: settings.layers, price: priceWords(language, settings.price) });
  keyField.translate();
  refusals.translate();
  parcels?.translate();
  if (shown) void show(shown, { withMap: !panel.isIn('batch-map-slot') });
  void batches?.then((batch) => {
    batch.translate();
  });
}

/**
 * Shows what the present entry of the history has: its answer, which costs nothing again, or the question of a link. `typed`: what somebody typed
 * before the program was there, and wants to ask for.
 */
async function showEntry(typed: string = '') {
  byId('anew').hidden = true;
  const answer = answerHere();
  if (answer === null || answer === 'lost') {
    clear();
    if (typed === '') followLink(answer === 'lost' ? textsIn(language).notKept : textsIn(language).linked);
    return;
  }
  if (typed === '') input('address').value = textOf(answer.question);
  const id = idHere();
  await loadViews();
  if (id !== idHere()) return;
  refusals.clear();
  isKept = true;
  const drawn = show(answer);
  say(fill(textsIn(language).shownAgain, { time: longMoment(language, new Date(answer.givenAt)) }));
  if (typed === '') byId('resolved').focus({ preventScroll: true });
  await drawn;
}

/** Takes away what is shown. */
function clear() {
  shown = null;
  byId('anew').hidden = true;
  byId('result').hidden = true;
  document.title = textsIn(language).page.title;
  refusals.clear();
  say('');
}

/** What stands after `#` in the address bar is a place that somebody shared. A lookup costs, so the visitor starts it. `words`: what to say then. */
function followLink(words: string) {
  const shared = answerIn(location.hash.slice(1));
  if (shared !== null) void showShared(shared);
  const batch = batchIn(location.hash.slice(1));
  if (batch !== null && has('batches')) withBatches((panel) => panel.follow(batch));
  const question = questionIn(location.hash.slice(1));
  if (question !== null && (question.kind !== 'area' || parcels)) takeQuestion(question, words);
  else if (shared === null && batch === null && isLink(location.hash)) say(textsIn(language).linkUnreadable);
}

/** Puts the question of a link into its field. `words`: what to say then. */
function takeQuestion(question: Question, words: string) {
  if (question.kind === 'area') parcels?.fill(question.geometry);
  else input('address').value = textOf(question);
  const example = exampleWith(({ address }) => address === textOf(question));
  if (example) {
    history.replaceState(null, '', urlOf(example));
    void ask(example);
  } else if (keyField.value === '') {
    keyField.open();
  } else {
    say(words);
    byId(question.kind === 'area' ? 'parcel-ask' : 'submit').focus();
  }
}

/** Shows the answer that stands in the link, which costs nothing. Anybody can have written it. */
async function showShared(text: string) {
  const { hash } = location;
  const [answer, catalogue] = await Promise.all([answerInText(text), getReady()]);
  if (hash !== location.hash) return;
  if (catalogue === null) {
    showProblem(language, UNREACHABLE, search);
    return;
  }
  try {
    if (answer === null || !isSharedAnswer(answer.question, answer.body, catalogue)) throw new Error('no answer');
    const { question, body, givenAt } = answer;
    input('address').value = textOf(question);
    isKept = true;
    await show({ question, body, givenAt, catalogue: datedAs(catalogue, answer), isShared: true });
    byId('resolved').focus({ preventScroll: true });
  } catch {
    clear();
    say(textsIn(language).sharedUnreadable);
  }
}

function withBatches(work: (panel: BatchPanel) => Promise<void>) {
  batches ??= import('../batch/batch.ts').then(
    ({ BatchPanel }) =>
      new BatchPanel({ language: () => language, key: keyOrFocus, accepted: showBatchLink, show: showRow, panel }),
  );
  batches.then(work, () => {
    batches = null;
    showProblem(language, UNREACHABLE, search);
  });
}

/** Returns the key; null when there is none yet, and then its field has the focus. */
function keyOrFocus() {
  if (keyField.value !== '') return keyField.value;
  keyField.open();
  return null;
}

/** Shows an answer that was paid already. */
async function showRow(answer: Omit<GivenAnswer, 'catalogue'>) {
  const catalogue = await getReady(answer.body.snapshot?.id);
  if (catalogue) await succeed({ ...answer, catalogue });
  else showProblem(language, UNREACHABLE, search);
}

/** `key`: with which it was sent. */
function showBatchLink(id: string, key: string) {
  keyField.accept(key);
  const link = `#${linkOfBatch(id)}`;
  if (location.hash !== link) history.pushState(null, '', link);
}

function search(text: string) {
  input('address').value = text;
  if (text.trim() === '') {
    refusals.clear();
    input('address').focus();
  } else if (isHalfAPoint(text)) {
    refusals.show({ failure: { ...UNREACHABLE, problem: { code: 'HALF_A_POINT' } }, question: questionOf(text) });
  } else {
    void ask(questionOf(text));
  }
}

/** The question whose stored answer anybody may see. */
function exampleWith(isIt: (example: Example) => boolean): Question | null {
  const example = settings.examples.find(isIt);
  return example ? { kind: 'address', address: example.address, example: example.outcome } : null;
}

/**
 * Asks the service, or for a stored answer, and shows what it says. An answer that this tab has already, of the snapshot in service, is shown again for
 * nothing. `isAnew`: asks also where there is such an answer.
 */
async function ask(question: Question, { isAnew = false }: { isAnew?: boolean } = {}) {
  input('address').value = textOf(question);
  const key = exampleIn(question) === null ? keyOrFocus() : '';
  if (key === null || asking === JSON.stringify(question)) return;
  const asked = key === '' ? null : nameOfRequest({ key, ...requestOf(question) });
  const { ticket, showCancel } = begin(question);
  if (asked !== null && !isAnew && (await showKept({ asked, question }, { ticket, showCancel }))) return;
  if (ticket !== newest) return;
  const [result] = await Promise.all([answerTo(question, { key, asked, cancel: cancelling.signal }), getReady()]);
  const catalogue = await catalogueOf(result);
  if (ticket !== newest) return;
  rest(showCancel);
  await showResult(result, { question, key, asked, catalogue });
}

async function catalogueOf(result: Awaited<ReturnType<typeof answerTo>>) {
  return result.ok ? getReady(result.body.snapshot?.id) : null;
}

/** A question is asked from now on. */
function begin(question: Question) {
  asking = JSON.stringify(question);
  refusals.clear();
  byId('anew').hidden = true;
  cancelling = new AbortController();
  const showCancel = setTimeout(() => (byId('cancel').hidden = false), CANCEL_AFTER_MS);
  byId('result').classList.add('old');
  say(textsIn(language).working);
  byId('search').setAttribute('aria-busy', 'true');
  return { ticket: ++newest, showCancel };
}

async function showResult(
  result: Awaited<ReturnType<typeof answerTo>>,
  {
    question,
    key,
    asked,
    catalogue,
  }: { question: Question; key: string; asked: string | null; catalogue: Catalogue | null },
) {
  if (cancelling.signal.aborted) {
    byId('result').classList.remove('old');
    say(textsIn(language).cancelled);
    return;
  }
  hide('choose');
  if (result.ok && catalogue) {
    if (key !== '') keyField.accept(key, result.left);
    hide('parcel');
    const { body, lookupId = null } = result;
    await succeed({ question, body, givenAt: givenAtOf(body), catalogue, asked, lookupId });
  } else {
    fail({ failure: result.ok ? UNREACHABLE : result, question, asked });
  }
}

/** Shows the answer that this tab has already of the snapshot in service, with an offer to ask all the same. False: there is none. */
async function showKept(
  lookup: { asked: string; question: Question },
  { ticket, showCancel }: { ticket: number; showCancel: ReturnType<typeof setTimeout> },
) {
  if (keptId(lookup) === null) return false;
  const snapshotId = await presentSnapshot(cancelling.signal);
  if (ticket !== newest || !enterAgain(lookup, { snapshotId, urlOf: urlOfAnswer })) return false;
  rest(showCancel);
  hide('choose');
  hide('parcel');
  await showEntry();
  byId('anew').hidden = false;
  byId('ask-anew').onclick = () => void ask(lookup.question, { isAnew: true });
  return true;
}

/** `id`: of an element, if the page has it. */
const hide = (id: string) => document.getElementById(id)?.setAttribute('hidden', '');

/** Nothing is asked any more. */
function rest(showCancel: ReturnType<typeof setTimeout>) {
  asking = '';
  clearTimeout(showCancel);
  byId('cancel').hidden = true;
  byId('search').removeAttribute('aria-busy');
}

function answerTo(
  question: Question,
  { key, asked, cancel }: { key: string; asked: string | null; cancel: AbortSignal },
) {
  if (asked !== null) return lookUp(requestOf(question), { key, idempotencyKey: idempotencyKeyOf(asked), cancel });
  return readExample(textOf(question), exampleIn(question) ?? '', cancel);
}

/** Examples were answered before. */
const givenAtOf = ({ example }: AnswerBody) => (example ? Date.parse(example.madeAt) : Date.now());

async function succeed(answer: GivenAnswer) {
  enterAnswer(answer, urlOfAnswer(answer));
  raise('result', 'batch');
  isKept = false;
  const drawn = show(answer);
  if (answer.asked) forgetAsked(answer.asked);
  say(fill(textsIn(language).ready, { address: byId('resolved').textContent }), { quiet: true });
  byId('resolved').focus({ preventScroll: true });
  // On a phone the answer begins below the form, and that of a row above the row.
  const { top } = byId('resolved').getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) byId('result').scrollIntoView();
  await drawn;
}

function urlOfAnswer({ question, body }: Pick<GivenAnswer, 'question' | 'body'>) {
  const isAsked = question.kind === 'address' && exampleIn(question) === null;
  return urlOf(
    isAsked ? { ...question, address: ('address' in body ? body.address : undefined) ?? question.address } : question,
  );
}

/** Failures after which the same question may be answered. */
const PASSING = new Set(['UNREACHABLE', 'TIMEOUT', 'DB_ERROR', 'INTERNAL', 'RATE_LIMITED']);

function fail({ asked, ...refusal }: Refusal & { asked: string | null }) {
  if (asked !== null && !PASSING.has(refusal.failure.problem.code)) forgetAsked(asked);
  // What says nothing of the place leaves the answer that was shown.
  const isPassing = shown !== null && PASSING.has(refusal.failure.problem.code);
  if (isPassing) {
    say(fill(textsIn(language).stillShown, { address: byId('resolved').textContent }));
    refusals.show(refusal);
    return;
  }
  // The way back leads to the answer that was shown.
  if (shown) history.pushState(null, '', urlOf(refusal.question));
  clear();
  refusals.show(refusal);
  if (refusal.failure.problem.code === 'UNAUTHORIZED') keyField.open();
}

/** Fetches what every answer needs besides itself. Null: it cannot be had. `snapshotId`: of the answer. */
async function getReady(snapshotId?: string): Promise<Catalogue | null> {
  try {
    const [catalogue] = await Promise.all([readLayers(snapshotId), loadViews()]);
    return catalogue;
  } catch {
    return null;
  }
}

async function loadViews() {
  [views] = await Promise.all([import('../answers/views.ts'), addResultStyles()]);
}

/** `withMap`: takes the map of the page. */
async function show(answer: GivenAnswer, { withMap = true }: { withMap?: boolean } = {}) {
  if (!views) return;
  shown = answer;
  byId('result').classList.remove('old');
  const { question, body, catalogue, givenAt } = answer;
  const map = withMap ? panel : null;
  noteOn(answer);
  void comparisons?.show(answer, isKept);
  const snapshotId = body.snapshot?.id ?? catalogue.snapshot.id;
  const sources = { snapshotId, baseMapCredit, givenAt, lookupId: answer.lookupId ?? null };
  if (question.kind === 'area') {
    views.renderArea(language, { body: body as AreaBody, catalogue, sources });
    nameEntry();
    if (has('maps'))
      await views.drawArea(language, { body: body as AreaBody, catalogue, geometry: question.geometry }, map);
  } else {
    const place = body as Body;
    lastPlace = place;
    views.renderLookup(language, { body: place, catalogue, sources });
    nameEntry();
    if (has('maps')) await views.drawLookup(language, { body: place, catalogue }, map);
  }
}

/** Says of an answer that nobody asked for here what it is: an example below its place, a shared or opened one above it, as a warning. */
function noteOn({ body, givenAt, isShared = false, isOpened = false }: GivenAnswer) {
  const { example, opened, shared, notFromHere } = textsIn(language);
  const time = longMoment(language, new Date(givenAt));
  const note = byId('answer-note');
  note.hidden = !isShared && !body.example;
  note.classList.toggle('shared', isShared);
  byId('result').classList.toggle('shared', isShared);
  byId(isShared ? 'resolved' : 'faults').before(note);
  note.replaceChildren(
    ...(isShared
      ? [el('strong', {}, notFromHere), fill(isOpened ? opened : shared, { time })]
      : [fill(example, { time })]),
  );
}

/** The history and the tab name what is shown. */
function nameEntry() {
  const title = `${byId('resolved').textContent} · ${textsIn(language).page.title}`;
  document.title = shown?.isShared ? `${textsIn(language).notFromHere} · ${title}` : title;
}
