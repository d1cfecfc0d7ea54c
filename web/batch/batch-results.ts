/** What the rows of a batch have in common, where they are, and each of them, with the reason where there is no answer. */
import { nameOfLayer, type Layer } from '../answers/words.ts';
import { has } from '../shared/api.ts';
import { renderTogether } from '../answers/together.ts';
import { townsOf, type Found, type ResultRow } from './batch-rows.ts';
import { batchTexts } from '../texts/batch.ts';
import { button, byId, el, shape, write } from '../shared/dom.ts';
import { coordinatesOf, fill, number, language } from '../shared/i18n.ts';
import { reasonOf } from '../shared/problem.ts';
import { scrolledTable, type Column } from '../shared/table.ts';
import { coloured, swatchOf } from './batch-view.ts';
import { looks } from '../map/palette.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Point } from '../map/drawings.ts';

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
  #panel;
  #results = NOTHING;
  /** By which the points are coloured; null: by outcome. */
  #layer: Layer | null = null;
  #isRefusedOnly = false;
  #first = 0;

  constructor(panel: MapPanel) {
    this.#panel = panel;
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
    return batchTexts[language];
  }

  #showCounts() {
    const texts = this.#texts;
    const { rows, layers, total } = this.#results;
    const answered = rows.filter(({ problem }) => problem === null);
    const counts = layers.map((layer) => ({ layer, ...countsOf(layer, answered) }));
    const told = answered.flatMap((row) => row.told ?? []);
    const columns: readonly Column<(typeof counts)[number]>[] = [
      { name: texts.layer, of: ({ layer }) => nameOfLayer(layer) },
      ...founds.map((found) => ({
        name: texts.found[found],
        of: (count: (typeof counts)[number]) => number(count[found]),
      })),
    ];
    write(
      'batch-counts',
      el('h3', fill(texts.countsHeading, { rows: number(answered.length) })),
      rows.length < total && el('p.batch-note', fill(texts.firstCounted, { rows: number(rows.length) })),
      el('ul.tally', told.length > 0 && renderTogether(layers, told)),
      el(
        'details',
        el('summary', texts.allLayers),
        scrolledTable(columns, { caption: texts.unknownNote, rows: counts }),
      ),
    );
  }

  /** Says what the map shows, also while it stands somewhere else. */
  async #showMap(isDrawn: boolean = true) {
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
      layers.map((layer) => option(layer.key, nameOfLayer(layer))),
    );
    select.addEventListener('change', () => {
      this.#layer = layers.find(({ key }) => key === select.value) ?? null;
      this.#showRows();
      void this.#showMap().then(() => byId('batch-colour').focus());
    });
    write('batch-key', el('label', texts.colourBy, ' ', select), this.#layer && keyOf(this.#layer, placed));
    const told = { shown: number(placed.length), rows: number(rows.length) };
    byId('batch-map-note').textContent = fill(this.#layer ? texts.mapNoteLayer : texts.mapNote, told);
    const label = this.#layer ? fill(texts.mapAltLayer, { name: nameOfLayer(this.#layer) }) : texts.mapAlt;
    if (!isDrawn) return;
    const points = placed.flatMap((row) => pointOf(row, this.#layer));
    await this.#panel.put('batch-map-slot', label, (kinds) => kinds.drawingOfPoints(points, townsOf(placed)));
  }

  #showRows() {
    const texts = this.#texts;
    const rows = this.#results.rows.filter(({ problem }) => !this.#isRefusedOnly || problem !== null);
    const shown = rows.slice(this.#first, this.#first + PAGE_ROWS);
    const only = el('input', { type: 'checkbox', id: 'batch-refused', checked: this.#isRefusedOnly });
    only.addEventListener('change', () => {
      this.#isRefusedOnly = only.checked;
      this.#turnTo(0, 'batch-refused');
    });
    const turn = (id: string, name: string, first: number) =>
      button(name, () => this.#turnTo(first, id), { id, disabled: first < 0 || first >= rows.length });
    const from = number(rows.length === 0 ? 0 : this.#first + 1);
    const place = { from, to: number(this.#first + shown.length), total: number(rows.length) };
    write(
      'batch-rows',
      el('h3', texts.rows),
      el('label.batch-choice', only, texts.refusedOnly),
      scrolledTable(this.#columns(), { caption: texts.rows, rows: shown }),
      el(
        'p.batch-actions',
        turn('batch-previous', texts.previous, this.#first - PAGE_ROWS),
        turn('batch-next', texts.next, this.#first + PAGE_ROWS),
        el('span', { role: 'status' }, fill(texts.rowsShown, place)),
      ),
    );
  }

  #columns(): readonly Column<ResultRow>[] {
    const texts = this.#texts;
    const layer = this.#layer;
    const { rows, asked, open } = this.#results;
    return [
      { name: texts.row, of: ({ row }) => String(row) },
      rows.some(({ customId }) => customId !== null) && { name: 'custom_id', of: ({ customId }) => customId },
      asked.size > 0 && { name: texts.table.asked, of: ({ row }) => asked.get(row) },
      {
        name: texts.outcome,
        of: ({ outcome }) => el('span', swatchOf(outcome), texts.rowOutcomes[outcome]),
      },
      { name: texts.answer, of: (row) => saidOf(row, open(row)) },
      layer !== null && {
        name: nameOfLayer(layer),
        of: ({ problem, found }) => !problem && texts.found[found[layer.key] ?? 'unknown'],
      },
    ];
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

/** The address of a row, or why it has none. `onclick`: shows its answer. */
function saidOf(row: ResultRow, onclick: (() => void) | null) {
  const said = row.problem ? reasonOf(row.problem) : (row.address ?? placeOf(row));
  return el('span.batch-said', onclick ? button(said, onclick, { className: 'batch-open' }) : said);
}

/** A parcel, or a point without an address near it. */
const placeOf = ({ place }: ResultRow) => (place ? coordinatesOf(place) : '');

/** How many points have which colour. */
function keyOf(layer: Layer, placed: readonly ResultRow[]) {
  const texts = batchTexts[language];
  const answered = placed.filter(({ problem }) => problem === null);
  const counts = countsOf(layer, answered);
  const items = founds.map((found) => el('li', pointLike(found), `${texts.found[found]} (${number(counts[found])})`));
  return el('ul.batch-points', items);
}

/** As on the map: each has a size and a shape besides its colour. */
function pointLike(found: Found) {
  const dot = coloured(shape('batch-point'), found);
  const { edge, radius } = looks[found];
  dot.style.setProperty('border-color', edge);
  dot.style.setProperty('width', `${(radius + 1) / 8}rem`);
  return dot;
}
