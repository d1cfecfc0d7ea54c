/** What the page shows of a file of places and of its batch. */
import { formats, isOver, type ResultFormat, type Batch, type Outcome } from './batch-api.ts';
import { batchTexts } from '../texts/batch.ts';
import { button, el, shape } from '../shared/dom.ts';
import { say } from '../shared/status.ts';
import { fill, longMoment, number, percent, plural, language } from '../shared/i18n.ts';
import { batchWords } from '../shared/spending.ts';
import { scrolledTable, table, type Column } from '../shared/table.ts';
import { hasPlace, roles, type Role } from './batch-columns.ts';
import { looks } from '../map/palette.ts';
import type { FirstRow, Places } from './batch-input.ts';

const outcomes: readonly Outcome[] = ['found', 'notFound', 'outside', 'invalid', 'failed'];

/** What was understood of a file, and what it costs to send it. `choose`: other columns than the page has understood. */
export function renderPlaces(
  { name, places, isFull }: { name: string; places: Places; isFull: boolean },
  { send, setFull, choose }: { send: () => void; setFull: (isFull: boolean) => void; choose: (() => void) | null },
) {
  const texts = batchTexts[language];
  const full = el('input', { type: 'checkbox', id: 'batch-full', checked: isFull });
  full.addEventListener('change', () => setFull(full.checked));
  return el(
    'div.batch-part',
    el('h3', { id: 'batch-name', tabIndex: -1 }, plural(places.rows, texts.file, { name })),
    el('p', { id: 'batch-columns' }, fill(texts.understood, { columns: understoodIn(places).join(', ') })),
    notesOn(places),
    choose && button(texts.otherColumns, choose, { id: 'batch-other' }),
    places.ignored.length > 0 && el('p', fill(texts.ignored, { columns: places.ignored.join(', ') })),
    scrolledTable(
      [
        { name: texts.row, of: (row) => String(places.first.indexOf(row) + 1) },
        ...places.columns.map((name) => ({ name, of: (row: FirstRow) => row[name] })),
      ],
      { caption: texts.firstRows, rows: places.first },
    ),
    el('p', el('label.batch-choice', full, texts.full)),
    el('p', { id: 'batch-cost' }, plural(places.rows, texts.cost)),
    el('p.spends', batchWords(places.rows)),
    button(plural(places.rows, texts.send), send, { id: 'batch-send', className: 'primary' }),
  );
}

/** How the text was read, where that is not as usual. */
function notesOn({ table, unusual }: Places) {
  const texts = batchTexts[language];
  const notes = [
    table?.encoding === 'windows-1252' && fill(texts.windows, { word: unusual }),
    table?.encoding.startsWith('utf-16') && texts.unicode,
    table && table.titles.length > 0 && fill(texts.titles, { titles: table.titles.join(' / ') }),
  ];
  return notes.map((note) => note && el('p.batch-read', note));
}

/** The columns that count, and what they are where their names do not say it. */
function understoodIn({ columns, table, isAsIs }: Places) {
  if (table === null || isAsIs) return columns;
  return table.roles.flatMap((role, i) => (role ? [`${table.header[i]} (${batchTexts[language].roles[role]})`] : []));
}

/** How far a batch is: a bar and a table by outcome. */
export function renderProgress(batch: Batch) {
  const texts = batchTexts[language];
  const { rows } = batch;
  const counts = [
    ...outcomes.map((outcome) => ({ outcome, count: rows[outcome] })),
    { outcome: 'waiting' as const, count: rows.total - rows.done },
  ];
  const bar = el(
    'div.batch-bar',
    {
      role: 'progressbar',
      'aria-label': texts.progressLabel,
      'aria-valuemin': 0,
      'aria-valuemax': rows.total,
      'aria-valuenow': rows.done,
      'aria-valuetext': stateWords(batch),
    },
    counts.map(partOf),
  );
  const columns: readonly Column<(typeof counts)[number]>[] = [
    {
      name: texts.outcome,
      of: ({ outcome }) => [swatchOf(outcome), texts.outcomes[outcome]],
      isName: true,
    },
    { name: texts.rows, of: ({ count }) => number(count) },
    { name: texts.share, of: ({ count }) => percent(rows.total > 0 ? count / rows.total : 0) },
  ];
  const shown = counts.filter(({ outcome, count }) => count > 0 || outcome === 'found');
  return [
    el('p.batch-state', stateWords(batch)),
    bar,
    table(columns, { caption: texts.byOutcome, rows: shown }),
    batch.error && el('p.batch-note', `${texts.error} `, el('span', { lang: 'en' }, batch.error)),
    notesOf(batch).map((note) => note && el('p.batch-note', note)),
  ];
}

