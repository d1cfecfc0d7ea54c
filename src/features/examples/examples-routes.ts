/** `/api/examples`: stored answers that anybody may see, so that nobody needs a key to know what an answer is. */
import { withGeometry } from '../../core/openapi/lookup-operations.ts';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { AppError } from '../../messages/problems.ts';
import {
  exampleLookupSchema,
  exampleOutcomes,
  examplesSchema,
  type ExamplesBody,
  type ExampleLookupBody,
} from './wire.ts';
import { contentOf, sendContent, type Content } from '../../core/http/content.ts';
import { route, type Route, openRoute } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';
import { examplesPart, type StoredExample, bodyOf } from './stored-examples.ts';
import type { LayerDescription, LayersBody } from '../../messages/wire/layers.ts';
import type { LayerState } from '../../messages/wire/full-lookup.ts';
import { browserHeaders } from '../../core/http/browser-headers.ts';
import { escapeHtml, pageInLanguage, smallPage, textIn, type PageLanguage } from '../../core/http/pages.ts';

const FREE = 'Needs no key and costs nothing.';
const type = 'application/json';

const listExamples = route({
  method: 'get',
  path: '/api/examples',
  key: null,
  query: 'any',
  docs: ({ address, fullLookup }, { maps }) => ({
    operationId: 'examples',
    tag: 'lookup',
    summary: 'Examples: stored answers that need no key',
    description: `Made once for each snapshot, when it comes into service: one for each outcome worth seeing. ${FREE}`,
    schemas: {
      Examples: examplesSchema,
      ExampleLookup: withGeometry(exampleLookupSchema(maps ? 'detail=full and geometry=near' : 'detail=full'), maps),
    },
    answers: {
      200: {
        description: 'The examples.',
        headers: commonHeaders,
        content: inJson('Examples', {
          snapshot: { id: fullLookup.snapshot.id, sample: true },
          examples: [{ outcome: 'restriction', address, url: '/api/examples/restriction' }],
        } satisfies ExamplesBody),
      },
    },
  }),
  handle: ({ services, req, res }) => sendContent(req, res, listFor(services), { type }),
});

const showExample = route({
  method: 'get',
  path: '/api/examples/:outcome',
  key: null,
  query: 'any',
  docs: (_examples, { maps }) => ({
    operationId: 'example',
    tag: 'lookup',
    summary: 'An example: the stored answer that shows an outcome',
    description: `The answer of a lookup with \`detail=full${maps ? '&geometry=near' : ''}\`, and in \`example\` when it was given. ${FREE}`,
    path: {
      outcome: {
        type: 'string',
        enum: Object.keys(exampleOutcomes),
        description: 'What it shows: one of those that `/api/examples` lists.',
        example: 'restriction',
      },
    },
    answers: {
      200: {
        description: 'The answer.',
        headers: commonHeaders,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ExampleLookup' } } },
      },
    },
    failures: ['NOT_FOUND'],
  }),
  handle({ services, req, res }) {
    const example = services.parts.of(examplesPart).all.find(({ outcome }) => outcome === req.params['outcome']);
    if (!example) throw new AppError('NOT_FOUND', 'there is no such example now: GET /api/examples lists them');
    return sendContent(req, res, example.content, { type });
  },
});

export const examplesRoutes: readonly Route[] = [listExamples, showExample];

/** The list of each service, made once for each snapshot. */
const lists = new WeakMap<Services, () => Content>();

function listFor(services: Services): Content {
  let list = lists.get(services);
  if (!list) {
    const { snapshots, parts } = services;
    const examples = parts.of(examplesPart);
    list = contentOf(
      () => [snapshots.manifest, examples.all],
      () => JSON.stringify(listOf(snapshots.manifest, examples.all)),
    );
    lists.set(services, list);
  }
  return list();
}

function listOf({ id, sample }: SnapshotManifest, examples: readonly StoredExample[]): ExamplesBody {
  return {
    snapshot: { id, sample },
    examples: examples.map(({ outcome, address }) => ({ outcome, address, url: `/api/examples/${outcome}` })),
  };
}

/** `GET /examples`: the stored answers in short, as a page without a program, for search engines and browsers that run none. */
export function examplesPageRoute({
  config,
  documents,
  parts,
}: Pick<Services, 'config' | 'documents' | 'parts'>): Route {
  const hasStart = !config.leftOut.includes('page');
  const examples = parts.of(examplesPart);
  const send = pageInLanguage(
    () => [documents.layers(), examples.all],
    (language) => page(language, documents.layers(), { bodies: examples.all.map(bodyOf), hasStart }),
  );
  return openRoute('/examples', [browserHeaders()], send);
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

/** @param hasStart whether there is the page at `/`, to lead to. */
function page(
  language: PageLanguage,
  { layers, snapshot }: LayersBody,
  { bodies, hasStart }: { readonly bodies: readonly ExampleLookupBody[]; readonly hasStart: boolean },
): string {
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
  { body, hasStart }: { readonly body: ExampleLookupBody; readonly hasStart: boolean },
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
