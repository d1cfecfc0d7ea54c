import { browserHeaders, readableFromAnywhere } from '../../core/http/browser-headers.ts';
import { sendContent } from '../../core/http/content.ts';
import { escapeHtml, pageInLanguage, smallPage, type PageLanguage } from '../../core/http/pages.ts';
import { openRoute, route, type Route } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';
import { commonHeaders, inJson } from '../../core/openapi/responses.ts';
import { statusPart, statusSchema, type StatusBody } from './status.ts';

const example: StatusBody = {
  ...{ upSince: '2026-11-20T04:00:00.000Z', snapshot: 's', note: null, checkedAt: null, dataSets: [] },
};

export const statusRoute = route({
  method: 'get',
  path: '/status.json',
  before: [readableFromAnywhere],
  key: null,
  query: 'any',
  docs: {
    operationId: 'status',
    tag: 'operation',
    summary: 'Read how old the data are, and what became of their sources',
    description:
      'Since when the process is up, and for each data set its date, what the last check of its sources found, and what is announced. Needs no key. `/status` is the same as a page.',
    schemas: { Status: statusSchema },
    answers: { 200: { description: 'The status.', headers: commonHeaders, content: inJson('Status', example) } },
  },
  handle: ({ services: { parts }, req, res }) =>
    sendContent(req, res, parts.of(statusPart).json(), { type: 'application/json' }),
});

/** `GET /status`: the same for people. */
export function statusPage({ config, parts }: Pick<Services, 'config' | 'parts'>): Route {
  const hasStart = !config.leftOut.includes('page');
  const { body } = parts.of(statusPart);
  const send = pageInLanguage(
    () => [body()],
    (language) => page(body(), language, hasStart),
  );
  return openRoute('/status', [browserHeaders()], send);
}

const texts = {
  en: {
    title: 'Status of the service and its data',
    description: 'How old the data are that this service answers with, and what became of their sources',
    lookUp: 'Look an address up',
    upSince: 'Up since',
    record: 'the day of our record of the data, not the day from which a law holds',
    checked: 'The sources were last asked at',
    neverChecked: 'No check of the sources is kept on this machine.',
    notLoaded: 'not loaded',
    asOf: 'data of',
    until: 'its source says that it ends on',
    term: (days: number) => `renewed within ${days} days`,
    since: 'since',
    before: 'before',
    from: 'Announced',
    findings: {
      ok: 'the source is as expected',
      overdue: 'the source is overdue',
      fewer: 'the source has lost features',
      words_unknown: 'the source has words that are not known',
      names_changed: 'names at the source have changed',
      control_point_wrong: 'the source answers wrongly where the answer is known',
      moved: 'the source has moved',
      unreachable: 'the source does not answer',
      gone: 'the source is gone',
    },
  },
  fr: {
    title: 'État du service et de ses données',
    description: 'L’âge des données avec lesquelles ce service répond, et ce que sont devenues leurs sources',
    lookUp: 'Chercher une adresse',
    upSince: 'En marche depuis',
    record: 'le jour de notre relevé des données, et non le jour à partir duquel une loi s’applique',
    checked: 'Dernière vérification des sources :',
    neverChecked: 'Aucune vérification des sources n’est conservée sur cette machine.',
    notLoaded: 'non chargé',
    asOf: 'données du',
    until: 'selon sa source, s’arrête le',
    term: (days: number) => `renouvelé en ${days} jours au plus`,
    since: 'depuis le',
    before: 'auparavant',
    from: 'Annoncé',
    findings: {
      ok: 'la source est conforme',
      overdue: 'la source est en retard',
      fewer: 'la source a perdu des éléments',
      words_unknown: 'la source contient des mots inconnus',
      names_changed: 'des noms ont changé à la source',
      control_point_wrong: 'la source répond mal là où la réponse est connue',
      moved: 'la source a déménagé',
      unreachable: 'la source ne répond pas',
      gone: 'la source a disparu',
    },
  },
} as const satisfies Record<PageLanguage, object>;

function page(
  { upSince, snapshot, note, checkedAt, dataSets }: StatusBody,
  language: PageLanguage,
  hasStart: boolean,
): string {
  const words = texts[language];
  const checked = checkedAt === null ? words.neverChecked : `${words.checked} ${timeOf(checkedAt)}.`;
  return smallPage({
    ...{ language, title: words.title },
    head: `<meta name="description" content="${words.description}">\n`,
    ...(hasStart ? { links: `<a href="/">${words.lookUp}</a>` } : {}),
    main: `<h1>${words.title}</h1>${note === null ? '' : `\n<p><strong>${escapeHtml(note)}</strong></p>`}
<p>${words.upSince} ${timeOf(upSince)}, <code>${escapeHtml(snapshot)}</code> (${words.record}). ${checked} <a href="/status.json">JSON</a></p>
<dl>
${dataSets.map((one) => entry(one, language)).join('\n')}
</dl>`,
  });
}

function entry(
  { title, asOf, sourceUntil, term, check, announced }: StatusBody['dataSets'][number],
  language: PageLanguage,
): string {
  const words = texts[language];
  const facts = [
    asOf === null ? words.notLoaded : `${words.asOf} ${asOf}`,
    ...(sourceUntil === null ? [] : [`${words.until} ${sourceUntil.day}`]),
    ...(term === null ? [] : [words.term(term.days)]),
  ];
  const changes = announced.map(
    (change) =>
      `<dd>${words.from}${change.from === null ? '' : `, ${change.from}`}${language === 'fr' ? ' ' : ''}: <a href="${escapeHtml(change.url)}" rel="noreferrer">${escapeHtml(change[language])}</a></dd>`,
  );
  return `<dt>${escapeHtml(title)}</dt>
<dd>${escapeHtml(facts.join('; '))}</dd>${check === null ? '' : `\n<dd>${found(check, words)}</dd>`}${changes.join('\n')}`;
}

function found(
  { finding, since, before }: NonNullable<StatusBody['dataSets'][number]['check']>,
  words: (typeof texts)[PageLanguage],
): string {
  const now = `${words.findings[finding]}, ${words.since} ${since}`;
  const text =
    before === null
      ? now
      : `${now} (${words.before}: ${words.findings[before.finding]}, ${before.since} – ${before.until})`;
  return finding === 'ok' ? text : `<strong>${text}</strong>`;
}

/** `2026-11-26 02:10 UTC`. */
function timeOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
