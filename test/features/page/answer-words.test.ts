/** What the page says of each layer's answer, in both languages. */
import { expect } from 'chai';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { describeLayers } from '../../../src/core/layers/describe-layers.ts';
import { adviceFor } from '../../../src/features/explain/messages/advice.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import type { LayerDescription } from '../../../src/messages/wire/layers.ts';
import { releasedLayers } from '../../../src/project/project.ts';
import type * as I18n from '../../../web/shared/i18n.ts';
import type * as Answers from '../../../web/answers/answers.ts';
import type * as Words from '../../../web/answers/words.ts';
import { webModule } from './web-module.ts';

const { loadTexts, speak, speech } = (await webModule('shared/i18n.ts')) as typeof I18n;
const { dateOf } = (await webModule('answers/answers.ts')) as typeof Answers;
const { inWords } = (await webModule('answers/words.ts')) as typeof Words;

const LANGUAGES = ['en', 'fr'] as const;
type Language = (typeof LANGUAGES)[number];
type Value = Words.Answer['value'];

const manifest = { id: '', createdAt: '', sample: false, dataSets: {}, gazetteer: null } as unknown as SnapshotManifest;
const { layers } = describeLayers(readCatalogue(releasedLayers), manifest);
const layerOf = (key: string) => layers.find((layer) => layer.key === key)!;

/** A value of each kind, as the sample has them. */
const valueOf: Readonly<Record<LayerDescription['kind'], readonly Value[]>> = {
  boolean: [true],
  value: ['protected_countryside', 'Settlement Area'],
  object: [
    { name: 'CITY OF SAMPLETON', zone: null },
    { cliClass: '3', description: 'Moderate limits' },
  ],
  proximity: ['inside', 'regulated', 'adjacent'],
  count: [{ count500m: 2, nearestDistanceM: 120, nearestWellId: '7', nearestDepthM: 28.1 }],
};

/** Words of the service's own that mean nothing to a reader. */
const CODES =
  /\bnull\b|undefined|NaN|\{|\}|\w_\w|: (inside(?! the )|regulated|adjacent|outside|true|false)\b|Proximity/;

function said(key: string, value: Value, language: Language = 'en'): (string | null)[] {
  speak(language);
  const evidence = {
    ...{
      state: 'present',
      distanceM: 8.54,
      searchedM: 100,
      boundaryDistanceM: null,
      nearBoundary: false,
      dataSets: [],
    },
  } as unknown as Words.Answer['evidence'];
  const { heading, note, tone } = inWords({ layer: layerOf(key), value, evidence, shownM: null });
  expect(tone).to.equal('found');
  return [heading, note].map((text) => text?.replaceAll('\u00a0', ' ') ?? null);
}

