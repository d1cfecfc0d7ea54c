/** The answer to a parcel: how much of it each layer covers, as bars. */
import { has, type AreaAnswer, type AreaBody } from '../shared/api.ts';
import type { Item } from './answers.ts';
import { byId, el, shape, write } from '../shared/dom.ts';
import { findingIn, LEAST_SHARE } from '../../src/features/explain/messages/found.ts';
import { coordinatesOf, fill, groundArea, percent, speech, texts } from '../shared/i18n.ts';
import { nameOfLayer, nameOfValue, type Layer, type Tone } from './words.ts';

type BarPart = { name: string; share: number; tone: Tone; shade: number };
type AreaWords = { tone: Tone; parts: BarPart[]; notes: string[] };

const MOST_NAMES = 3;

const SHADES = ['100%', '70%', '50%', '30%'];

const bands = ['inside', 'regulated', 'adjacent'] as const;

/** As much as lies on one side of an edge by the error of maps: less than this share and less than so many square metres. */
const TOUCHING_SHARE = 0.001;
const TOUCHING_M2 = 1000;

/** What remains of a share is the error of maps, too. */
const WHOLE_SHARE = 0.9995;

/** Where the parcel is, and what is to be said of its outline. */
export function renderAreaSummary({ areaM2, repaired, insideOntarioShare, ...place }: AreaBody) {
  const { area } = texts;
  byId('resolved').textContent = fill(area.heading, { area: groundArea(areaM2) });
  byId('certainty').textContent = fill(area.inside, { place: coordinatesOf(place) });
  write(
    'faults',
    repaired && el('li', has('maps') ? area.repaired : area.repairedText),
    insideOntarioShare < 1 && el('li', fill(area.partly, { share: percent(insideOntarioShare) })),
  );
}

/** The data sets on the map: those in the parcel first, with their share of it. */
export function legendOfArea(layers: readonly Layer[], body: AreaBody) {
  const drawn = new Set((body.geometry?.features ?? []).map(({ properties }) => properties.dataSet));
  const items = [...drawn].map((id) => {
    const answers = layers
      .filter(({ dataSets }) => dataSets[0]?.id === id)
      .map((layer) => areaInWords(body.layers[layer.key] ?? null, body.areaM2));
    const share = Math.max(0, ...answers.map(shareFound));
    return { id, share, note: share > 0 ? shareInWords(share) : '' };
  });
  return items.sort((a, b) => b.share - a.share);
}

const shareFound = ({ parts }: AreaWords) =>
  parts.filter(({ tone }) => tone === 'found').reduce((sum, { share }) => sum + share, 0);

/** Every layer of the parcel, in the order of the catalogue. */
export const itemsOfArea = (layers: readonly Layer[], body: AreaBody) =>
  layers.filter(({ key }) => key in body.layers).map((layer) => itemOf(layer, body));

/** A layer's part of the parcel as an item among the findings. */
function itemOf(layer: Layer, { layers, areaM2 }: AreaBody): Item {
  const answer = layers[layer.key] ?? null;
  const words = areaInWords(answer, areaM2);
  const { tone, parts, notes } = words;
  const found = parts.filter((part) => part.tone === 'found');
  const finding = tone === 'found' ? findingIn(layer, answer, speech()) : null;
  return {
    layer,
    tone,
    boundary: null,
    pairs: [],
    band: bandOf(answer),
    distanceM: answer?.distanceM ?? null,
    heading: finding ?? nameOfLayer(layer),
    main: inFew([...new Set(found.map(({ name }) => name))]),
    note: noteOf(layer, { ...words, finding }),
    value: () => valueOf({ parts, notes, areaM2 }),
    reason: tone === 'unknown' ? whyUnknown(layer) : null,
  };
}

function bandOf(answer: AreaAnswer): Item['band'] {
  const bands = answer?.bands;
  if (!bands || bands.inside) return 'here';
  return bands.regulated ? 'regulated' : 'near';
}

function whyUnknown(layer: Layer) {
  const { noCoverage, notLoaded } = texts.findings;
  return layer.dataSets[0]?.state === 'loaded' ? noCoverage : notLoaded;
}

/** All that is known, as text: shares alone do not say how far and how many. */
function noteOf({ kind }: Layer, { parts, notes, finding }: AreaWords & { finding: string | null }) {
  const told = finding !== null && (kind === 'proximity' || kind === 'count') ? [finding] : [];
  const shares = parts.map(({ name, share }) => `${name} ${shareInWords(share)}`);
  return [...told, ...shares, ...notes].join('; ') || null;
}

