/** What programs ask every site for: `/robots.txt`, `/sitemap.xml`, `/llms.txt`, and `/.well-known/security.txt` (RFC 9116) where there is somebody to tell. */
import { DAY_MS } from '../../messages/time.ts';
import { sendContent } from './content.ts';
import { pageWithAddress, keyFrom, keysAtOf } from './docs-route.ts';
import { escapeHtml } from './pages.ts';
import { openRoute, type Route } from './route.ts';
import type { Services } from './services.ts';
import { layerStates } from '../../messages/wire/full-lookup.ts';
import type { LicenceStatement } from '../../messages/wire/licences.ts';
import type { Schema } from '../../schema.ts';
import { inWords } from '../../words.ts';
import { exampleRequest } from './service-documents.ts';
import type { Guide } from './guides.ts';
import type { AboutFeature } from './routes.ts';

/** How long what it says of security holds. RFC 9116 (section 2.5.5) recommends less than a year. */
const HOLDS_DAYS = 180;

/** @param pages paths of the pages that are for search engines. */
export function wellKnownRoutes(services: Services, pages: readonly string[]): readonly Route[] {
  const today = (): number => Math.floor(Date.now() / DAY_MS);
  const sent = (path: string, type: string, text: (address: string) => string): Route => {
    const content = pageWithAddress(services, () => [today()], text);
    return openRoute(path, [], ({ req, res }) => sendContent(req, res, content(req), { type }));
  };
  const plain = 'text/plain; charset=utf-8';
  const { contact } = services.config;
  return [
    sent('/robots.txt', plain, (address) => `User-agent: *\nDisallow: /api/\n\nSitemap: ${address}/sitemap.xml\n`),
    sent('/sitemap.xml', 'application/xml', (address) => sitemap(pages.map((path) => address + path))),
    ...(contact === null
      ? []
      : [sent('/.well-known/security.txt', plain, (address) => securityText(contact, address, today() + HOLDS_DAYS))]),
  ];
}

function sitemap(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${escapeHtml(url)}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`;
}

/** @param untilDay day since 1970 on which it ends. */
function securityText(contact: string, address: string, untilDay: number): string {
  return `Contact: ${contact}
Expires: ${new Date(untilDay * DAY_MS).toISOString()}
Preferred-Languages: en, fr
Canonical: ${address}/.well-known/security.txt
Policy: ${address}/docs/security
`;
}

/** Writes `/llms.txt` (llmstxt.org): what this service has, for language models. All of it comes from what the service itself uses. */
export function llmsText(
  services: Services,
  {
    openApi,
    about,
    guides,
  }: { readonly openApi: Schema; readonly about: readonly AboutFeature[]; readonly guides: readonly Guide[] },
): string {
  const { documents, config } = services;
  const layers = documents.layers();
  const licences = documents.licences();
  const [own, further] = [false, true].map((asked) => layers.layers.filter((layer) => layer.further === asked));
  return `# land-lookup

> Land data of places in Ontario, Canada: ${own!.length} layers (${own!.map(({ title }) => title).join(', ')}) for ${inWords(['a street address', 'a point', ...about.flatMap(({ noun }) => noun ?? [])], ' or ')}, as JSON over HTTP, each with its date, licence and certainty.

With \`detail=full\` every layer has a state:

${list(Object.entries(layerStates).map(([state, meaning]) => `\`${state}\`: ${meaning}`))}

With \`layers=all\`, or their keys, lookups also give further answers: ${further!.map(({ key, title }) => `\`${key}\` (${title})`).join(', ')}.

A value of null is never "no". Show the address in the answer to the person who asked: it may differ from the one that was asked for.

Lookups, and all that is not said to be for anybody, need a key in the header \`Authorization: Bearer <key>\`: ${keyFrom(config, keysAtOf(about), (href, words) => `[${words}](${href})`)}. A key may make ${config.rateLimitPerHour} lookups per hour if it has no limit of its own. ${about.map(({ limits }) => (limits === undefined ? '' : `${limits} `)).join('')}Only a lookup that is answered is billed. Every failure has a stable \`code\`, and a \`reason\` where a code has several causes.

A first lookup is \`POST /api/lookup\` with \`Content-Type: application/json\` and the body \`${exampleRequest(services)}\`.

## Routes

${list(operations(openApi).map(({ name, summary }) => link(name, '/docs', summary)))}

${about.map(({ section }) => (section === undefined ? '' : `${section}\n\n`)).join('')}## Licences of the data: show these statements wherever you pass answers on

${list(licences.statements.map(licenceLine))}

## Reference

${list([
  link('OpenAPI document', '/openapi.json', 'requests, answers and examples'),
  ...guides.map(({ path, title }) => `[${title}](${path})`),
  link('Errors', '/docs/errors', 'every code, and what to do'),
  link('Layers', '/api/layers', 'meaning, values, dates and sources of every layer'),
  link('Licences', '/licences', 'the statements, with the data that each is about'),
])}
`;
}

function operations({ paths }: Schema): { readonly name: string; readonly summary: string }[] {
  return Object.entries(
    paths as Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ name: `${method.toUpperCase()} ${path}`, summary })),
  );
}

function licenceLine({ licence, attribution, data }: LicenceStatement): string {
  return link(licence?.id ?? 'Sample data', licence?.url ?? '/licences', `${attribution} (${data.length} data sets)`);
}

const link = (name: string, url: string, notes: string): string => `[${name}](${url}): ${notes}`;

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
