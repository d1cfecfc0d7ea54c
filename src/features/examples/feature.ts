import { type ServedFeature, partOf } from '../../feature.ts';
import { answeredAddresses } from '../../core/http/service-documents.ts';
import { examplesPageRoute, examplesRoutes } from './examples-routes.ts';
import { bodyOf, examplesPart, StoredExamples } from './stored-examples.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { BriefAnswer } from '../../core/http/pages.ts';
import type { LayerState } from '../../messages/wire/full-lookup.ts';
import type { ExampleLookupBody } from './wire.ts';

/** Stored answers that anybody may see. */
export const examples: ServedFeature = {
  routes: examplesRoutes,
  about: () => ({ forSearch: ['/examples'] }),
  pages: (services) => [examplesPageRoute(services)],
  part: partOf(examplesPart, (services, opened) => {
    const examples = opened.use(new StoredExamples(services));
    services.parts.set(answeredAddresses, examples);
    return examples;
  }),
  page: ({ parts, snapshots, catalogue }) => {
    const { all } = parts.of(examplesPart);
    return {
      of: [snapshots.manifest, all],
      make: () => ({
        examples: all.map(({ outcome, address }) => ({ outcome, address })),
        // The first one is the most telling.
        brief: all[0] === undefined ? null : briefOf(catalogue, bodyOf(all[0])),
      }),
    };
  },
};

const texts = {
  en: {
    hazard: 'Hazard',
    restriction: 'Restricts this land',
    unknown: 'Hazards not known here',
    none: 'Checked and not here',
    others: 'Others not known',
    colon: ': ',
  },
  fr: {
    hazard: 'Danger',
    restriction: 'Restreint ce terrain',
    unknown: 'Dangers inconnus ici',
    none: 'Vérifiés, absents ici',
    others: 'Autres inconnus',
    colon: ' : ',
  },
} as const;

/** Tells an example in a few lines: what harms and restricts, which hazards nobody knows, and how many of the rest are not there or not known. */
function briefOf(
  { answers }: Pick<Catalogue, 'answers'>,
  { address, evidence, layers, example }: ExampleLookupBody,
): BriefAnswer {
  const inState = (...states: readonly LayerState[]) =>
    answers.map(({ answer }) => answer).filter(({ key }) => states.includes(evidence[key]!.state));
  const found = inState('present');
  const unknown = inState('no_coverage', 'unavailable');
  const isHazard = ({ reader }: (typeof found)[number]): boolean => reader?.concern === 'hazard';
  const restrictions = found.filter(
    ({ key, reader }) => reader?.concern === 'restriction' && layers[key] !== 'adjacent',
  );
  const linesIn = (language: keyof typeof texts): readonly string[] => {
    const { hazard, restriction, unknown: notKnown, none, others, colon } = texts[language];
    const named = (list: typeof found): string =>
      list
        .map(
          ({ title, french, reader }) =>
            reader?.name?.[language] ?? (language === 'fr' && french ? french.title : title),
        )
        .join(', ');
    const lines = [
      [hazard, named(found.filter(isHazard))],
      [restriction, named(restrictions)],
      [notKnown, named(unknown.filter(isHazard))],
      [none, String(inState('absent').length)],
      [others, String(unknown.filter((one) => !isHazard(one)).length)],
    ] as const;
    return lines.filter(([, value]) => value !== '' && value !== '0').map(([words, value]) => words + colon + value);
  };
  return { outcome: example.outcome, address, lines: { en: linesIn('en'), fr: linesIn('fr') } };
}
