/** The legend: a switch for each data set that is on the map. */
import { el } from '../shared/dom.ts';
import { fill, metres, textsIn } from '../shared/i18n.ts';
import { colourOf } from '../map/palette.ts';
import type { Body } from '../shared/api.ts';
import type { MapBody } from '../map/map-style.ts';
import type { Language } from '../shared/session.ts';
import type { DataSetDescription as DataSet } from '../../src/messages/wire/layers.ts';

/** `note`: where its features are. */
type LegendItem = { id: string; note: string };

/** `place`: how the place itself is drawn. */
export function renderLegend(
  legend: HTMLElement,
  {
    language,
    body,
    dataSets,
    items,
    place,
    shown,
  }: {
    language: Language;
    body: MapBody;
    dataSets: readonly DataSet[];
    items: readonly LegendItem[];
    place: Node | null;
    shown: ReadonlySet<string>;
  },
  show: (dataSet: string, visible: boolean) => void,
) {
  const texts = textsIn(language);
  const titles = new Map(dataSets.map(({ id, title }) => [id, title]));
  const nameOf = (id: string) => (texts.features as Record<string, string>)[id] ?? titles.get(id) ?? id;
  const findingsFirst = [...items].sort((a, b) => Number(shown.has(b.id)) - Number(shown.has(a.id)));
  const switches = findingsFirst.map(({ id, note }) => {
    const box = el('input', { type: 'checkbox', checked: shown.has(id), 'data-set': id });
    box.addEventListener('change', () => {
      show(id, box.checked);
    });
    const swatch = el('span', { className: 'swatch', 'aria-hidden': 'true' });
    swatch.style.setProperty('--colour', colourOf(id));
    return el(
      'label',
      { className: 'switch' },
      ...[box, swatch, el('span', {}, nameOf(id)), el('span', { className: 'near' }, note)],
    );
  });
  const unknown = (body.geometry?.notReached ?? []).map(({ properties }) => nameOf(properties.dataSet));
  legend.replaceChildren(
    el('legend', {}, texts.legend),
    ...(place ? [el('p', { className: 'legend-place' }, place)] : []),
    ...(unknown.length > 0
      ? [
          el(
            'p',
            { id: 'legend-hatch', className: 'legend-place' },
            el('span', { className: 'hatch', 'aria-hidden': 'true' }),
            fill(texts.notReached, { names: unknown.join(', ') }),
          ),
        ]
      : []),
    ...(switches.length > 0 ? switches : [el('p', {}, body.geometry ? texts.legendEmpty : texts.legendShared)]),
    ...(body.geometry?.truncated ? [el('p', { className: 'note' }, texts.truncated)] : []),
  );
}

/** The data sets around a place, the nearest first. */
export function itemsAround(language: Language, body: Body): LegendItem[] {
  // Features come nearest first.
  const nearest = new Map(
    [...(body.geometry?.features ?? [])].reverse().map(({ properties }) => [properties.dataSet, properties.distanceM]),
  );
  return [...nearest]
    .sort((a, b) => a[1] - b[1])
    .map(([id, distanceM]) => ({ id, note: distanceM === 0 ? textsIn(language).here : metres(language, distanceM) }));
}

/** How the place and its uncertainty are drawn. */
export function placeInLegend(language: Language, { geocode }: Body) {
  const texts = textsIn(language);
  return el(
    'span',
    {},
    el('span', { className: 'dot', 'aria-hidden': 'true' }),
    `${geocode.accuracy === 'point' ? texts.point : texts.place} · `,
    el('span', { className: 'halo', 'aria-hidden': 'true' }),
    `${texts.uncertainty} ±${metres(language, geocode.uncertaintyM)}`,
  );
}
