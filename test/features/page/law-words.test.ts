/** What the page says of rules, and of an answer that is compared with that of now, in both languages. */
import { expect } from 'chai';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { describeLayers } from '../../../src/core/layers/describe-layers.ts';
import { readRules } from '../../../src/features/rules/read-rules.ts';
import type { Comparison, LayerChange } from '../../../src/features/compare/wire.ts';
import type { SnapshotManifest } from '../../../src/messages/manifest.ts';
import type { RuleJudgement } from '../../../src/features/rules/messages/wire.ts';
import { releasedLayers } from '../../../src/project/project.ts';
import type * as Compared from '../../../web/answers/compared.ts';
import type * as Rules from '../../../web/answers/rules.ts';
import type * as I18n from '../../../web/shared/i18n.ts';
import { webModule } from './web-module.ts';

const { loadTexts, speak } = (await webModule('shared/i18n.ts')) as typeof I18n;
const { changesIn } = (await webModule('answers/compared.ts')) as typeof Compared;
const { ruleCards } = (await webModule('answers/rules.ts')) as typeof Rules;

const catalogue = readCatalogue(releasedLayers);
const manifest = { id: '', createdAt: '', sample: false, dataSets: {}, gazetteer: null } as unknown as SnapshotManifest;
const { layers } = describeLayers(catalogue, manifest);
const rules = readRules({ ownDir: null, unverified: ['setback_90'] }, catalogue);

const RAIL = 'Within 300 m of a railway line: O. Reg. 254/23, s. 1 (1), paragraph 1.';
const excluded: RuleJudgement = {
  outcome: 'excluded',
  missing: [],
  check: [],
  because: [{ layer: 'railwayProximity', value: 'adjacent', distanceM: 120.4, text: RAIL }],
};
const unknown: RuleJudgement = {
  outcome: 'not_known',
  because: [],
  missing: ['wetlandProximity'],
  check: ['the rest of the parcel: this answer is about this point'],
};

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const LANGUAGES = ['en', 'fr'] as const;

describe('The words for what rules make of a place', () => {
  before(() => Promise.all(LANGUAGES.map(loadTexts)));
  const judged = { setback_90: excluded, site_plan_prescribed_area: unknown };
  const cards = (language: 'en' | 'fr') => {
    speak(language);
    return ruleCards({ rules, judged, layers });
  };

  it('give the outcome, the reason with its distance, the section, and what has to be checked', () => {
    const [setback, site] = cards('en');
    expect([setback!.id, setback!.said]).to.deep.equal(['setback_90', 'Excluded by what is mapped here']);
    expect(setback!.text).to.match(/^Excluded: .*s\. 34 \(1\.5\)/);
    expect(setback!.reasons.map(plain)).to.deep.equal([`${RAIL} (120 m away)`]);
    expect(setback!.law).to.deep.equal({
      text: 'Planning Act, O. Reg. 257/25 and O. Reg. 254/23, s. 34 (1.4) and (1.5); O. Reg. 254/23, s. 1',
      url: 'https://www.ontario.ca/laws/statute/90p13',
    });
    expect([site!.text, site!.reasons]).to.deep.equal([null, ['Not known here: Wetland.']]);
    expect(site!.checks).to.deep.equal([unknown.check[0]]);
  });

  it('are in French, also those that the answer has in English', () => {
    const [setback, site] = cards('fr');
    expect(plain(setback!.reasons[0]!)).to.match(/^À 300 m ou moins d'une ligne de chemin de fer.*\(à 120 m\)$/);
    expect(site!.checks).to.deep.equal(['le reste de la parcelle : cette réponse porte sur ce point']);
  });

  it('are never a permission, whatever the outcome', () => {
    const open: RuleJudgement = { outcome: 'not_excluded_by_mapped_data', because: [], missing: [], check: [] };
    for (const language of LANGUAGES) {
      speak(language);
      for (const one of [excluded, unknown, open])
        expect(JSON.stringify(ruleCards({ rules, judged: { setback_90: one }, layers })[0]!.said)).to.not.match(
          /allow|permi|autoris/i,
        );
    }
  });
});

describe('The words for what became of an answer', () => {
  before(() => Promise.all(LANGUAGES.map(loadTexts)));
  const said = (
    key: string,
    change: object,
    { language = 'en', isArea = false }: { language?: 'en' | 'fr'; isArea?: boolean } = {},
  ) => {
    const comparison = { changed: [key], layers: { [key]: change as LayerChange } } as unknown as Comparison;
    speak(language);
    return changesIn(comparison, { layers, isArea }).map(({ text }) => plain(text));
  };
  const nearer = {
    ...{
      change: 'value',
      before: 'adjacent',
      now: 'regulated',
      distanceBeforeM: 44.1,
      distanceNowM: 27.9,
      cause: 'data',
    },
  };

  for (const [what, key, change, text] of [
    [
      ...['a value is another', 'wetlandProximity', nearer],
      'Before: 44 m from a wetland: within 120 m. Now: 28 m from a wetland: inside the 30 m rule. Because the data are others.',
    ],
    [
      ...['it has appeared', 'greenbelt', { change: 'appeared', before: false, now: true, cause: 'definition' }],
      'In the Greenbelt. It was not found before. Because the layer is defined otherwise now.',
    ],
    [
      ...['it is gone', 'greenbelt', { change: 'disappeared', before: true, now: false, cause: 'address' }],
      'Greenbelt: not found any more. Before: In the Greenbelt. Because the address is at another point now.',
    ],
    [
      ...[
        'it is not known any more',
        'floodProximity',
        { change: 'unknown', before: 'outside', now: null, cause: 'data' },
      ],
      'Mapped flood hazard: not known any more, or less of it. Before: none found. Because the data are others.',
    ],
    [
      ...['it is known now', 'floodProximity', { change: 'known', before: null, now: 'outside', cause: 'data' }],
      'Mapped flood hazard: known now, or more of it than before. Now: none found. Because the data are others.',
    ],
    [
      ...[
        'another feature decides',
        'lakeshoreProximity',
        { change: 'value', before: 'inside', now: 'inside', cause: 'data' },
      ],
      'On a lake. Another feature decides it now. Because the data are others.',
    ],
  ] as unknown as readonly (readonly [string, string, object, string])[])
    it(`say that ${what}`, () => {
      expect(said(key, change)).to.deep.equal([text]);
    });

  it('speak of parcels by shares, and in French', () => {
    const share = {
      change: 'value',
      before: { share: 0.2, unknownShare: 0 },
      now: { share: 0.5, unknownShare: 0 },
      cause: 'data',
    };
    expect(said('greenbelt', share, { isArea: true })[0]).to.match(
      /^Before: Greenbelt: 20% of the area\. Now: Greenbelt: 50% /,
    );
    expect(said('wetlandProximity', nearer, { language: 'fr' })[0]).to.match(
      /^Avant : À 44 m d’un milieu humide .* Parce que/,
    );
  });
});
