/** What the rows of a batch have in common, where they are, and each of them, with the reason where there is no answer. */
import { nameOfLayer } from '../answers/answers.ts';
import { has } from '../shared/api.ts';
import { foundIn, type Found, type ResultRow } from './batch-rows.ts';
import { tableOf } from './batch-view.ts';
import { batchTexts } from '../texts/batch.ts';
import { byId, el } from '../shared/dom.ts';
import { fill, number } from '../shared/i18n.ts';
import { reasonOf } from '../shared/problem.ts';
import type { MapPanel } from '../map/map-panel.ts';
import type { Point } from '../map/batch-map.ts';
import type { Language } from '../shared/session.ts';
import type { Layer } from '../answers/words.ts';

/** The first rows, the layers that they were asked for, and how many rows the batch has. */
export type Results = { rows: readonly ResultRow[]; layers: readonly Layer[]; total: number };

const PAGE_ROWS = 25;

/** What stands first. */
const CONCERNS = ['hazard', 'restriction'];

const founds: readonly Found[] = ['here', 'close', 'none', 'unknown'];

export class BatchResults {
  #options;
  #results: Results = { rows: [], layers: [], total: 0 };
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
    this.#results = results ?? { rows: [], layers: [], total: 0 };
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
    const concerning = counts
      .filter(({ layer, here, close }) => here + close > 0 && rankOf(layer) >= 0 && !layer.reader?.detailOf)
      .sort((a, b) => rankOf(a.layer) - rankOf(b.layer) || b.here - a.here);
    const told = { rows: number(language, answered.length) };
    byId('batch-counts').replaceChildren(
      el('h3', {}, fill(texts.countsHeading, told)),
      ...(rows.length < total
        ? [el('p', { className: 'batch-note' }, fill(texts.firstCounted, { rows: number(language, rows.length) }))]
        : []),
      el(
        'ul',
        { className: 'batch-concerns' },
        ...concerning.map(({ layer, here, close }) => {
          const name = nameOfLayer(layer, language);
          const text = close === 0 ? texts.hereAlone : here === 0 ? texts.closeAlone : texts.hereAndClose;
          return el('li', { 'data-concern': layer.key }, fill(text, { ...told, name, here, close }));
        }),
      ),
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
          texts.outcome,
          texts.answer,
          ...(layer ? [nameOfLayer(layer, language)] : []),
        ],
        rows: shown.map((row) => cellsOf(language, row, { layer, hasIds })),
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
  row.place ? [{ ...row.place, kind: layer === null || row.problem ? row.outcome : foundIn(layer, row) }] : [];

const rankOf = (layer: Layer) => CONCERNS.indexOf(layer.reader?.concern ?? '');

function countsOf(layer: Layer, answered: readonly ResultRow[]) {
  const counts = { here: 0, close: 0, none: 0, unknown: 0 };
  for (const row of answered) counts[foundIn(layer, row)]++;
  return counts;
}

function cellsOf(language: Language, row: ResultRow, { layer, hasIds }: { layer: Layer | null; hasIds: boolean }) {
  const texts = batchTexts[language];
  const swatch = el('span', { className: `batch-swatch ${row.outcome}`, 'aria-hidden': 'true' });
  const said = row.problem ? reasonOf(language, row.problem) : (row.address ?? '');
  return [
    String(row.row),
    ...(hasIds ? [row.customId ?? ''] : []),
    el('span', {}, swatch, texts.rowOutcomes[row.outcome]),
    el('span', { className: 'batch-said' }, said),
    ...(layer ? [row.problem ? '' : texts.found[foundIn(layer, row)]] : []),
  ];
}

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
