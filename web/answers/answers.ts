/** The answers to a place or a parcel as items: what each says in words, how near it is, and on demand what it rests on. */
import { el, linkTo } from '../shared/dom.ts';
import { ageOf, dayOf, fill, longDay, metres, texts, language } from '../shared/i18n.ts';
import { inWords, type Answer, type Layer, type Tone } from './words.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';
import type { Body } from '../shared/api.ts';

/**
 * `band`: how close what was found is. `heading`: what was found, as a sentence; otherwise the name of the layer. `main`: the value alone, as text; `note`: what is said with it;
 * `value`: what stands below the heading. `reason`: why nobody knows. `pairs`: what it rests on, besides its data sets.
 */
export type Item = {
  layer: Layer;
  tone: Tone;
  band: 'here' | 'regulated' | 'near';
  distanceM: number | null;
  heading: string;
  main: string;
  note: string | null;
  value: () => Node | null;
  reason: string | null;
  boundary: string | null;
  pairs: readonly Pair[];
};

/** A name with what it stands for. */
type Pair = readonly [string, Node | string | number | null | undefined];

/** The catalogue without the further layers that were not asked for. */
export function answeredBy(catalogue: LayersBody, body: { layers: object }) {
  return { ...catalogue, layers: catalogue.layers.filter(({ key }) => key in body.layers) };
}

/** Every layer that was answered, in the order of the catalogue. */
export function itemsOf(layers: readonly Layer[], body: Body): Item[] {
  return layers.flatMap((layer) => {
    const evidence = body.evidence[layer.key];
    if (!evidence) return [];
    const shownM = evidence.state === 'absent' ? shownDistance(layer, layers, body) : null;
    return [itemOf({ layer, value: body.layers[layer.key] ?? null, evidence, shownM }, body)];
  });
}

function itemOf(answer: Answer, body: Body): Item {
  const { layer, value, evidence } = answer;
  const words = inWords(answer);
  const { tone, main, note } = words;
  const { boundaryDistanceM: edgeM, nearBoundary } = evidence;
  const doubt = { distance: metres(edgeM ?? 0), uncertainty: metres(body.geocode.uncertaintyM) };
  return {
    ...words,
    layer,
    pairs: restsOn(answer),
    band: value === 'adjacent' ? 'near' : value === 'regulated' ? 'regulated' : 'here',
    distanceM: evidence.distanceM,
    // What is found, the heading says.
    value: () =>
      tone === 'found' ? (note === null ? null : noted(note)) : el('p.value', el('strong', main), note && noted(note)),
    boundary: nearBoundary && edgeM !== null ? fill(texts.findings.edge, doubt) : null,
  };
}

const noted = (note: string) => el('span.value-note', note);

/** The distance of the nearest feature on the map, where the search ended before it. One of a data set that other answers use too may be theirs. */
function shownDistance(layer: Layer, layers: readonly Layer[], body: Body) {
  const isOf = (id: string) => (one: Layer) => one.dataSets.some((dataSet) => dataSet.id === id);
  const [nearest] = (body.geometry?.features ?? [])
    .map(({ properties }) => properties)
    .filter(({ dataSet }) => isOf(dataSet)(layer))
    .sort((a, b) => a.distanceM - b.distanceM);
  return nearest && layers.filter(isOf(nearest.dataSet)).length === 1 ? nearest.distanceM : null;
}

/** Where nobody knows, there is no distance. */
function restsOn({ evidence, shownM }: Answer): Item['pairs'] {
  const { searchedM, boundaryDistanceM, feature, others } = evidence;
  const isKnown = searchedM !== null && evidence.state !== 'unavailable';
  // Of what is farther away than edges are searched, the distance says more.
  const isFar = (evidence.distanceM ?? shownM ?? 0) > EDGE_SEARCH_M;
  return [
    [texts.nearest, isKnown ? nearestOf(evidence, shownM) : null],
    [texts.others, others ?? null],
    [texts.edge, isKnown && !isFar ? edgeOf(boundaryDistanceM) : null],
    // For layers whose sources differ from place to place.
    [texts.mappedBy, feature?.['publisher'] ?? null],
  ];
}

