/** The page: from an address, typed or linked to, a point or a parcel to everything that is known of the land there. Makes its parts, and ties them together. */
import { takeActions } from './answer-actions.ts';
import { Asking, exampleWith } from './asking.ts';
import { ComparePanel } from './compare-again.ts';
import { endingOf, takeFiles, type Kind } from './dropped-files.ts';
import { Entries } from './entries.ts';
import { KeyField } from './key-field.ts';
import { takeParcels } from './parcels.ts';
import { Refusals } from './refusals.ts';
import { Shown } from './shown.ts';
import { suggestAddresses } from './suggestions.ts';
import { tieRowsToMap } from '../answers/tie.ts';
import { drawParcels } from '../map/draw-parcel.ts';
import { MapPanel } from '../map/map-panel.ts';
import { has, readSettings, UNREACHABLE } from '../shared/api.ts';
import { byId, input, onClick } from '../shared/dom.ts';
import { fill, loadTexts, number, offerLanguage, prepareFormats, speak, texts, translatePage } from '../shared/i18n.ts';
import { showProblem } from '../shared/problem.ts';
import { linkOfBatch, type Question } from '../shared/question.ts';
import { keepKey, keepTyped, readLanguage, takeTyped } from '../shared/session.ts';
import { priceWords } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import type { BatchPanel } from '../batch/batch.ts';
import { MOST_BYTES, type AreaGeometry } from '../shared/geojson-input.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';

const settings = readSettings();
const ask = (question: Question) => void asking.ask(question);
const askArea = (geometry: AreaGeometry) => ask({ kind: 'area', geometry });
const search = (text: string) => asking.search(text);
const unreachable = () => showProblem(UNREACHABLE, search);
const takePlaces = (file: File) => withBatches((batch) => batch.take(file));

const keyField = new KeyField(settings.price);
const panel = new MapPanel(settings, ask);
const refusals = new Refusals({ panel, lookUp: search, retry: ask, around: () => shown.lastPlace });
const parcels = has('areas') ? takeParcels({ panel, ask: askArea, askEach: has('batches') ? takePlaces : null }) : null;
const comparisons = has('compare')
  ? new ComparePanel({ keyField, refuse: (failure) => showProblem(failure, search) })
  : null;
const shown = new Shown({ panel, refusals, comparisons });
const asking = new Asking({ shown, refusals, keyField, showEntry: () => entries.show() });
const entries = new Entries({ shown, refusals, keyField, parcels, ask, unreachable, withBatches });
/** What a file of places needs; loaded when there is one. */
let batches: Promise<BatchPanel> | null = null;

const first = readLanguage();
void loadTexts(first).then(() => {
  speak(first);
  start();
});

function start() {
  keyField.start();
  translate();
  offerLanguage(translate, unreachable);
  takeForm();
  if (has('suggest')) suggestAddresses(search);
  if (has('maps') && has('areas')) drawParcels({ map: () => panel.map, ask: askArea });
  if (has('areas') || has('batches') || has('compare')) takeFiles({ ...takers(), other: refuseFile });
  takeActions(
    () => shown.answer,
    () => panel.preparePrint(),
  );
  dropSecondClicks();
  if (has('maps')) tieRowsToMap(panel);
  addEventListener('popstate', () => void entries.show());
  const typed = input('address').value;
  void entries.show(typed);
  const kept = takeTyped();
  input('address').value ||= kept;
  document.documentElement.dataset['ready'] = 'true';
  dispatchEvent(new Event('ready'));
  requestIdleCallback(() => {
    prepareFormats();
    void shown.getReady();
    if (has('maps')) void import('../map/map.ts').catch(() => undefined);
  });
}

/** Makes the form and the ways beside it work. */
function takeForm() {
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    search(input('address').value);
  });
  if (has('examples')) input('address').setAttribute('aria-describedby', 'examples');
  for (const id of ['examples', 'brief'])
    onClick(id, ({ target }) => {
      const outcome = target instanceof Element ? target.closest('button')?.dataset['outcome'] : undefined;
      const example = exampleWith((one) => one.outcome === outcome);
      if (example) ask(example);
    });
  for (const link of document.querySelectorAll('a[href="/signup"]'))
    link.addEventListener('click', () => keepTyped(input('address').value));
  // A key that was typed and not used yet opens its account all the same.
  onClick('to-account', () => keepKey(keyField.value));
  onClick('open-map', () => {
    if (shown.answer) byId('map-frame').scrollIntoView();
    else void refusals.choose([]);
  });
  onClick('open-batch', () => withBatches((batch) => batch.open()));
  onClick('cancel', () => asking.cancel());
}

/** Writes everything that stands on the page in its language. */
function translate() {
  translatePage({ layers: settings.layers, price: priceWords(settings.price) });
  keyField.translate();
  refusals.translate();
  parcels?.translate();
  void shown.showAgain({ withMap: !panel.isIn('batch-map-slot') });
  void batches?.then((batch) => batch.translate());
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
  answer: comparisons && ((file: File) => void entries.openFile(file)),
});

async function takeKml(file: File) {
  const program = await import('./kml.ts').catch(() => null);
  if (program === null) {
    unreachable();
    return;
  }
  const read = await program.readKml(file).catch(() => ({ kind: 'notXml' as const, format: undefined }));
  if ('kind' in read) refuseFile(file, read.kind, read.format);
  else await parcels?.readText(file.name, read.text, read.leftOut);
}

/** `format`: of a map. */
function refuseFile({ name, size }: File, kind: Kind, format = endingOf(name).toUpperCase()) {
  const { only, formats, ...known } = texts.files;
  const takesBoth = has('areas') && has('batches');
  const own = { ...(takesBoth ? known : {}), ...texts.fileFaults };
  const values = {
    ...{ name, format, size: number(size / 1e6), most: number(MOST_BYTES / 1e6) },
    formats: formats[has('areas') ? 'areas' : has('batches') ? 'batches' : 'compare'],
  };
  say(fill((own as Record<string, string>)[kind] ?? only, values));
  byId('status').scrollIntoView({ block: 'nearest' });
}

function withBatches(work: (batch: BatchPanel) => Promise<void>) {
  batches ??= import('../batch/batch.ts').then(
    ({ BatchPanel }) =>
      new BatchPanel({ panel, key: () => keyField.valueOrFocus(), accepted: showBatchLink, show: showRow }),
  );
  batches.then(work, () => {
    batches = null;
    unreachable();
  });
}

/** `key`: with which it was sent. */
function showBatchLink(id: string, key: string) {
  keyField.accept(key);
  const link = `#${linkOfBatch(id)}`;
  if (location.hash !== link) history.pushState(null, '', link);
}

/** Shows an answer that was paid already. */
async function showRow(answer: Omit<GivenAnswer, 'catalogue'>) {
  const catalogue = await shown.getReady(answer.body.snapshot?.id);
  if (catalogue) await asking.enter({ ...answer, catalogue });
  else unreachable();
}

/** The buttons that ask for something, and so mostly spend. */
const ASKING = '.primary, .example, .suggestion, #ask-centre, #ask-anew';

/** Drops the second click of a double click on such a button: it would ask, and spend, again. */
function dropSecondClicks() {
  const drop = (event: MouseEvent) => {
    const { detail, target } = event;
    if (detail < 2 || !(target instanceof Element) || !target.closest(ASKING)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', drop, true);
}