export function stateWords({ state, rows: { done, total } }: Batch) {
  const { states, progress } = batchTexts[language];
  const share = percent(total > 0 ? done / total : 1);
  return `${states[state]}. ${fill(progress, { done: number(done), total: number(total), share })}`;
}

function partOf({ outcome, count }: { outcome: Outcome | 'waiting'; count: number }) {
  const part = coloured(el('span'), outcome);
  part.style.setProperty('flex-grow', String(count));
  return count > 0 && part;
}

/** The colour of an outcome, as its points have it on the map. What waits has none. */
export const swatchOf = (outcome: Outcome | 'waiting') => coloured(shape(`batch-swatch ${outcome}`), outcome);

export function coloured(element: HTMLElement, kind: keyof typeof looks | 'waiting') {
  if (kind !== 'waiting') element.style.setProperty('background', looks[kind].colour);
  return element;
}

function notesOf({ state, ratePerS, endsAt, expiresAt }: Batch) {
  const texts = batchTexts[language];
  const isRunning = state === 'running' || state === 'finalizing';
  return [
    isRunning && ratePerS ? fill(texts.speed, { rate: number(Math.round(ratePerS)) }) : null,
    isRunning && endsAt && fill(texts.ends, { time: longMoment(endsAt) }),
    expiresAt && state !== 'expired' && fill(texts.keptUntil, { time: longMoment(expiresAt) }),
  ];
}

/** The choice of columns, for a table whose names the page does not know or has understood otherwise than they are meant. */
export function renderColumns(
  { name, header, found }: { name: string; header: readonly string[]; found: readonly (Role | null)[] },
  choose: (chosen: (Role | null)[]) => void,
) {
  const texts = batchTexts[language];
  const selects = roles.map((role) => {
    const columns = header.map((column, i) => new Option(column || String(i + 1), String(i), false, found[i] === role));
    return el('select', { 'data-role': role }, new Option(texts.noColumn, ''), columns);
  });
  const use = () => {
    const chosen = header.map(() => null) as (Role | null)[];
    selects.forEach(({ value }, i) => {
      if (value !== '') chosen[Number(value)] = roles[i] ?? null;
    });
    if (hasPlace(chosen)) choose(chosen);
    else say(texts.columnsNeeded);
  };
  const labels = roles.map((role, i) => el('label', el('span', texts.roles[role]), selects[i]));
  return [
    el('h3', { id: 'batch-choose', tabIndex: -1 }, fill(texts.chooseColumns, { name })),
    el('div.batch-columns', labels),
    button(texts.useColumns, use, { id: 'batch-use', className: 'primary' }),
  ];
}

/** A batch that a link leads to. */
export function renderLinked(find: () => void) {
  const texts = batchTexts[language];
  return [el('p', texts.linked), button(texts.show, find, { id: 'batch-show', className: 'primary' })];
}

/** A batch, with what can be done with it. `hasFile`: the page has the file that was sent. */
export function renderBatch(
  batch: Batch,
  { hasFile, cancel, save }: { hasFile: boolean; cancel: () => void; save: (format: ResultFormat | 'csv') => void },
) {
  const texts = batchTexts[language];
  const parts = [
    el('h3', { id: 'batch-title', tabIndex: -1 }, fill(texts.heading, { id: batch.id })),
    el('div', { id: 'batch-progress' }, renderProgress(batch)),
  ];
  if (!isOver(batch)) {
    const stop = button(texts.cancel, cancel, { id: 'batch-cancel' });
    return [...parts, el('p.batch-actions', stop, el('span', texts.cancelNote))];
  }
  if (batch.state === 'expired') return parts;
  const saving = (format: ResultFormat | 'csv', className?: string) =>
    button(texts.formats[format], () => save(format), { 'data-format': format, className });
  const programs = el(
    'details',
    { id: 'batch-programs' },
    el('summary', texts.programs),
    el(
      'div.batch-actions',
      formats.map((format) => saving(format)),
    ),
  );
  const how = { className: 'batch-part', role: 'group', 'aria-label': texts.download };
  const note = !hasFile && el('p.batch-note', texts.noFile);
  return [...parts, el('div', how, note, saving('csv', 'primary'), programs)];
}
