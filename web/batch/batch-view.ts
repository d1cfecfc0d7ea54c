/** What the page shows of a file of places and of its batch. */
import { formats, isOver, type ResultFormat, type Batch, type Outcome } from './batch-api.ts';
import { batchTexts } from '../texts/batch.ts';
import { el } from '../shared/dom.ts';
import { fill, longMoment, number, percent, plural } from '../shared/i18n.ts';
import { batchWords } from '../shared/spending.ts';
import type { Places } from './batch-input.ts';
import type { Language } from '../shared/session.ts';

const outcomes: readonly Outcome[] = ['found', 'notFound', 'outside', 'invalid', 'failed'];

/** What was understood of a file, and what it costs to send it. `choose`: other columns than the page has understood. */
export function renderPlaces(
  language: Language,
  { name, places, isFull }: { name: string; places: Places; isFull: boolean },
  { send, setFull, choose }: { send: () => void; setFull: (isFull: boolean) => void; choose: (() => void) | null },
) {
  const texts = batchTexts[language];
  const rows = number(language, places.rows);
  const full = el('input', { type: 'checkbox', id: 'batch-full', checked: isFull });
  full.addEventListener('change', () => {
    setFull(full.checked);
  });
  return el(
    'div',
    { className: 'batch-part' },
    el('h3', { id: 'batch-name', tabIndex: -1 }, fill(texts.file, { name, rows })),
    el('p', { id: 'batch-columns' }, fill(texts.understood, { columns: understoodIn(language, places).join(', ') })),
    ...notesOn(language, places),
    choose && el('button', { type: 'button', id: 'batch-other', onclick: choose }, texts.otherColumns),
    places.ignored.length > 0 ? el('p', {}, fill(texts.ignored, { columns: places.ignored.join(', ') })) : null,
    tableOf({
      caption: texts.firstRows,
      head: [texts.row, ...places.columns],
      rows: places.first.map((row, i) => [String(i + 1), ...places.columns.map((column) => row[column] ?? '')]),
    }),
    el('p', {}, el('label', { className: 'batch-choice' }, full, texts.full)),
    el('p', { id: 'batch-cost' }, plural(language, places.rows, texts.cost)),
    el('p', { className: 'spends' }, batchWords(language, places.rows)),
    el('button', { type: 'button', id: 'batch-send', className: 'primary', onclick: send }, fill(texts.send, { rows })),
  );
}

/** How the text was read, where that is not as usual. */
function notesOn(language: Language, { table, unusual }: Places) {
  const texts = batchTexts[language];
  const notes = [
    table?.encoding === 'windows-1252' ? fill(texts.windows, { word: unusual }) : null,
    table?.encoding.startsWith('utf-16') ? texts.unicode : null,
    table && table.titles.length > 0 ? fill(texts.titles, { titles: table.titles.join(' / ') }) : null,
  ];
  return notes.flatMap((note) => (note === null ? [] : [el('p', { className: 'batch-read' }, note)]));
}

/** The columns that count, and what they are where their names do not say it. */
function understoodIn(language: Language, { columns, table, isAsIs }: Places) {
  if (table === null || isAsIs) return columns;
  return table.roles.flatMap((role, i) => (role ? [`${table.header[i]} (${batchTexts[language].roles[role]})`] : []));
}

/** How far a batch is: a bar and a table by outcome. */
export function renderProgress(language: Language, batch: Batch) {
  const texts = batchTexts[language];
  const { rows } = batch;
  const told = {
    done: number(language, rows.done),
    total: number(language, rows.total),
    share: percent(language, rows.total > 0 ? rows.done / rows.total : 1),
  };
  const parts = outcomes.filter((outcome) => rows[outcome] > 0).map((outcome) => partOf(outcome, rows[outcome]));
  const bar = el(
    'div',
    {
      className: 'batch-bar',
      role: 'progressbar',
      'aria-label': texts.progressLabel,
      'aria-valuemin': 0,
      'aria-valuemax': rows.total,
      'aria-valuenow': rows.done,
      'aria-valuetext': fill(texts.progress, told),
    },
    ...parts,
    partOf('waiting', rows.total - rows.done),
  );
  const counts = ([...outcomes, 'waiting'] as const).flatMap((outcome) => {
    const count = outcome === 'waiting' ? rows.total - rows.done : rows[outcome];
    const isQuiet = count === 0 && outcome !== 'found';
    return isQuiet ? [] : [rowOf(language, { outcome, count, total: rows.total })];
  });
  return [
    el('p', { className: 'batch-state' }, `${texts.states[batch.state]}. ${fill(texts.progress, told)}`),
    bar,
    el(
      'table',
      { className: 'batch-table' },
      el('caption', {}, texts.byOutcome),
      el('thead', {}, el('tr', {}, ...[texts.outcome, texts.rows, texts.share].map((name) => headCell('col', name)))),
      el('tbody', {}, ...counts),
    ),
    ...(batch.error
      ? [el('p', { className: 'batch-note' }, `${texts.error} `, el('span', { lang: 'en' }, batch.error))]
      : []),
    ...notesOf(language, batch).map((note) => el('p', { className: 'batch-note' }, note)),
  ];
}

