/** What the rows of a batch have in common, where they are, and each of them, with the reason where there is no answer. */
import { nameOfLayer, type Layer } from '../answers/words.ts';
import { has } from '../shared/api.ts';
import { renderTogether } from '../answers/together.ts';
import type { Found, ResultRow } from './batch-rows.ts';
import { tableOf } from './batch-view.ts';
import { batchTexts } from '../texts/batch.ts';
import { byId, el } from '../shared/dom.ts';
import { coordinatesOf, fill, number } from '../shared/i18n.ts';
import { reasonOf } from '../shared/problem.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Point } from '../map/batch-map.ts';
import type { Language } from '../shared/session.ts';

/**
 * The first rows, the layers that they were asked for, what each asks for where that is known, and how many rows the batch has. `open`: shows the whole
 * answer of a row; null: it cannot.
 */
export type Results = {
  rows: readonly ResultRow[];
  layers: readonly Layer[];
  asked: ReadonlyMap<number, string>;
  total: number;
  open: (row: ResultRow) => (() => void) | null;
};

const NOTHING: Results = { rows: [], layers: [], asked: new Map(), total: 0, open: () => null };

const PAGE_ROWS = 25;

const founds: readonly Found[] = ['here', 'close', 'none', 'unknown'];

export class BatchResults {
  #options;
  #results = NOTHING;
  /** By which the points are coloured; null: by outcome. */
  #layer: Layer | null = null;
  #isRefusedOnly = false;
  #first = 0;

  constructor(options: { language: () => Language; panel: MapPanel }) {
    this.#options = options;
  }

