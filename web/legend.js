/** The legend: a switch for each data set that is on the map. */
import { el } from './dom.js';
import { metres, textsIn } from './i18n.js';
import { colourOf, isShownFirst } from './palette.js';

/**
 * @typedef {import('./answers.js').Body} Body
 * @typedef {import('./session.js').Language} Language
 * @typedef {import('../src/shared/wire/layers.ts').DataSetDescription} DataSet
 */

/**
 * @param {HTMLElement} legend
 * @param {{ language: Language, body: Body, dataSets: readonly DataSet[] }} what
 * @param {(dataSet: string, visible: boolean) => void} show
 */
export function renderLegend(legend, { language, body, dataSets }, show) {
  const texts = textsIn(language);
  const features = body.geometry?.features ?? [];
  const items = dataSets
    .map(({ id, title }) => ({
      id,
      title: /** @type {Record<string, string>} */ (texts.features)[id] ?? title,
      distances: features
        .filter(({ properties }) => properties.dataSet === id)
        .map(({ properties }) => properties.distanceM),
    }))
    .filter(({ distances }) => distances.length > 0)
    .sort((a, b) => Math.min(...a.distances) - Math.min(...b.distances))
    .map(({ id, title, distances }) => {
      const nearest = Math.min(...distances);
      const box = el('input', { type: 'checkbox', checked: isShownFirst(id), 'data-set': id });
      box.addEventListener('change', () => show(id, box.checked));
      const swatch = el('span', { className: 'swatch', 'aria-hidden': 'true' });
      swatch.style.setProperty('--colour', colourOf(id));
      const distance = nearest === 0 ? texts.here : metres(language, nearest);
      return el(
        'label',
        { className: 'switch' },
        box,
        swatch,
        el('span', {}, title),
        el('span', { className: 'near' }, distance),
      );
    });
  legend.replaceChildren(
    el('legend', {}, texts.legend),
    el(
      'p',
      { className: 'legend-place' },
      el('span', { className: 'dot', 'aria-hidden': 'true' }),
      `${body.geocode.accuracy === 'point' ? texts.point : texts.place} · `,
      el('span', { className: 'halo', 'aria-hidden': 'true' }),
      `${texts.uncertainty} ±${metres(language, body.geocode.uncertaintyM)}`,
    ),
    ...(items.length > 0 ? items : [el('p', {}, texts.legendEmpty)]),
    ...(body.geometry?.truncated ? [el('p', { className: 'note' }, texts.truncated)] : []),
  );
}
