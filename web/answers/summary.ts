/** Where the place was found, how sure that is, and the sources. */
import { byId, el, write, type Child } from '../shared/dom.ts';
import { coordinatesOf, dayOf, fill, longMoment, language, metres, texts } from '../shared/i18n.ts';
import { urlOf, type Question } from '../shared/question.ts';
import { answerTexts } from '../texts/answer.ts';
import { licenceOf, publisherOf } from './answers.ts';
import type { Body } from '../shared/api.ts';
import type { LayersBody, DataSetDescription as DataSet } from '../../src/messages/wire/layers.ts';

/** What a place is called: its address, or the coordinates that were asked for. */
export function nameOf({ address, geocode, lat, lon }: Body) {
  return geocode.accuracy === 'point' || address === null ? coordinatesOf({ lat, lon }) : address;
}

export function renderSummary(body: Body) {
  const { geocode } = body;
  byId('resolved').textContent = nameOf(body);
  byId('certainty').textContent = certaintyOf(body);
  write(
    'faults',
    differencesIn(geocode).map(({ text, isEnglish }) =>
      el('li', `${texts.faults} `, isEnglish ? el('span', { lang: 'en' }, text) : text),
    ),
  );
}

/** What differs between the address that was asked for and the one that was found; in English where there are no words in the language. */
export function differencesIn(geocode: Body['geocode']) {
  const faults = geocode.accuracy === 'point' ? [] : geocode.faults;
  return faults.map(({ code, detail }) => {
    const text = answerTexts[language].differences[code];
    const municipality = geocode.components?.municipality ?? '';
    return { text: text === undefined ? detail : fill(text, { municipality }), isEnglish: text === undefined };
  });
}

/** How sure the place is, and where it is. */
export function certaintyOf({ address, geocode, lat, lon }: Body) {
  if (geocode.accuracy !== 'point') {
    const certainty = fill(texts.accuracy[geocode.accuracy], { metres: metres(geocode.uncertaintyM) });
    return `${certainty} · ${coordinatesOf({ lat, lon })}`;
  }
  const { uncertaintyM, addressState, addressDistanceM } = geocode;
  const point = fill(uncertaintyM > 0 ? texts.pointWithin : texts.pointExact, { metres: metres(uncertaintyM) });
  const nearest = fill(texts.nearestAddress[addressState], {
    address: address ?? '',
    metres: metres(addressDistanceM ?? 0),
  });
  return `${point} · ${nearest}`;
}

/**
 * `baseMapCredit`: HTML that names the source of the base map; empty when there is none. `givenAt`: when the answer was given, in milliseconds since
 * 1970.
 */
export type SourcesOptions = {
  snapshotId: string;
  baseMapCredit: string;
  givenAt: number;
  lookupId: string | null;
  question: Question;
};

/** A longer link nobody copies from paper: that of a parcel with many corners. */
const MOST_PRINTED = 200;

/** Every data set with its date, once under each text that a licence demands, the time of the answer, and on paper the link to its question. */
export function renderSources(catalogue: LayersBody, { snapshotId, baseMapCredit, givenAt, question }: SourcesOptions) {
  const link = new URL(urlOf(question), location.href);
  const dataSets = [
    ...new Map(catalogue.layers.flatMap((layer) => layer.dataSets.map((one) => [one.id, one]))).values(),
  ];
  const loaded = dataSets.filter((dataSet) => dataSet.asOf !== null);
  const missing = dataSets.filter((dataSet) => dataSet.asOf === null);
  const credits = [...new Set(loaded.map(creditOf))].map((credit) => {
    const under = loaded.filter((dataSet) => creditOf(dataSet) === credit);
    const names = under.map((one) => `${one.title} (${publisherOf(one)}, ${dayOf(one.asOf ?? '')})`);
    return el('p', el('strong', licenceOf(under[0] as DataSet)), ` ${names.join('; ')}.`);
  });
  const { addresses } = catalogue;
  const named = (name: string, ...text: Child[]) => el('p', el('strong', name), text);
  write(
    'source-list',
    addresses && registerCredit(addresses),
    credits,
    baseMapCredit !== '' && named(`${texts.baseMapSource}: `, plainText(baseMapCredit)),
    missing.length > 0 && named(texts.notLoaded, ` ${missing.map(({ title }) => title).join('; ')}.`),
    link.hash !== '' && link.href.length <= MOST_PRINTED && el('p.on-paper', link.href),
  );
  const time = longMoment(givenAt);
  byId('report-date').textContent = fill(texts.report, { time, snapshot: snapshotId });
}

const creditOf = ({ attribution, licence, sample }: DataSet) => (sample ? 'sample' : `${attribution} ${licence.id}`);

function registerCredit({ title, publisher, asOf, attribution, sample }: NonNullable<LayersBody['addresses']>) {
  const credit = sample ? texts.sampleNotice : attribution;
  return el('p', el('strong', `${texts.addressSource}: `), `${title} (${publisher}, ${dayOf(asOf)}). ${credit}`);
}

/** The text of HTML that the page did not write itself, without its markup. */
const plainText = (html: string) => new DOMParser().parseFromString(html, 'text/html').body.textContent;
