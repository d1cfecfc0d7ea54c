import type { LicencesBody, LicenceStatement } from '../../messages/wire/licences.ts';
import { acceptedType } from './accepted-type.ts';
import { browserHeaders, readableFromAnywhere } from './browser-headers.ts';
import { contentOf, sendContent } from './content.ts';
import { escapeHtml, pageInLanguage, smallPage, type PageLanguage } from './pages.ts';
import { openRoute, type Route } from './route.ts';

/**
 * `GET /licences`: the statements that the licences of the data in service require, as JSON, or as a page for a client that prefers
 * HTML. It needs no key. The `Link` of every answer leads here.
 * @param hasStart whether there is a page at `/`, to lead to.
 */
export function licencesRoute(licences: () => LicencesBody, hasStart: boolean): Route {
  const parts = () => [licences()];
  const json = contentOf(parts, () => JSON.stringify(licences()));
  const sendPage = pageInLanguage(parts, (language) => page(licences(), language, hasStart));
  return openRoute('/licences', [browserHeaders(), readableFromAnywhere], ({ req, res }) => {
    res.vary('Accept, Accept-Language');
    if (acceptedType(req, ['json', 'html']) !== 'html')
      return sendContent(req, res, json(), { type: 'application/json' });
    return sendPage({ req, res });
  });
}

const texts = {
  en: {
    title: 'Licences of the data',
    lookUp: 'Look an address up',
    docs: 'API documentation',
    note: 'Show these statements wherever you pass answers on: the licences require it. They are those of the data in service, snapshot',
    sample: 'Sample data',
    until: 'its source says that it ends on',
  },
  fr: {
    title: 'Licences des données',
    lookUp: 'Chercher une adresse',
    docs: 'Documentation de l’API',
    note: 'Montrez ces mentions partout où vous transmettez des réponses : les licences l’exigent. Ce sont celles des données en service, instantané',
    sample: 'Données d’exemple',
    until: 'selon sa source, s’arrête le',
  },
} as const satisfies Record<PageLanguage, object>;

/** What the licences demand stands in their own words, and the data go by the titles of their publishers. */
function page({ snapshot, statements }: LicencesBody, language: PageLanguage, hasStart: boolean): string {
  const words = texts[language];
  const start = hasStart ? `<a href="/">${words.lookUp}</a> · ` : '';
  return smallPage({
    language,
    title: words.title,
    links: `${start}<a href="/docs">${words.docs}</a>`,
    main: `<h1>${words.title}</h1>
<p>${words.note} <code>${escapeHtml(snapshot.id)}</code>.</p>
${statements.map((statement) => section(statement, language)).join('\n')}`,
  });
}

function section({ licence, attribution, data }: LicenceStatement, language: PageLanguage): string {
  const { sample, until } = texts[language];
  const items = data.map(({ title, publisher, asOf, sourceUntil }) => {
    const ends = sourceUntil === null ? [] : [`${until} ${sourceUntil}`];
    return `<li>${[title, publisher, ...(asOf === null ? [] : [asOf]), ...ends].map(escapeHtml).join(', ')}</li>`;
  });
  return `<section><h2>${licence ? nameOf(licence) : sample}</h2>
<p lang="en">${escapeHtml(attribution)}</p>
<ul>
${items.join('\n')}
</ul></section>`;
}

function nameOf({ id, url }: NonNullable<LicenceStatement['licence']>): string {
  return url === null ? escapeHtml(id) : `<a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(id)}</a>`;
}
