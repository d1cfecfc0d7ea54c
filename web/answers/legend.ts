/** The legend: what lines and marks mean, and a switch for each data set that is on the map. */
import { el, shape, write } from '../shared/dom.ts';
import { fill, language, metres, texts } from '../shared/i18n.ts';
import { answerTexts } from '../texts/answer.ts';
import { reachedInPart } from '../map/near-features.ts';
import { colourOf, DARK, dashesOf, LIGHT, widthOf, type Kind } from '../map/palette.ts';
import type { Body } from '../shared/api.ts';
import type { MapBody, Shown } from '../map/map-style.ts';
import type { DataSetDescription as DataSet } from '../../src/messages/wire/layers.ts';

/** `note`: where its features are. */
export type LegendItem = { id: string; note: string };

/** `place`: how the place itself is drawn. `marks`: the classes of each data set's mark among the answers. `changed`: gets the data set that is switched on, null for one that is switched off. */
export function renderLegend(
  given: {
    body: MapBody;
    dataSets: readonly DataSet[];
    items: readonly LegendItem[];
    place: Node | null;
    shown: Shown;
    marks: ReadonlyMap<string, string>;
  },
  changed: (on: string | null) => void,
) {
  const { body, dataSets, items, place, shown, marks } = given;
  const titles = new Map(dataSets.map(({ id, title }) => [id, title]));
  const nameOf = (id: string) => answerTexts[language].features[id] ?? titles.get(id) ?? id;
  const findingsFirst = [...items].sort((a, b) => Number(shown.on.has(b.id)) - Number(shown.on.has(a.id)));
  const points = dataSetsOfPoints(body);
  const switches = findingsFirst.map(({ id, note }) => {
    const box = el('input', { type: 'checkbox', checked: shown.on.has(id), 'data-set': id });
    box.addEventListener('change', () => {
      shown.on[box.checked ? 'add' : 'delete'](id);
      changed(box.checked ? id : null);
    });
    return el(
      'label.switch',
      { 'data-sets': id },
      ...[box, markOf(marks.get(id) ?? ''), swatchOf(id, shown.kinds.get(id) ?? 'other', points.has(id))],
      ...[el('span', nameOf(id)), el('span.near', note)],
    );
  });
  const unknown = reachedInPart(body).map(({ properties }) => nameOf(properties.dataSet));
  write(
    'legend',
    el('legend', texts.legend),
    place && el('p.legend-place', place),
    keyOf({ onMap: items.map(({ id }) => marks.get(id) ?? ''), inAnswers: [...marks.values()] }),
    unknown.length > 0 &&
      el(
        'p',
        { id: 'legend-hatch', className: 'legend-place' },
        shape('hatch'),
        fill(texts.notReached, { names: unknown.join(', ') }),
      ),
    switches.length > 0 ? switches : el('p', body.geometry ? texts.legendEmpty : texts.legendShared),
    body.geometry?.truncated && el('p.note', texts.truncated),
  );
}

/** What the marks mean in a report that has no map, and so no legend. */
export const renderMarks = (marks: ReadonlyMap<string, string>) =>
  write('marks', keyOf({ onMap: [], inAnswers: [...marks.values()] }));

/** As a card has it. */
const markOf = (classes: string) => el('span', { className: classes, 'aria-hidden': 'true' }, el('span.mark'));

/** A piece of the line, or a point, as the map has it. */
function swatchOf(dataSet: string, kind: Kind, isPoint = false) {
  const dashed = dashesOf(dataSet) ? ' dashed' : '';
  const swatch = shape(`swatch${isPoint ? ' point' : dashed}`);
  const colours = [LIGHT, DARK].map((ground) => colourOf(dataSet, kind, ground)).join(', ');
  swatch.style.setProperty('--colour', `light-dark(${colours})`);
  swatch.style.setProperty('--width', `${widthOf(dataSet, kind)}px`);
  return swatch;
}

function dataSetsOfPoints({ geometry }: MapBody) {
  const features = geometry?.features ?? [];
  const others = new Set(
    features.filter((one) => !one.geometry.type.endsWith('Point')).map((one) => one.properties.dataSet),
  );
  return new Set(features.map((one) => one.properties.dataSet).filter((id) => !others.has(id)));
}

/** What a mark says, by the class that decides; the gravest first. */
const MEANINGS = ['unknown', 'hazard', 'close', 'restriction', 'found', 'none'] as const;
type Meaning = (typeof MEANINGS)[number];

/** The classes of a mark for each meaning that some marks have. */
function meaningsOf(marks: readonly string[]): ReadonlyMap<Meaning, string> {
  const meaningOf = (classes: string) => MEANINGS.find((name) => classes.split(' ').includes(name)) ?? 'none';
  return new Map(marks.toReversed().map((classes) => [meaningOf(classes), classes]));
}

/** What marks and lines mean: on the screen those of the map, on paper those of all answers. */
function keyOf({ onMap, inAnswers }: { onMap: readonly string[]; inAnswers: readonly string[] }) {
  const drawn = meaningsOf(onMap);
  const told = meaningsOf([...onMap, ...inAnswers]);
  const entries = [...MEANINGS.slice(1), ...MEANINGS.slice(0, 1)]
    .filter((meaning) => told.has(meaning))
    .map((meaning) =>
      el(
        'li',
        { className: drawn.has(meaning) ? '' : 'on-paper' },
        markOf(told.get(meaning) ?? ''),
        (meaning === 'hazard' || meaning === 'close') && swatchOf('', meaning),
        texts.marks[meaning],
      ),
    );
  if (onMap.length > 0) entries.push(el('li', shape('swatch reach'), texts.reach));
  return el('ul.legend-key', entries);
}

/** The data sets around a place, the nearest first. */
export function itemsAround(body: Body): LegendItem[] {
  // Features come nearest first.
  const nearest = new Map(
    [...(body.geometry?.features ?? [])].reverse().map(({ properties }) => [properties.dataSet, properties.distanceM]),
  );
  return [...nearest]
    .sort((a, b) => a[1] - b[1])
    .map(([id, distanceM]) => ({ id, note: distanceM === 0 ? texts.here : metres(distanceM) }));
}

/** How the place and its uncertainty are drawn. */
export function placeInLegend({ geocode }: Body) {
  return el(
    'span',
    shape('dot'),
    `${geocode.accuracy === 'point' ? texts.point : texts.place} · `,
    shape('halo'),
    `${texts.uncertainty} ±${metres(geocode.uncertaintyM)}`,
  );
}
