/** A finding instead of a list: what harms or restricts, which hazards nobody knows, and the rest folded, by what each answer is to a reader. */
import { renderMore, type Item } from './answers.ts';
import { nameOfLayer } from './words.ts';
import { adviceFor, type Office } from '../../src/messages/findings/advice.ts';
import { feedbackLink } from '../../src/messages/feedback-link.ts';
import { readSettings } from '../shared/api.ts';
import { byId, el } from '../shared/dom.ts';
import { fill, plural, speechOf, textsIn } from '../shared/i18n.ts';
import type { Language } from '../shared/session.ts';
import type { SourcesOptions } from './summary.ts';

/** What a finding rests on. */
type Given = Pick<SourcesOptions, 'snapshotId' | 'lookupId'>;

export const concernOf = ({ layer }: Item) => layer.reader?.concern ?? 'nearby';

function isFinding(item: Item) {
  if (item.tone !== 'found') return false;
  const concern = concernOf(item);
  const isClose = item.band !== 'near';
  return (
    concern === 'hazard' ||
    (isClose && (concern === 'restriction' || (concern === 'nearby' && item.layer.kind === 'proximity')))
  );
}

const isUnknownHazard = (item: Item) => item.tone === 'unknown' && concernOf(item) === 'hazard';

/** Hazards stand before restrictions, and both before what is only close by. */
const concerns = ['hazard', 'restriction', 'nearby'];

/** Sorts the answers by what they are to a reader. Details of an answer that is found are told with it. */
export function sorted(items: readonly Item[]) {
  const found = new Map(items.filter(({ tone }) => tone === 'found').map((item) => [item.layer.key, item]));
  const isDetail = (item: Item) => item.tone === 'found' && found.has(item.layer.reader?.detailOf ?? '');
  const whole = items.filter((item) => !isDetail(item));
  const findings = whole
    .filter(isFinding)
    .sort((a, b) => concerns.indexOf(concernOf(a)) - concerns.indexOf(concernOf(b)));
  const others = whole.filter((item) => !findings.includes(item));
  const rest = (tone: Item['tone']) => others.filter((item) => item.tone === tone);
  const isNaming = (item: Item) => concernOf(item) === 'naming';
  const unknown = rest('unknown');
  return {
    ...{ findings, unknown, none: rest('none') },
    details: items.filter(isDetail),
    unknownHazards: unknown.filter(isUnknownHazard),
    naming: rest('found').filter(isNaming),
    near: rest('found')
      .filter((item) => !isNaming(item))
      .sort((a, b) => (a.distanceM ?? 0) - (b.distanceM ?? 0)),
  };
}

/** Shows all answers. */
export function renderFindings(language: Language, items: readonly Item[], given: Given) {
  const parts = sorted(items);
  const row = (item: Item) => renderRow(language, item, { items, details: parts.details, given });
  byId('naming').replaceChildren(...namesOf(language, parts.naming));
  byId('tally').replaceChildren(...headline(language, parts));
  const unknownHazards = unknownTogether(language, parts.unknownHazards, row);
  byId('findings').replaceChildren(el('ul', { className: 'rows' }, ...parts.findings.map(row), ...unknownHazards));
  byId('findings').hidden = parts.findings.length + unknownHazards.length === 0;
  const { folds } = textsIn(language);
  const reasons = [...new Set(parts.unknown.map(({ reason }) => reason ?? ''))];
  const unknownRows = reasons.flatMap((reason) => {
    const here = parts.unknown.filter((item) => item.reason === reason && !parts.unknownHazards.includes(item));
    return here.length === 0
      ? []
      : [el('h4', { className: 'reason' }, `${reason} (${here.length})`), rows(here.map(row))];
  });
  byId('groups').replaceChildren(
    ...fold(
      'near',
      fill(folds.near, { n: parts.near.length }),
      parts.near.length > 0 ? [rows(parts.near.map(row))] : [],
    ),
    ...fold(
      'none',
      fill(folds.none, { n: parts.none.length }),
      parts.none.length > 0 ? [rows(parts.none.map(row))] : [],
    ),
    ...fold('unknown', fill(folds.unknown, { n: parts.unknown.length }), unknownRows),
    ...fold(
      'names',
      fill(folds.names, { n: parts.naming.length }),
      parts.naming.length > 0 ? [rows(parts.naming.map(row))] : [],
    ),
  );
}