  /** Shows the results; null: there are none. `withMap`: takes the map of the page. */
  async show(results: Results | null, { withMap }: { withMap: boolean } = { withMap: true }) {
    if (results !== this.#results) this.#layer = null;
    this.#results = results ?? NOTHING;
    this.#first = 0;
    byId('batch-results').hidden = this.#results.rows.length === 0;
    if (this.#results.rows.length === 0) return;
    this.#showCounts();
    this.#showRows();
    if (has('maps')) await this.#showMap(withMap);
  }

  get #texts() {
    return batchTexts[this.#options.language()];
  }

  #showCounts() {
    const language = this.#options.language();
    const texts = this.#texts;
    const { rows, layers, total } = this.#results;
    const answered = rows.filter(({ problem }) => problem === null);
    const counts = layers.map((layer) => ({ layer, ...countsOf(layer, answered) }));
    const told = answered.flatMap((row) => row.told ?? []);
    byId('batch-counts').replaceChildren(
      el('h3', {}, fill(texts.countsHeading, { rows: number(language, answered.length) })),
      ...(rows.length < total
        ? [el('p', { className: 'batch-note' }, fill(texts.firstCounted, { rows: number(language, rows.length) }))]
        : []),
      el('ul', { className: 'tally' }, ...(told.length > 0 ? renderTogether(language, layers, told) : [])),
      el(
        'details',
        {},
        el('summary', {}, texts.allLayers),
        tableOf({
          caption: texts.unknownNote,
          head: [texts.layer, ...founds.map((found) => texts.found[found])],
          rows: counts.map((count) => [
            nameOfLayer(count.layer, language),
            ...founds.map((found) => number(language, count[found])),
          ]),
        }),
      ),
    );
  }

  /** Says what the map shows, also while it stands somewhere else. */
  async #showMap(isDrawn: boolean = true) {
    const language = this.#options.language();
    const texts = this.#texts;
    const { rows, layers } = this.#results;
    const placed = rows.filter(({ place }) => place !== null);
    byId('batch-map').hidden = placed.length === 0;
    if (placed.length === 0) return;
    const option = (value: string, name: string) =>
      el('option', { value, selected: value === (this.#layer?.key ?? '') }, name);
    const select = el(
      'select',
      { id: 'batch-colour' },
      option('', texts.outcome),
      ...layers.map((layer) => option(layer.key, nameOfLayer(layer, language))),
    );
    select.addEventListener('change', () => {
      this.#layer = layers.find(({ key }) => key === select.value) ?? null;
      this.#showRows();
      void this.#showMap().then(() => {
        byId('batch-colour').focus();
      });
    });
    byId('batch-key').replaceChildren(
      el('label', {}, texts.colourBy, ' ', select),
      ...(this.#layer ? [keyOf(language, this.#layer, placed)] : []),
    );
    const told = { shown: number(language, placed.length), rows: number(language, rows.length) };
    byId('batch-map-note').textContent = fill(this.#layer ? texts.mapNoteLayer : texts.mapNote, told);
    const label = this.#layer ? fill(texts.mapAltLayer, { name: nameOfLayer(this.#layer, language) }) : texts.mapAlt;
    if (!isDrawn) return;
    const points = placed.flatMap((row) => pointOf(row, this.#layer));
    await this.#options.panel.put('batch-map-slot', {
      language,
      label,
      drawing: (kinds) => kinds.drawingOfPoints(points),
    });
  }

  #showRows() {
    const language = this.#options.language();
    const texts = this.#texts;
    const rows = this.#results.rows.filter(({ problem }) => !this.#isRefusedOnly || problem !== null);
    const shown = rows.slice(this.#first, this.#first + PAGE_ROWS);
    const only = el('input', { type: 'checkbox', id: 'batch-refused', checked: this.#isRefusedOnly });
    only.addEventListener('change', () => {
      this.#isRefusedOnly = only.checked;
      this.#turnTo(0, 'batch-refused');
    });
    const turn = (id: string, name: string, first: number) =>
      el(
        'button',
        {
          type: 'button',
          id,
          disabled: first < 0 || first >= rows.length,
          onclick: () => {
            this.#turnTo(first, id);
          },
        },
        name,
      );
    const layer = this.#layer;
    const { asked, open } = this.#results;
    const hasIds = this.#results.rows.some(({ customId }) => customId !== null);
    const place = {
      from: number(language, rows.length === 0 ? 0 : this.#first + 1),
      to: number(language, this.#first + shown.length),
    };
    byId('batch-rows').replaceChildren(
      el('h3', {}, texts.rows),
      el('label', { className: 'batch-choice' }, only, texts.refusedOnly),
      tableOf({
        caption: texts.rows,
        head: [
          texts.row,
          ...(hasIds ? ['custom_id'] : []),
          ...(asked.size > 0 ? [texts.table.asked] : []),
          texts.outcome,
          texts.answer,
          ...(layer ? [nameOfLayer(layer, language)] : []),
        ],
        rows: shown.map((row) => cellsOf(language, row, { layer, hasIds, asked, open })),
      }),
      el(
        'p',
        { className: 'batch-actions' },
        turn('batch-previous', texts.previous, this.#first - PAGE_ROWS),
        turn('batch-next', texts.next, this.#first + PAGE_ROWS),
        el('span', { role: 'status' }, fill(texts.rowsShown, { ...place, total: number(language, rows.length) })),
      ),
    );
  }

  /** `id`: of what was used, which keeps the focus. */
  #turnTo(first: number, id: string) {
    this.#first = first;
    this.#showRows();
    const used = byId(id) as HTMLButtonElement;
    (used.disabled ? byId(id === 'batch-next' ? 'batch-previous' : 'batch-next') : used).focus();
  }
}

/** How a row stands on the map. `layer` null: by outcome. */
const pointOf = (row: ResultRow, layer: Layer | null): Point[] =>
  row.place
    ? [{ ...row.place, kind: layer === null || row.problem ? row.outcome : (row.found[layer.key] ?? 'unknown') }]
    : [];

function countsOf(layer: Layer, answered: readonly ResultRow[]) {
  const counts = { here: 0, close: 0, none: 0, unknown: 0 };
  for (const row of answered) counts[row.found[layer.key] ?? 'unknown']++;
  return counts;
}

function cellsOf(
  language: Language,
  row: ResultRow,
  { layer, hasIds, asked, open }: Pick<Results, 'asked' | 'open'> & { layer: Layer | null; hasIds: boolean },
) {
  const texts = batchTexts[language];
  const swatch = el('span', { className: `batch-swatch ${row.outcome}`, 'aria-hidden': 'true' });
  const said = row.problem ? reasonOf(language, row.problem) : (row.address ?? placeOf(language, row));
  const onclick = open(row);
  const link = onclick && el('button', { type: 'button', className: 'batch-open', onclick }, said);
  return [
    String(row.row),
    ...(hasIds ? [row.customId ?? ''] : []),
    ...(asked.size > 0 ? [asked.get(row.row) ?? ''] : []),
    el('span', {}, swatch, texts.rowOutcomes[row.outcome]),
    el('span', { className: 'batch-said' }, link ?? said),
    ...(layer ? [row.problem ? '' : texts.found[row.found[layer.key] ?? 'unknown']] : []),
  ];
}

/** A parcel, or a point without an address near it. */
const placeOf = (language: Language, { place }: ResultRow) => (place ? coordinatesOf(language, place) : '');

/** How many points have which colour. */
function keyOf(language: Language, layer: Layer, placed: readonly ResultRow[]) {
  const texts = batchTexts[language];
  const counts = countsOf(
    layer,
    placed.filter(({ problem }) => problem === null),
  );
  return el(
    'ul',
    { className: 'batch-points' },
    ...founds.map((found) =>
      el(
        'li',
        {},
        el('span', { className: `batch-point ${found}`, 'aria-hidden': 'true' }),
        `${texts.found[found]} (${number(language, counts[found])})`,
      ),
    ),
  );
}