describe('The words for an answer', () => {
  before(() => Promise.all(LANGUAGES.map(loadTexts)));

  for (const [key, value, english, french] of [
    ['lakeSimcoeWatershed', true, 'In the Lake Simcoe watershed', 'Dans le bassin versant du lac Simcoe'],
    [
      ...(['lakeshoreProximity', 'regulated'] as const),
      ...['8.5 m from a lake: inside the 15 m rule', 'À 8,5 m d’un lac : à l’intérieur de la règle des 15 m'],
    ],
    [
      ...(['railwayProximity', 'regulated'] as const),
      ...['8.5 m from a railway: within 30 m', 'À 8,5 m d’une voie ferrée : à moins de 30 m'],
    ],
    ['lakeshoreProximity', 'inside', 'On a lake', 'Sur un lac'],
    [
      'provincialPark',
      { siteId: 'P1', name: 'Pines', class: null },
      'In a provincial park: Pines',
      'Dans un parc provincial : Pines',
    ],
    ['soil', valueOf.object[1]!, 'Soil capability for agriculture: class 3', 'Potentiel agricole des sols : classe 3'],
    [
      'municipality',
      { munId: '1', name: 'CITY OF SAMPLETON', type: 'Lower Tier' },
      'Municipality: City of Sampleton',
      'Municipalité : City of Sampleton',
    ],
    [
      ...(['waterWells', valueOf.count[0]!] as const),
      ...[
        'Water wells near by: 2 within 500 m, the nearest 120 m away',
        "Puits d'eau à proximité : 2 à moins de 500 m, dont le plus proche à 120 m",
      ],
    ],
  ] as readonly (readonly [string, Value, string, string])[])
    it(`are a sentence: ${english}`, () => {
      expect([said(key, value)[0], said(key, value, 'fr')[0]]).to.deep.equal([english, french]);
    });

  it('tell beside it what else is known', () => {
    expect(said('soil', valueOf.object[1]!)[1]).to.equal('Moderate limits');
    expect(said('soil', valueOf.object[1]!, 'fr')[1]).to.match(/^Limitations modérément graves/);
    expect(said('municipality', { munId: '1', name: 'A', type: 'Lower Tier', upperTier: 'B' })[1]).to.equal(
      'Lower Tier · in B',
    );
    expect(said('waterWells', valueOf.count[0]!)[1]).to.equal('28 m deep');
    expect(said('lakeshoreProximity', 'adjacent')[1]).to.equal(null);
  });

  it('are in the language, and none of them is a word of the service alone, for every layer', () => {
    for (const { key, kind } of layers)
      for (const value of valueOf[kind]) {
        const [english, french] = LANGUAGES.map((language) => said(key, value, language)[0]);
        for (const text of [english, french])
          expect(text, key)
            .to.match(/^\S.*\S$/)
            .and.not.match(CODES);
        expect(english, key).not.to.equal(french);
      }
  });

  it('explain each layer without such words', () => {
    const codes = /\bnull\b|\b(inside|regulated|adjacent|outside) \(|: inside|\b(or|ou) outside\b/i;
    for (const { key, description, french } of layers)
      for (const text of [description, french!.description])
        expect(text, key)
          .to.not.match(codes)
          .and.not.match(/[a-z][A-Z]/);
  });

  const MINISTRY = 'the Ministry of the Environment, Conservation and Parks';
  for (const [what, key, office, isFound, steps] of [
    ['whoever would know', 'wasteSiteProximity', 'Newmarket', false, [`Ask ${MINISTRY}, who would know.`]],
    ['the office that decides', 'floodProximity', 'Sample Valley', false, ['Ask Sample Valley, who would know.']],
    ['what to do where there is no such office', 'floodProximity', null, false, ['Nobody here.']],
    [
      ...(['both, of what is found', 'wasteSiteProximity', 'Newmarket', true] as const),
      [
        'Ask Newmarket what is known of the site, and whether an assessment is needed.',
        `Who would know more: ${MINISTRY}.`,
      ],
    ],
    ['nobody, where a definition names nobody', 'soil', 'Newmarket', true, []],
  ] as const)
    it(`name ${what}`, () => {
      speak('en');
      const options = { speech: speech(), isFound };
      expect(adviceFor(layerOf(key).reader, { name: office, none: 'Nobody here.' }, options).steps).to.deep.equal(
        steps,
      );
    });

  it('say how old data are that are old, by the last day of which they tell', () => {
    const years = (day: string) => Math.floor((Date.now() - Date.parse(day)) / (365.25 * 24 * 3600 * 1000));
    const until = { day: '2001-01-01', stated: 'The page says so.' };
    speak('fr');
    expect(dateOf({ asOf: '1998-01-01', sourceUntil: null })).to.equal(`1998, il y a ${years('1998-01-01')} ans`);
    speak('en');
    expect(dateOf({ asOf: '1998-01-01', sourceUntil: null })).to.equal(`1998, ${years('1998-01-01')} years ago`);
    expect(dateOf({ asOf: '2020-01-01', sourceUntil: until })).to.equal(
      `2020 (data until 2001, ${years('2001-01-01')} years ago)`,
    );
    expect(dateOf({ asOf: '2999-01-01', sourceUntil: null })).to.equal('2999');
  });

  it('name a thing with a number alone, and one that no name is known of', () => {
    expect(said('provincialPark', { siteId: 'P1', name: null, class: null })[0]).to.equal(
      'In a provincial park: no. P1',
    );
  });
});
