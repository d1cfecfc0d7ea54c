import type { LayerDescription, LayersBody } from '../../messages/wire/layers.ts';
import type { ExampleLookupBody } from './wire.ts';
import type { LayerState } from '../../messages/wire/full-lookup.ts';
import { browserHeaders } from '../../core/http/browser-headers.ts';
import { contentOf, sendContent } from '../../core/http/content.ts';
import { escapeHtml, smallPage, inEachLanguage, languageOf, textIn, type PageLanguage } from '../../core/http/pages.ts';
import { openRoute, type Route } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';
import { bodyOf, examplesPart } from './stored-examples.ts';

/** `GET /examples`: the stored answers in short, as a page without a program, for search engines and browsers that run none. */
export function examplesPageRoute({
  config,
  documents,
  parts,
}: Pick<Services, 'config' | 'documents' | 'parts'>): Route {
  const hasStart = !config.leftOut.includes('page');
  const examples = parts.of(examplesPart);
  const pages = inEachLanguage((language) =>
    contentOf(
      () => [documents.layers(), examples.all],
      () => page(language, documents.layers(), { bodies: examples.all.map(bodyOf), hasStart }),
    ),
  );
  return openRoute('/examples', [browserHeaders()], ({ req, res }) => {
    res.vary('Accept-Language');
    return sendContent(req, res, pages[languageOf(req)](), { type: 'text/html; charset=utf-8' });
  });
}

const texts = {
  en: {
    title: 'Examples of answers',
    lookUp: 'Look an address up',
    note: 'What this service answers for some addresses, in short. Seeing them costs nothing. “Not known” is never “no”.',
    whole: 'The whole answer, with its map and sources',
    states: { present: 'Here or near by', absent: 'Checked, not here', unknown: 'Not known' },
    none: 'There are no examples at the moment.',
    colon: ': ',
  },
  fr: {
    title: 'Exemples de réponses',
    lookUp: 'Chercher une adresse',
    note: 'Ce que ce service répond pour quelques adresses, en bref. Les voir ne coûte rien. « Inconnu » ne veut jamais dire « non ».',
    whole: 'La réponse complète, avec sa carte et ses sources',
    states: { present: 'Ici ou à proximité', absent: 'Vérifiés, absents ici', unknown: 'Inconnus' },
    none: 'Il n’y a pas d’exemples en ce moment.',
    colon: ' : ',
  },
} as const satisfies Record<PageLanguage, object>;

interface Shown {
  readonly bodies: readonly ExampleLookupBody[];
  /** Whether there is the page at `/`, to lead to. */
  readonly hasStart: boolean;
}

function page(language: PageLanguage, { layers, snapshot }: LayersBody, { bodies, hasStart }: Shown): string {
  const words = texts[language];
  return smallPage({
    language,
    title: words.title,
    head: `<meta name="description" content="${escapeHtml(words.note)}">\n`,
    ...(hasStart ? { links: `<a href="/">${words.lookUp}</a>` } : {}),
    main: `<h1>${words.title}</h1>
<p>${bodies.length === 0 ? words.none : words.note}</p>
${snapshot.sample ? `<p><strong>${textIn(language, 'sample')}</strong></p>` : ''}
${bodies.map((body) => section(language, layers, { body, hasStart })).join('\n')}`,
  });
}

function section(
  language: PageLanguage,
  layers: LayersBody['layers'],
  { body, hasStart }: { readonly body: ExampleLookupBody } & Pick<Shown, 'hasStart'>,
): string {
  const { states, whole, colon } = texts[language];
  const named = (...sought: readonly LayerState[]): string =>
    layers
      .filter(({ key }) => sought.includes(body.evidence[key]?.state ?? 'unavailable') && key in body.layers)
      .map((layer) => nameOf(layer, language))
      .join(', ');
  const lines = [
    [states.present, named('present')],
    [states.absent, named('absent')],
    [states.unknown, named('no_coverage', 'unavailable')],
  ] as const;
  const { address, outcome } = body.example;
  const link = `/?lang=${language}#${new URLSearchParams({ address }).toString()}`;
  return `<section><h2>${escapeHtml(body.address)}</h2>
<p><strong>${textIn(language, `example_${outcome}`)}</strong></p>
<ul>
${lines.map(([state, names]) => (names === '' ? '' : `<li>${state}${colon}${escapeHtml(names)}</li>`)).join('\n')}
</ul>${hasStart ? `\n<p><a href="${escapeHtml(link)}">${whole}</a></p>` : ''}</section>`;
}

/** As on the page, from the answer's own definition. */
const nameOf = ({ title, french, reader }: LayerDescription, language: PageLanguage): string =>
  reader?.name?.[language] ?? (language === 'fr' && french ? french.title : title);
