/** The page: from an address, typed or linked to, a point or a parcel to everything that is known of the land there. Makes its parts, and ties them together. */
import { Asking, exampleWith } from './asking.ts';
import { Entries } from './entries.ts';
import { KeyField } from './key-field.ts';
import { Refusals } from './refusals.ts';
import { Shown } from './shown.ts';
import { suggestAddresses } from './suggestions.ts';
import { MapPanel } from '../map/map-panel.ts';
import { has, readSettings, UNREACHABLE, type Failure } from '../shared/api.ts';
import { byId, input, onClick } from '../shared/dom.ts';
import { loadTexts, offerLanguage, prepareFormats, speak, translatePage } from '../shared/i18n.ts';
import { showProblem } from '../shared/problem.ts';
import { linkOfBatch, onOneLine, type Question } from '../shared/question.ts';
import { keepKey, keepTyped, readLanguage, takeTyped } from '../shared/session.ts';
import { priceWords } from '../shared/spending.ts';
import { say } from '../shared/status.ts';
import type { AreaGeometry } from '../shared/area.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';

const settings = readSettings();
const takesFiles = has('areas') || has('batches') || has('compare');
const ask = (question: Question) => void asking.ask(question);
const askArea = (geometry: AreaGeometry) => ask({ kind: 'area', geometry });
const search = (text: string) => asking.search(text);
const unreachable = () => showProblem(UNREACHABLE, search);

const keyField = new KeyField(settings.price);
const panel = new MapPanel(settings, ask);
const refusals = new Refusals({ panel, lookUp: search, retry: ask, around: () => shown.lastPlace });
const comparing = { keyField, refuse: (failure: Failure) => showProblem(failure, search) };
const shown = new Shown({ panel, refusals, comparing });
const asking = new Asking({ shown, refusals, keyField, showEntry: () => entries.show() });
/** What a file of places needs. */
const batches = lazily(async () => {
  const { BatchPanel } = await import('../batch/batch.ts');
  const account = () => keyField.learn();
  return new BatchPanel({ panel, key: () => keyField.valueOrFocus(), account, accepted: showBatchLink, show: showRow });
});
const entries = new Entries({ shown, refusals, keyField, ask, unreachable, withBatches: batches.use });
/** What reads files and shows parcels. */
const files = lazily(async () => {
  const { makeFiles } = await import('./files.ts');
  const takePlaces = has('batches') ? (file: File) => batches.use((batch) => batch.take(file)) : null;
  const openAnswer = has('compare') ? (file: File) => void entries.openFile(file) : null;
  const begin = () => {
    // An earlier refusal is not about this file.
    refusals.clear();
    say('');
  };
  return makeFiles({ panel, ask: askArea, takePlaces, openAnswer, begin, unreachable });
});

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
  if (takesFiles) takeFiles();
  dropSecondClicks();
  addEventListener('popstate', () => {
    asking.leave();
    void entries.show();
  });
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
    if (takesFiles) void import('./files.ts').catch(() => undefined);
  });
}

/** Makes the form and the ways beside it work. */
function takeForm() {
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    search(input('address').value);
  });
  // Browsers would take the ends of lines away, and with them what parts a street from its town.
  input('address').addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (!/[\r\n]/.test(text.trim())) return;
    event.preventDefault();
    // oxlint-disable-next-line typescript/no-deprecated -- unlike all others, what it does can be undone.
    document.execCommand('insertText', false, onOneLine(text));
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
  onClick('open-parcel', () => files.use(({ parcels }) => parcels?.open()));
  onClick('parcel-ask', () => files.use(({ parcels }) => parcels?.askText()));
  onClick('open-batch', () => batches.use((batch) => batch.open()));
  onClick('cancel', () => asking.cancel());
  // As an entry of the history it would take the answer away.
  onClick('skip', (event) => {
    event.preventDefault();
    input('address').focus();
  });
}

/** Takes files that are dropped anywhere on the page, or chosen. */
function takeFiles() {
  const take = (list: FileList) => {
    // The list is emptied before the program is there.
    const all = [...list];
    files.use(({ take }) => take(all));
  };
  for (const id of ['parcel-file', 'batch-file']) {
    const field = document.getElementById(id) as HTMLInputElement | null;
    field?.addEventListener('change', () => field.files && take(field.files));
  }
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });
}

/** Writes everything that stands on the page in its language. */
function translate() {
  translatePage({ layers: settings.layers, price: priceWords(settings.price) });
  keyField.translate();
  refusals.translate();
  files.ifLoaded(({ parcels }) => parcels?.translate());
  void shown.showAgain({ withMap: !panel.isIn('batch-map-slot') });
  batches.ifLoaded((batch) => batch.translate());
}

/** A part of the page that loads when it is first used. One that cannot be had is asked for again. */
function lazily<Part>(load: () => Promise<Part>) {
  let part: Promise<Part> | null = null;
  return {
    use: (work: (part: Part) => unknown) => {
      part ??= load();
      part.then(work, () => {
        part = null;
        unreachable();
      });
    },
    ifLoaded: (work: (part: Part) => unknown) => void part?.then(work, () => undefined),
  };
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
  if (!catalogue) {
    unreachable();
    return;
  }
  const drawn = asking.enter({ ...answer, catalogue });
  asking.offerAnew(answer.question);
  await drawn;
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