/** Hazards that nobody knows have one card: a line each, and what holds for all of them once. They must not read as "no". */
function unknownTogether(language: Language, items: readonly Item[], row: (item: Item) => Node) {
  if (items.length === 0) return [];
  const { tally, findings } = textsIn(language);
  return [
    el(
      'li',
      { className: 'together unknown' },
      el('span', { className: 'mark', 'aria-hidden': 'true' }),
      el('h4', {}, plural(language, items.length, tally.unknownHazard)),
      el('p', { className: 'advice' }, findings.notNo),
      rows(items.map(row)),
    ),
  ];
}

const rows = (members: Node[]) => el('ul', { className: 'rows' }, ...members);

export function fold(id: string, title: string, content: Node[]) {
  const isOpen = (document.getElementById(id) as HTMLDetailsElement | null)?.open ?? false;
  if (content.length === 0) return [];
  return [el('details', { id, className: 'fold', open: isOpen }, el('summary', {}, el('h3', {}, title)), ...content)];
}

/** One line for each thing that a reader must know first (together.ts: of many answers). */
function headline(language: Language, { findings, unknownHazards, none, unknown, near }: ReturnType<typeof sorted>) {
  const { tally } = textsIn(language);
  const of = (concern: string) => findings.filter((item) => concernOf(item) === concern);
  const [hazards, restrictions, close] = concerns.map(of);
  const line: (kind: string, items: readonly Item[], text: { one: string; many: string }) => Node | null = (
    kind,
    items,
    text,
  ) => {
    if (items.length === 0) return null;
    const count = el('strong', {}, plural(language, items.length, text));
    return lineOf(
      kind,
      count,
      fill(tally.named, { names: items.map(({ layer }) => nameOfLayer(layer, language)).join(', ') }),
    );
  };
  return [
    line('found hazard', hazards ?? [], tally.hazard),
    line('found restriction', restrictions ?? [], tally.restriction),
    findings.length === 0 ? lineOf('none', tally.clear) : null,
    line('found', close ?? [], tally.close),
    line('unknown', unknownHazards, tally.unknownHazard),
    el(
      'li',
      { className: 'rest' },
      (
        [
          [none.length, tally.none],
          [near.length, tally.near],
          [unknown.length - unknownHazards.length, tally.unknown],
        ] as const
      )
        .filter(([n]) => n > 0)
        .map(([n, text]) => plural(language, n, text))
        .join(' · '),
    ),
  ].filter((one) => one !== null);
}

export const lineOf = (kind: string, ...text: (Node | string)[]) =>
  el('li', { className: kind }, el('span', { className: 'mark', 'aria-hidden': 'true' }), el('span', {}, ...text));

/** What names the place, in one line: offices and municipalities by their names alone. */
function namesOf(language: Language, naming: readonly Item[]) {
  const { tally } = textsIn(language);
  const named = naming.map(({ layer, main }) =>
    layer.group === 'administration' ? main : nameOfLayer(layer, language) + fill(tally.named, { names: main }),
  );
  return named.map((name, i) => el('span', {}, `${i > 0 ? ' · ' : ''}${name}`));
}