function partOf(outcome: Outcome | 'waiting', count: number) {
  const part = el('span', { className: outcome });
  part.style.setProperty('flex-grow', String(count));
  return part;
}

function rowOf(
  language: Language,
  { outcome, count, total }: { outcome: Outcome | 'waiting'; count: number; total: number },
) {
  const swatch = el('span', { className: `batch-swatch ${outcome}`, 'aria-hidden': 'true' });
  return el(
    'tr',
    { 'data-outcome': outcome },
    el('th', { scope: 'row' }, swatch, batchTexts[language].outcomes[outcome]),
    el('td', {}, number(language, count)),
    el('td', {}, percent(language, total > 0 ? count / total : 0)),
  );
}

function notesOf(language: Language, { state, ratePerS, endsAt, expiresAt }: Batch) {
  const texts = batchTexts[language];
  const moment = (text: string) => longMoment(language, new Date(text));
  const isRunning = state === 'running' || state === 'finalizing';
  return [
    isRunning && ratePerS ? fill(texts.speed, { rate: number(language, Math.round(ratePerS)) }) : null,
    isRunning && endsAt ? fill(texts.ends, { time: moment(endsAt) }) : null,
    expiresAt && state !== 'expired' ? fill(texts.keptUntil, { time: moment(expiresAt) }) : null,
  ].filter((note) => note !== null);
}

export function tableOf({
  caption,
  head,
  rows,
}: {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly (Node | string)[])[];
}) {
  // It may be wider than a phone, and then scrolls by itself; by keyboard, too.
  return el(
    'div',
    { className: 'batch-scroll', tabIndex: 0, role: 'region', 'aria-label': caption },
    el(
      'table',
      { className: 'batch-table' },
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, ...head.map((name) => headCell('col', name)))),
      el('tbody', {}, ...rows.map((cells) => el('tr', {}, ...cells.map((cell) => el('td', {}, cell))))),
    ),
  );
}

const headCell = (scope: string, name: string) => el('th', { scope }, name);

/** A batch that a link leads to. */
export function renderLinked(language: Language, { find }: { find: () => void }) {
  const texts = batchTexts[language];
  const show = el('button', { type: 'button', id: 'batch-show', className: 'primary', onclick: find }, texts.show);
  return [el('p', {}, texts.linked), show];
}

/** A batch, with what can be done with it. */
export function renderBatch(
  language: Language,
  batch: Batch,
  { cancel, save }: { cancel: () => void; save: (format: ResultFormat | 'csv') => void },
) {
  const texts = batchTexts[language];
  const parts = [
    el('h3', { id: 'batch-title', tabIndex: -1 }, fill(texts.heading, { id: batch.id })),
    el('div', { id: 'batch-progress' }, ...renderProgress(language, batch)),
  ];
  if (!isOver(batch)) {
    const button = el('button', { type: 'button', id: 'batch-cancel', onclick: cancel }, texts.cancel);
    return [...parts, el('p', { className: 'batch-actions' }, button, el('span', {}, texts.cancelNote))];
  }
  if (batch.state === 'expired') return parts;
  const button = (format: ResultFormat | 'csv', props: object) => {
    const onclick = () => {
      save(format);
    };
    return el('button', { type: 'button', 'data-format': format, onclick, ...props }, texts.formats[format]);
  };
  const programs = el(
    'details',
    { id: 'batch-programs' },
    el('summary', {}, texts.programs),
    el('div', { className: 'batch-actions' }, ...formats.map((format) => button(format, {}))),
  );
  const first = button('csv', { className: 'primary' });
  return [
    ...parts,
    el('div', { className: 'batch-part', role: 'group', 'aria-label': texts.download }, first, programs),
  ];
}
