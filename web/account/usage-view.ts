/** Usage as a chart and as a table with the same figures. */
import { el } from '../shared/dom.ts';
import { fill, number } from '../shared/i18n.ts';
import type { Language } from '../shared/session.ts';
import type { accountTexts } from '../texts/account.ts';

/** A day or a month. */
type Bar = { label: string; lookups: number; batchRows: number };
type Drawing = { language: Language; texts: (typeof accountTexts)[Language]; bars: readonly Bar[]; title: string };

const SVG = 'http://www.w3.org/2000/svg';
/** Widest drawing; narrower ones keep their letters readable on a phone. */
const MOST_WIDTH = 720;
const LEAST_WIDTH = 260;
const HEIGHT = 220;
/** Room for the scale at the left and the labels below. */
const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;
/** Room of one label below the bars. */
const LABEL_WIDTH = 80;

/** Bars of lookups, with those of rows on top of them. `room`: width that there is, in pixels. */
export function chartOf({ language, texts, bars, title, room }: Drawing & { room: number }) {
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, room));
  const most = scaleOf(Math.max(1, ...bars.map(({ lookups, batchRows }) => lookups + batchRows)));
  const height = (value: number) => (value / most) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT) / Math.max(1, bars.length);
  const perLabel = Math.ceil((bars.length * LABEL_WIDTH) / (width - LEFT));
  const base = HEIGHT - BOTTOM;
  const svg = shape('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': title });
  for (const share of [0, 0.5, 1]) {
    const y = base - height(most * share);
    svg.append(
      shape('line', { class: 'grid', x1: LEFT, x2: width, y1: y, y2: y }),
      shape('text', { class: 'scale', x: LEFT - 8, y: y + 4 }, number(language, most * share)),
    );
  }
  bars.forEach(({ label, lookups, batchRows }, i) => {
    const [x, thick] = [LEFT + i * step + step * 0.15, step * 0.7];
    const words = `${label}: ${texts.lookups} ${number(language, lookups)}, ${texts.rows} ${number(language, batchRows)}`;
    const bar = shape('g', {}, shape('title', {}, words));
    bar.append(
      shape('rect', { class: 'lookups', x, width: thick, y: base - height(lookups), height: height(lookups) }),
      shape('rect', {
        class: 'rows',
        x,
        width: thick,
        y: base - height(lookups + batchRows),
        height: height(batchRows),
      }),
    );
    svg.append(bar);
    if (i % perLabel === 0) svg.append(shape('text', { class: 'label', x: x + thick / 2, y: HEIGHT - 6 }, label));
  });
  const legend = el(
    'p',
    { className: 'chart-legend', 'aria-hidden': 'true' },
    el('span', { className: 'key lookups' }),
    `${texts.lookups} `,
    el('span', { className: 'key rows' }),
    texts.rows,
  );
  return [svg, legend];
}

export function tableOf({ language, texts, bars, caption, head }: Drawing & { caption: string; head: string }) {
  const cells = (lookups: number, batchRows: number) =>
    [lookups, batchRows, lookups + batchRows].map((value) => el('td', {}, number(language, value)));
  const total = {
    lookups: bars.reduce((sum, { lookups }) => sum + lookups, 0),
    batchRows: bars.reduce((sum, { batchRows }) => sum + batchRows, 0),
  };
  const columns = [head, texts.lookups, texts.rows, texts.sum].map((text) => el('th', { scope: 'col' }, text));
  return el(
    'table',
    {},
    el('caption', { id: 'table-caption' }, caption),
    el('thead', {}, el('tr', {}, ...columns)),
    el(
      'tbody',
      {},
      ...bars.map(({ label, lookups, batchRows }) =>
        el('tr', {}, el('th', { scope: 'row' }, label), ...cells(lookups, batchRows)),
      ),
    ),
    el('tfoot', {}, el('tr', {}, el('th', { scope: 'row' }, texts.total), ...cells(total.lookups, total.batchRows))),
  );
}

/** The words for a chart as a whole. */
export const titleOf = ({
  language,
  texts,
  bars,
  from,
  to,
}: Pick<Drawing, 'language' | 'texts' | 'bars'> & { from: string; to: string }) =>
  fill(texts.chart, {
    ...{ from, to },
    total: number(
      language,
      bars.reduce((sum, { lookups, batchRows }) => sum + lookups + batchRows, 0),
    ),
  });

/** The end of the scale: 1, 2 or 5 and zeros, so that its half is a whole number from 2 on. */
function scaleOf(most: number) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [2, 4, 6, 10].map((factor) => factor * power).find((end) => end >= most) ?? most;
}

function shape(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}