function renderRow(
  language: Language,
  item: Item,
  { items, details, given }: { items: readonly Item[]; details: readonly Item[]; given: Given },
) {
  const { layer, boundary, heading } = item;
  const own = details.filter((detail) => detail.layer.reader?.detailOf === layer.key);
  return el(
    'li',
    { className: classOf(item), 'data-key': layer.key, 'data-sets': setsOf([item, ...own]) },
    el('span', { className: 'mark', 'aria-hidden': 'true' }),
    el('h4', {}, headingOf(language, heading, own)),
    el('div', { className: 'values' }, item.value(), ...own.map((detail) => detailOf(language, detail))),
    boundary === null ? null : el('p', { className: 'boundary' }, boundary),
    ...(item.tone === 'unknown' || isFinding(item) ? adviceOf(language, item, { items, own }) : []),
    isFinding(item) || isUnknownHazard(item) ? wrongOf(language, layer.key, given) : null,
    renderMore(language, item),
  );
}

/** Where to say that a finding is wrong, if anywhere. The link tells nothing about the place or the key. */
function wrongOf(language: Language, layer: string, { snapshotId: vintage, lookupId: lookup }: Given) {
  const { feedbackUrl } = readSettings();
  if (feedbackUrl === null) return null;
  const link = { href: feedbackLink(feedbackUrl, { lookup, layer, vintage }), rel: 'noreferrer' };
  return el('p', { className: 'advice wrong' }, el('a', link, textsIn(language).wrong));
}

const setsOf = (items: readonly Item[]) => items.flatMap(({ layer }) => layer.dataSets.map(({ id }) => id)).join(' ');

function classOf(item: Item) {
  const isClose =
    isFinding(item) && concernOf(item) !== 'hazard' && item.layer.kind === 'proximity' && item.band !== 'near';
  const concern = isFinding(item) || item.tone === 'unknown' ? concernOf(item) : '';
  return ['row', item.tone, concern, isClose ? 'close' : ''].filter((name) => name !== '').join(' ');
}

/** "In the Greenbelt: Settlement Area". */
const headingOf = (language: Language, heading: string, own: readonly Item[]) =>
  own.length === 0
    ? heading
    : fill(textsIn(language).findings.value, { name: heading, value: own.map(({ main }) => main).join(', ') });

const detailOf = (language: Language, { layer, value }: Item) =>
  el('div', { 'data-key': layer.key, title: nameOfLayer(layer, language) }, value());

/** What may follow, by which text, and whom to ask. `own`: its details, the nearest to the point of which speaks. */
function adviceOf(language: Language, item: Item, { items, own }: { items: readonly Item[]; own: readonly Item[] }) {
  const isFound = item.tone === 'found';
  const speakers = own.filter(({ layer }) => isFound && layer.reader?.meaning);
  return (speakers.length > 0 ? speakers : [item]).flatMap(({ layer: { reader } }) => {
    const meaning = isFound ? reader?.meaning : undefined;
    const office = officeOf(language, reader?.next?.office, items);
    const { steps, contacts } = adviceFor(reader, office, { speech: speechOf(language), isFound });
    return [
      meaning
        ? el(
            'p',
            { className: 'advice' },
            `${meaning[language]} `,
            linkTo(meaning.source.url, meaning.source[language]),
          )
        : null,
      ...steps.map((step, i) =>
        el(
          'p',
          { className: 'advice next' },
          `→ ${step}`,
          ...(i < steps.length - 1 ? [] : contacts.flatMap((contact) => [' ', linkTo(urlOf(contact), contact)])),
        ),
      ),
    ];
  });
}

const linkTo = (href: string, text: string) => el('a', { href, rel: 'noreferrer' }, text);

const urlOf = (contact: string) => (contact.startsWith('https:') ? contact : `tel:${contact.replace(/[^\d+]/g, '')}`);

/** The office that decides at this place, by its name where an answer has it. `key`: of that answer. */
function officeOf(language: Language, key: string | undefined, items: readonly Item[]): Office | null {
  const office = items.find(({ layer }) => layer.key === key);
  const words = office?.layer.reader?.office;
  if (!office || !words) return null;
  const name = office.tone === 'found' ? office.main : office.tone === 'none' ? null : words[language];
  return { name, none: words.none[language] };
}
