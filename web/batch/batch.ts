/** A file of places: understood, sent as a batch, watched, and its results shown and saved. Loaded when somebody needs it. */
import { randomKey } from '../shared/asked.ts';
import { has, readLayers, type AnswerBody, type Body, type Failure } from '../shared/api.ts';
import { answeredTable, type Own } from './answered-table.ts';
import {
  cancelBatch,
  followBatch,
  isOver,
  readBatch,
  readResults,
  sendPlaces,
  type Batch,
  type ResultFormat,
} from './batch-api.ts';
import { rolesIn, type Role } from './batch-columns.ts';
import { asTheServiceTakes, MOST_POINTS, readPlaces, rowsAgain, type Places } from './batch-input.ts';
import { BatchResults, type Results } from './batch-results.ts';
import { isOfArea, linesIn, readRows, type ResultRow } from './batch-rows.ts';
import { renderBatch, renderColumns, renderLinked, renderPlaces, renderProgress, stateWords } from './batch-view.ts';
import { batchTexts } from '../texts/batch.ts';
import { byId, el, raise, save, write, type Child } from '../shared/dom.ts';
import { fill, number, language } from '../shared/i18n.ts';
import { hideProblem, showProblem } from '../shared/problem.ts';
import { say } from '../shared/status.ts';
import { addResultStyles, addStyles } from '../shared/styles.ts';
import type { AreaGeometry } from '../shared/area.ts';
import type { GivenAnswer } from '../shared/kept-answers.ts';
import type { Question } from '../shared/question.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { AccountBody } from '../../src/features/account/wire.ts';

/** `key`: null when there is none yet; the field for it has the focus then. `account`: of that key. `accepted`: the server has this batch for this key. `show`: shows an answer. */
type BatchOptions = {
  key: () => string | null;
  account: () => Promise<AccountBody | null>;
  accepted: (id: string, key: string) => void;
  show: (answer: Omit<GivenAnswer, 'catalogue'>) => Promise<void>;
  panel: MapPanel;
};
type Fault = { kind: 'fault'; text: () => string };
/** What each column is, nobody has said yet. */
type Unknown = { kind: 'columns'; file: File; header: readonly string[]; found: readonly (Role | null)[] };
type Chosen = { kind: 'file'; file: File; places: Places; isFull: boolean; idempotencyKey: string; isSending: boolean };
type Linked = { kind: 'link'; id: string };
/** `own`: null where a link has led to the batch. */
type Watched = { kind: 'batch'; batch: Batch; results: Results | null; own: Own | null };
type State = Fault | Unknown | Chosen | Linked | Watched | null;

/** Those who listen hear of every such share that is done. */
const TOLD_SHARE = 0.25;