function nearestOf({ distanceM, searchedM }: Answer['evidence'], shownM: number | null) {
  const nearestM = distanceM ?? shownM;
  if (nearestM !== null) return placeOf(nearestM);
  return searchedM ? fill(texts.beyond, { metres: metres(searchedM) }) : null;
}

/** Edges are searched that far beyond what an answer looks at, as by the service. */
export const EDGE_SEARCH_M = 250;

const edgeOf = (distanceM: number | null) =>
  distanceM === null ? fill(texts.beyond, { metres: metres(EDGE_SEARCH_M) }) : metres(distanceM);

const placeOf = (distanceM: number) => (distanceM === 0 ? texts.here : metres(distanceM));

/** Source and date; on demand what the answer rests on, since those of all layers would bury the answers. */
export function renderMore(item: Item) {
  const [dataSet] = item.layer.dataSets;
  const day = dataSet?.asOf == null ? texts.findings.notLoaded : dateOf(dataSet);
  const details = el('details', el('summary', `${dataSet?.title ?? ''} · ${day}`));
  details.addEventListener('toggle', () => details.append(...explain(item)), { once: true });
  return details;
}

function explain({ layer, pairs }: Item) {
  const known = [
    ...pairs,
    ...layer.dataSets.flatMap((dataSet): Pair[] => [
      [texts.source, `${dataSet.title} (${publisherOf(dataSet)})`],
      [texts.date, dataSet.asOf === null ? texts.findings.notLoaded : dateOf(dataSet)],
      [texts.sourceUntil, dataSet.sourceUntil && untilOf(dataSet.sourceUntil)],
      [texts.licence, licenceOf(dataSet)],
      [texts.limits, dataSet.limits.map((limit) => limit[language]).join(' ') || null],
      ...dataSet.announced.map((change): Pair => [texts.announced, announcedOf(change)]),
    ]),
  ].filter(([, value]) => value !== null && value !== undefined);
  return [
    el('p', layer.french && language === 'fr' ? layer.french.description : layer.description),
    el(
      'dl',
      known.map(([name, value]) => [el('dt', name), el('dd', value instanceof Node ? value : String(value))]),
    ),
  ];
}

/** How old the data are, as far as their source says. */
export function dateOf({ asOf, sourceUntil }: Pick<Layer['dataSets'][number], 'asOf' | 'sourceUntil'>) {
  const [day, until] = [dayOf(asOf ?? ''), sourceUntil?.day];
  const age = ageOf(until ?? asOf ?? '');
  if (age === null) return day;
  if (until === undefined) return `${day}, ${age}`;
  return `${day} (${fill(texts.dataUntil, { day: dayOf(until) })}, ${age})`;
}

const untilOf = ({ day, stated }: NonNullable<Layer['dataSets'][number]['sourceUntil']>) =>
  `${longDay(day)}. ${stated}`;

/** What will change, from which day where that is known, with a link to where it is described. */
function announcedOf({ from, url, ...change }: Layer['dataSets'][number]['announced'][number]) {
  const day = from === null ? texts.dayNotKnown : fill(texts.fromDay, { day: longDay(from) });
  const link = linkTo(url, texts.describedAt);
  return el('span', `${change[language]} ${day} `, link);
}

export const publisherOf = ({ publisher, french }: Layer['dataSets'][number]) =>
  (language === 'fr' && french?.publisher) || publisher;

/** The text that the licence demands, with a link to the licence. */
export function licenceOf({
  licence,
  attribution,
  sample,
}: Pick<Layer['dataSets'][number], 'licence' | 'attribution' | 'sample'>): Node | string {
  if (sample) return texts.sampleNotice;
  if (licence.url === null) return attribution;
  return el('span', `${attribution} `, linkTo(licence.url, licence.id));
}
