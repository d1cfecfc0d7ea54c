/** What somebody asks for: an address, a point or a parcel; as text in the field, and as a link. */
import { areaInText, areaText, type AreaGeometry } from './area.ts';

/** `example`: what its stored answer shows, which is asked for instead of a lookup. */
type AddressQuestion = { kind: 'address'; address: string; example?: string };
export type PointQuestion = { kind: 'point'; lat: number; lon: number; uncertaintyM: number };
type AreaQuestion = { kind: 'area'; geometry: AreaGeometry };
export type Question = AddressQuestion | PointQuestion | AreaQuestion;

/** What the stored answer shows that is asked for; null: a lookup is asked for. */
export const exampleIn = (question: Question) => ('example' in question ? (question.example ?? null) : null);

/** Latitude and longitude in degrees with decimals, and how many metres they may be off: `44.29994, -79.31741 ± 12 m`, `44.29994° N, 79.31741° W`. */
const POINT =
  /^(-?\d{1,2}\.\d+)(?:°(?: ?N)?)?\s*[,;\s]\s*(-?\d{1,3}\.\d+)(?:°(?: ?([WO]))?)?(?:\s*±\s*(\d{1,4})\s*m)?$/;

/** Reads a point. A comma before decimals counts where a degree sign ends them, as the page shows them in French. */
const pointIn = (text: string) => POINT.exec(text.trim().replaceAll(/,(\d+°)/g, '.$1'));

/** As the service takes, in metres. */
export const MOST_UNCERTAINTY_M = 1000;

export const isPoint = (text: string) => pointIn(text) !== null;

/** One number alone: a point has two. */
export const isHalfAPoint = (text: string) => /^-?\d{1,3}\.\d+°?$/.test(text.trim());

/** A text of several lines as one, as an address stands on an envelope. */
export const onOneLine = (text: string) =>
  text
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => line !== '')
    .join(', ');

/** Reads what stands in the field. */
export function questionOf(text: string): AddressQuestion | PointQuestion {
  const [, lat, lon = '', west, uncertaintyM = '0'] = pointIn(text) ?? [];
  if (lat === undefined) return { kind: 'address', address: text.trim() };
  return {
    kind: 'point',
    lat: Number(lat),
    lon: west ? -Math.abs(Number(lon)) : Number(lon),
    uncertaintyM: Math.min(Number(uncertaintyM), MOST_UNCERTAINTY_M),
  };
}

/** The place that was meant, by what the service says is wrong with the coordinates; null: it says nothing of them. */
export function meantBy(question: Question, hint: string | undefined): PointQuestion | null {
  if (question.kind !== 'point') return null;
  const { lat, lon } = question;
  if (hint === 'EXCHANGED') return { ...question, lat: lon, lon: lat };
  if (hint === 'POSITIVE_LONGITUDE') return { ...question, lon: -lon };
  return hint === 'EXCHANGED_POSITIVE' ? { ...question, lat: lon, lon: -lat } : null;
}

/** Returns the text of a question as it stands in the field. A parcel has none. */
export function textOf(question: Question) {
  if (question.kind === 'area') return '';
  if (question.kind === 'address') return question.address;
  const { lat, lon, uncertaintyM } = question;
  return `${lat.toFixed(5)}, ${lon.toFixed(5)}${uncertaintyM > 0 ? ` ± ${uncertaintyM} m` : ''}`;
}

/** Returns the part of a link after `#`; null for a parcel with too many corners. */
export function linkOf(question: Question) {
  if (question.kind === 'area') {
    const text = areaText(question.geometry);
    return text === null ? null : `area=${text}`;
  }
  if (question.kind === 'address') return new URLSearchParams({ address: question.address }).toString();
  const { lat, lon, uncertaintyM } = question;
  return `point=${lat.toFixed(5)},${lon.toFixed(5)}${uncertaintyM > 0 ? `,${uncertaintyM}` : ''}`;
}

/** Returns the address of this page with a link to what is asked for, where there can be one. */
export function urlOf(question: Question) {
  const link = linkOf(question);
  return location.pathname + location.search + (link === null ? '' : `#${link}`);
}

/** Reads the part of a link after `#`; null when it asks for nothing. */
export function questionIn(hash: string): Question | null {
  const link = new URLSearchParams(hash);
  const address = link.get('address');
  if (address) return { kind: 'address', address };
  const area = link.get('area');
  const geometry = area ? areaInText(area) : null;
  if (geometry) return { kind: 'area', geometry };
  const [lat, lon, uncertaintyM = '0'] = link.get('point')?.split(',') ?? [];
  const question = lat === undefined ? null : questionOf(`${lat}, ${lon} ± ${uncertaintyM} m`);
  return question?.kind === 'point' ? question : null;
}

/** Says whether what stands after `#` is meant as a link of ours. Others lead to a part of the page. */
export const isLink = (hash: string) => /^#\w+=/.test(hash);

/** Returns the id of the batch that a link leads to, by its part after `#`; null when it leads to none. */
export function batchIn(hash: string) {
  const id = new URLSearchParams(hash).get('batch');
  return id !== null && /^bat_[0-9A-Za-z]{1,64}$/.test(id) ? id : null;
}

/** Returns the text of the answer that a link has in its part after `#`; null when it has none. */
export const answerIn = (hash: string) => new URLSearchParams(hash).get('answer');

export const linkOfAnswer = (text: string) => `answer=${text}`;

export const linkOfBatch = (id: string) => `batch=${id}`;