export class BatchPanel {
  #options;
  #results;
  #state: State = null;
  #failure: Failure | null = null;
  /** The key of the batch that is shown: the field may hold another one by now. */
  #key = '';
  /** Only the newest file or batch is watched. */
  #newest = 0;
  #toldShare = 0;
  /** Of the key in the field; null: not known. */
  #account: AccountBody | null = null;

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#results = new BatchResults(options.panel);
  }

  async open() {
    await Promise.all([addResultStyles(), addStyles(new URL('./batch.css', import.meta.url))]);
    byId('batch').hidden = false;
    raise('batch', 'result');
    byId('batch-heading').focus();
    void this.#readAllowance();
  }

  /** Whoever may send no files hears it before choosing one. */
  async #readAllowance() {
    this.#account = await this.#options.account();
    this.#showAllowance();
  }

  #showAllowance() {
    const note = byId('batch-allowance');
    note.hidden = this.#account === null;
    if (this.#account === null) return;
    const { limits, batchRowsToday: today } = this.#account;
    const rowsPerDay = limits.batchRowsPerDay;
    const values = { left: number(Math.max(0, rowsPerDay - today)), rowsPerDay: number(rowsPerDay) };
    note.className = rowsPerDay === 0 ? 'problem' : 'batch-note';
    note.textContent = fill(rowsPerDay === 0 ? this.#texts.noBatches : this.#texts.rowsLeft, values);
  }

  /** Reads a file, and shows what it is. `chosen`: what each column of a table is. */
  async take(file: File, chosen?: readonly (Role | null)[]) {
    if (this.#isSending) return;
    const ticket = ++this.#newest;
    await this.open();
    this.#fail(null);
    say(fill(this.#texts.reading, { name: file.name }));
    const places = await readPlaces(file, chosen);
    if (ticket !== this.#newest) return;
    say('');
    if (!('fault' in places)) {
      const isFull = places.rows <= MOST_POINTS;
      this.#show({ kind: 'file', file, places, isFull, idempotencyKey: randomKey(), isSending: false });
      byId('batch-name').focus();
      return;
    }
    const { fault, header = [] } = places;
    if (fault === 'noColumns') {
      this.#choose(file, header, rolesIn(header));
      return;
    }
    const [first = '', second = ''] = header;
    const words = { name: file.name, first, second };
    const text = () => fill(batchTexts[language].faults[fault], words);
    this.#show({ kind: 'fault', text });
  }

  #choose(file: File, header: readonly string[], found: readonly (Role | null)[]) {
    this.#show({ kind: 'columns', file, header, found });
    byId('batch-choose').focus();
  }

  /** Shows a batch that a link leads to. */
  async follow(id: string) {
    if (this.#isSending) return;
    if (this.#state?.kind === 'batch' && this.#state.batch.id === id) {
      // An answer may have taken the map.
      await this.#results.show(this.#state.results);
      return;
    }
    const ticket = ++this.#newest;
    await this.open();
    if (ticket !== this.#newest) return;
    this.#show({ kind: 'link', id });
    await this.#findIfKey(id);
  }

  /** Shows everything anew, in the language of the page. */
  translate() {
    this.#showAllowance();
    this.#show(this.#state);
    this.#fail(this.#failure);
  }

  /** What is under way makes a batch: nothing may take its place. */
  get #isSending() {
    return this.#state?.kind === 'file' && this.#state.isSending;
  }

  get #texts() {
    return batchTexts[language];
  }

  #fail(failure: Failure | null) {
    const hadFailed = this.#failure !== null;
    this.#failure = failure;
    if (failure) showProblem(failure, () => undefined, this.#texts.problems);
    else if (hadFailed) hideProblem();
  }

  #show(state: State) {
    this.#state = state;
    const hadFocus = byId('batch-body').contains(document.activeElement);
    write('batch-body', this.#partsOf(state));
    // A button that somebody has used may be gone.
    if (hadFocus) byId('batch-body').querySelector('h3')?.focus();
    const results = state?.kind === 'batch' ? state.results : null;
    // An answer may have the map by now.
    void this.#results.show(results, { withMap: this.#options.panel.isIn('batch-map-slot') });
  }

  #partsOf(state: State): Child {
    switch (state?.kind) {
      case 'fault':
        return el('p.problem', { role: 'alert' }, state.text());
      case 'columns': {
        const { file, header, found } = state;
        return renderColumns({ name: file.name, header, found }, (chosen) => void this.take(file, chosen));
      }
      case 'file': {
        const setFull = (isFull: boolean) => {
          // Another request than before needs another name.
          Object.assign(state, { isFull, idempotencyKey: randomKey() });
        };
        const { file, places, isFull } = state;
        const { table } = places;
        const choose = () => {
          if (table) this.#choose(file, table.header, table.roles);
        };
        const actions = { send: () => void this.#send(), setFull, choose: places.isAsIs ? null : choose };
        return renderPlaces({ name: file.name, places, isFull }, actions);
      }
      case 'link':
        return renderLinked(() => void this.#findIfKey(state.id));
      case 'batch': {
        const { batch } = state;
        const save = (format: ResultFormat | 'csv') => void this.#save(state, format);
        return renderBatch(batch, { hasFile: state.own !== null, cancel: () => void this.#cancel(), save });
      }
      default:
        return null;
    }
  }

  async #send() {
    const chosen = this.#state;
    const key = this.#options.key();
    if (chosen?.kind !== 'file' || chosen.isSending || key === null) return;
    const { file, places, isFull, idempotencyKey } = chosen;
    const ticket = ++this.#newest;
    this.#key = key;
    chosen.isSending = true;
    this.#fail(null);
    say(this.#texts.sending);
    const upload = places.table && !places.isAsIs ? await asTheServiceTakes(file, places.table) : file;
    const answer = await sendPlaces(upload, { format: places.format, isFull, key, idempotencyKey });
    if (ticket !== this.#newest) return;
    chosen.isSending = false;
    say('');
    if (answer.ok) {
      await this.#watch(answer.body, { ticket, own: { file, places } });
      byId('batch-title').focus();
    } else this.#fail(answer);
  }

  async #findIfKey(id: string) {
    const key = this.#options.key();
    if (key === null) return;
    this.#key = key;
    const ticket = ++this.#newest;
    const answer = await readBatch(id, this.#key);
    if (ticket !== this.#newest) return;
    this.#fail(answer.ok ? null : answer);
    if (answer.ok) await this.#watch(answer.body, { ticket, own: null });
  }

  async #cancel() {
    const watched = this.#state;
    if (watched?.kind !== 'batch') return;
    const answer = await cancelBatch(watched.batch.id, this.#key);
    this.#fail(answer.ok ? null : answer);
  }

  /** Shows a batch, and follows it to its end. */
  async #watch(batch: Batch, { ticket, own }: { ticket: number; own: Own | null }) {
    this.#options.accepted(batch.id, this.#key);
    this.#toldShare = 0;
    const watched: Watched = { kind: 'batch', batch, results: null, own };
    this.#show(watched);
    if (isOver(batch)) await this.#ended(watched, ticket);
    else void this.#follow(watched, ticket);
  }

  async #follow(watched: Watched, ticket: number) {
    await followBatch(
      { id: watched.batch.id, key: this.#key },
      {
        isWanted: () => ticket === this.#newest,
        onFailure: (failure) => this.#fail(failure),
        onWaiting: (isWaiting) => say(isWaiting ? this.#texts.waiting : ''),
        onBatch: (batch) => {
          watched.batch = batch;
          if (!isOver(batch)) this.#progress(batch);
        },
      },
    );
    if (ticket === this.#newest && isOver(watched.batch)) await this.#ended(watched, ticket);
  }

  /** Changes the figures only: whoever is at the buttons stays there. */
  #progress(batch: Batch) {
    write('batch-progress', renderProgress(batch));
    const { done, total } = batch.rows;
    if (total === 0 || done / total < this.#toldShare + TOLD_SHARE) return;
    this.#toldShare = Math.floor(done / total / TOLD_SHARE) * TOLD_SHARE;
    say(stateWords(batch), { quiet: true });
  }

  async #ended(watched: Watched, ticket: number) {
    this.#show(watched);
    say(stateWords(watched.batch), { quiet: true });
    const { id, state, rows } = watched.batch;
    if (state === 'expired' || rows.done === 0) return;
    const [results, catalogue] = await Promise.all([
      readResults(id, { format: 'ndjson', key: this.#key }),
      readLayers().catch(() => null),
    ]);
    if (!results.ok || catalogue === null || ticket !== this.#newest) return;
    const { points = new Map(), asked = new Map() } = watched.own?.places ?? {};
    const given = { asked: points, layers: catalogue.layers };
    const read = await readRows(results.body, given).catch(() => null);
    if (ticket !== this.#newest || read === null) return;
    const keys = new Set(read.flatMap(({ found }) => Object.keys(found)));
    const layers = catalogue.layers.filter(({ key }) => keys.has(key));
    // The outline of a parcel is in its file alone.
    const open = (row: ResultRow) =>
      row.isFull && (!row.isArea || watched.own) ? () => void this.#open(watched, row.row) : null;
    watched.results = { rows: read, layers, asked, total: rows.done, open };
    await this.#results.show(watched.results);
  }

  /** Shows the whole answer of a row, which was paid with the batch. */
  async #open({ batch, own }: Watched, row: number) {
    const results = await readResults(batch.id, { format: 'ndjson', key: this.#key, after: row - 1 });
    this.#fail(results.ok ? null : results);
    if (!results.ok) return;
    try {
      for await (const line of linesIn(results.body)) {
        if (line.code !== null) return;
        const question = await questionIn(line.body, { own, row });
        await this.#options.show({ question, body: line.body, givenAt: Date.parse(batch.endsAt ?? '') || Date.now() });
        say(openedWords(row));
        return;
      }
    } catch {
      say(this.#texts.notSaved);
    }
  }

  async #save(watched: Watched, format: ResultFormat | 'csv') {
    say(this.#texts.downloading);
    const { id } = watched.batch;
    const results = await readResults(id, { format: format === 'csv' ? 'ndjson' : format, key: this.#key });
    this.#fail(results.ok ? null : results);
    try {
      if (!results.ok) throw new Error(results.problem.code);
      const own = watched.own?.file.name.replace(/\.\w+$/, '') ?? id;
      const name = format === 'csv' ? `${own}-${id.slice(-6)}.csv` : `${id}.${format}`;
      save(await (format === 'csv' ? this.#tableOf(watched, results.body) : results.body.blob()), name);
      say(fill(this.#texts.saved, { name }));
    } catch {
      say(this.#texts.notSaved);
    }
  }

  /** The reader's own table with the answers. */
  async #tableOf({ own, results }: Watched, response: Response) {
    const all = results?.layers ?? (await readLayers()).layers.filter(({ further }) => !further);
    return answeredTable({ own, lines: linesIn(response), layers: all });
  }
}

/** What is said of an answer that was opened: rows have neither features for a map nor rules. */
function openedWords(row: number) {
  const { opened, notInRows, featuresOfMap, rulesOfLaw } = batchTexts[language];
  const what = [...(has('maps') ? [featuresOfMap] : []), ...(has('rules') ? [rulesOfLaw] : [])].join(', ');
  return `${fill(opened, { row: number(row) })} ${what === '' ? '' : fill(notInRows, { what })}`;
}

/** The question that a row asks: for a parcel with the outline that is in its file. Throws where that cannot be read any more. */
async function questionIn(body: AnswerBody, { own, row }: { own: Own | null; row: number }): Promise<Question> {
  if (!isOfArea(body)) {
    const { lat, lon, geocode } = body as Body;
    if (geocode.accuracy === 'point') return { kind: 'point', lat, lon, uncertaintyM: geocode.uncertaintyM };
    return { kind: 'address', address: geocode.address };
  }
  let passed = 0;
  if (own)
    for await (const { members } of rowsAgain(own.file, own.places))
      if (++passed === row) return { kind: 'area', geometry: members['geometry'] as AreaGeometry };
  throw new Error('the file has changed');
}