/** A parcel may lie in many lots: their names are among its answers. */
const inFew = (names: readonly string[]) =>
  names.slice(0, MOST_NAMES).join(' / ') + (names.length > MOST_NAMES ? ' / …' : '');

function valueOf({ parts, notes, areaM2 }: Pick<AreaWords, 'parts' | 'notes'> & { areaM2: number }) {
  const names = parts.map((part) => {
    const ground = part.tone === 'found' ? `${groundArea(part.share * areaM2)} · ` : '';
    const isMuch = part.tone !== 'none';
    const share = el(isMuch ? 'strong' : 'span', { className: 'share' }, `${ground}${shareInWords(part.share)}`);
    return el('li', shaded(shape(`swatch-part ${part.tone}`), part), `${part.name} `, share);
  });
  return el(
    'div.value',
    parts.length > 0 && el('div.bar', { 'aria-hidden': 'true' }, parts.map(barPart)),
    parts.length > 0 && el('ul.shares', names),
    notes.map((note) => el('p.value-note', note)),
  );
}

function barPart(part: BarPart) {
  const element = shaded(el('span', { className: part.tone }), part);
  element.style.setProperty('flex-grow', String(part.share));
  return element;
}

/** Of several things that are found, each has its shade. */
function shaded(element: HTMLElement, { shade }: BarPart) {
  element.style.setProperty('--shade', SHADES[shade % SHADES.length] ?? '');
  return element;
}

/** What part of a parcel a layer has, as parts of a bar with their names. `areaM2`: of the parcel. */
function areaInWords(answer: AreaAnswer, areaM2: number): AreaWords {
  const { words, area } = texts;
  if (answer === null) return { tone: 'unknown', parts: [part(words.unknown, 1, 'unknown')], notes: [] };
  const found = foundParts(answer);
  const unknownShare = answer.unknownShare;
  const rest = 1 - unknownShare - found.reduce((sum, { share }) => sum + share, 0);
  const hasShares = answer.share !== undefined || answer.parts !== undefined || answer.bands !== undefined;
  const parts = hasShares
    ? [
        ...found,
        part(area.rest[answer.bands ? 'bands' : 'others'], rest, 'none'),
        part(words.unknown, unknownShare, 'unknown'),
      ]
    : [];
  const visible = parts.filter(({ share }) => share >= LEAST_SHARE);
  const hasFeatures = Object.entries(answer).some(([name, count]) => /^count/.test(name) && Number(count) > 0);
  const tone = found.length > 0 || hasFeatures ? 'found' : unknownShare > LEAST_SHARE ? 'unknown' : 'none';
  return { tone, parts: visible, notes: coversOrTouches(answer, { found, areaM2 }) };
}

/** Tells what covers the parcel from what only meets it. */
function coversOrTouches(
  { bands: shares, distanceM }: NonNullable<AreaAnswer>,
  { found, areaM2 }: { found: readonly BarPart[]; areaM2: number },
) {
  const { area } = texts;
  // A place near a feature is not in it.
  const inside = shares ? (shares.inside ?? 0) : found.reduce((sum, { share }) => sum + share, 0);
  if (inside >= WHOLE_SHARE) return [area.covers];
  if (shares && inside < LEAST_SHARE) return distanceM === 0 ? [area.meets] : [];
  return inside > 0 && inside < TOUCHING_SHARE && inside * areaM2 < TOUCHING_M2 ? [area.touches] : [];
}

function foundParts(answer: NonNullable<AreaAnswer>): BarPart[] {
  const { words, area } = texts;
  const { share, parts = [], bands: shares = {} } = answer;
  const found = [
    ...(share === undefined ? [] : [part(words.yes, share, 'found')]),
    ...parts.map(({ value, share }, i) => part(nameOfValue(value), share, 'found', i)),
    ...bands.map((band, i) => part(area.bands[band], shares[band] ?? 0, 'found', i)),
  ];
  return found.filter(({ share }) => share >= LEAST_SHARE);
}

const part = (name: string, share: number, tone: BarPart['tone'], shade = 0): BarPart => ({ name, share, tone, shade });

const shareInWords = (share: number) => speech().percent(share);
