/** A finding instead of a list: what harms or restricts, which hazards nobody knows, and the rest folded, by what each answer is to a reader. */
import { renderMore, type Item } from './answers.ts';
import { nameOfLayer } from './words.ts';
import { adviceFor, type Office, feedbackLink } from '../../src/features/explain/messages/advice.ts';
import { readSettings } from '../shared/api.ts';
import { byId, el, linkTo, shape, write, type Child } from '../shared/dom.ts';
import { fill, plural, speech, texts, language } from '../shared/i18n.ts';
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
    findings,
    unknown,
    /** Where nothing at all is known, nothing is said of what is not there. */
    isSomeKnown: items.some(({ tone }) => tone !== 'unknown'),
    none: rest('none'),
    details: items.filter(isDetail),
    unknownHazards: unknown.filter(isUnknownHazard),
    naming: rest('found').filter(isNaming),
    near: rest('found')
      .filter((item) => !isNaming(item))
      .sort((a, b) => (a.distanceM ?? 0) - (b.distanceM ?? 0)),
  };
}

/** Shows all answers. */
export function renderFindings(items: readonly Item[], given: Given) {
  const parts = sorted(items);
  const row = (item: Item) => renderRow(item, { items, details: parts.details, given });
  write('naming', namesOf(parts.naming));
  write('tally', headline(parts));
  const unknownHazards = parts.unknownHazards.length > 0 && unknownTogether(parts.unknownHazards, row);
  write('findings', el('ul.rows', parts.findings.map(row), unknownHazards));
  byId('findings').hidden = parts.findings.length === 0 && !unknownHazards;
  const { folds } = texts;
  const reasons = [...new Set(parts.unknown.map(({ reason }) => reason ?? ''))];
  const unknownRows = reasons.flatMap((reason) => {
    const here = parts.unknown.filter((item) => item.reason === reason && !parts.unknownHazards.includes(item));
    return here.length === 0 ? [] : [el('h4.reason', `${reason} (${here.length})`), rows(here.map(row))];
  });
  const rowsOf = (some: readonly Item[]) => (some.length > 0 ? [rows(some.map(row))] : []);
  write(
    'groups',
    fold('near', fill(folds.near, { n: parts.near.length }), rowsOf(parts.near)),
    fold('none', fill(folds.none, { n: parts.none.length }), rowsOf(parts.none)),
    fold('unknown', fill(folds.unknown, { n: parts.unknown.length }), unknownRows),
    fold('names', fill(folds.names, { n: parts.naming.length }), rowsOf(parts.naming)),
  );
}

/** Hazards that nobody knows have one card: a line each, and what holds for all of them once. They must not read as "no". */
const unknownTogether = (items: readonly Item[], row: (item: Item) => Node) =>
  el(
    'li.together.unknown',
    shape('mark'),
    el('h4', plural(items.length, texts.tally.unknownHazard)),
    el('p.advice', texts.findings.notNo),
    rows(items.map(row)),
  );

const rows = (members: Node[]) => el('ul.rows', members);

/** Null: there is nothing to be folded. */
export function fold(id: string, title: string, content: readonly Node[]) {
  const open = (document.getElementById(id) as HTMLDetailsElement | null)?.open ?? false;
  if (content.length === 0) return null;
  return el('details', { id, className: 'fold', open }, el('summary', el('h3', title)), content);
}

/** One line for each thing that a reader must know first (together.ts: of many answers). */
function headline({ findings, unknownHazards, isSomeKnown, none, unknown, near }: ReturnType<typeof sorted>) {
  const { tally } = texts;
  const of = (concern: string) => findings.filter((item) => concernOf(item) === concern);
  const line = (kind: string, items: readonly Item[], text: { one: string; many: string }) => {
    const names = items.map(({ layer }) => nameOfLayer(layer)).join(', ');
    return items.length > 0 && lineOf(kind, el('strong', plural(items.length, text)), fill(tally.named, { names }));
  };
  const rest = [
    none.length > 0 && plural(none.length, tally.none),
    near.length > 0 && plural(near.length, tally.near),
    unknown.length > unknownHazards.length && plural(unknown.length - unknownHazards.length, tally.unknown),
  ];
  return [
    line('found hazard', of('hazard'), tally.hazard),
    line('found restriction', of('restriction'), tally.restriction),
    findings.length === 0 && isSomeKnown && lineOf('none', tally.clear),
    line('found', of('nearby'), tally.close),
    line('unknown', unknownHazards, tally.unknownHazard),
    el('li.rest', rest.filter((part) => part !== false).join(' · ')),
  ];
}

export const lineOf = (kind: string, ...text: (Node | string)[]) =>
  el('li', { className: kind }, shape('mark'), el('span', text));

/** Whose land the place is, in one line: offices, municipalities and lots by their names alone. Watersheds and regions are among the folded names. */
const namesOf = (naming: readonly Item[]) =>
  naming
    .filter(({ layer }) => layer.group === 'administration')
    .map(({ main }, i) => el('span', `${i > 0 ? ' · ' : ''}${main}`));

function renderRow(
  item: Item,
  { items, details, given }: { items: readonly Item[]; details: readonly Item[]; given: Given },
) {
  const { layer, boundary, heading } = item;
  const own = details.filter((detail) => detail.layer.reader?.detailOf === layer.key);
  return el(
    'li',
    { className: classOf(item), 'data-key': layer.key, 'data-sets': setsOf([item, ...own]) },
    shape('mark'),
    el('h4', headingOf(heading, own)),
    el('div.values', item.value(), own.map(detailOf)),
    boundary !== null && el('p.boundary', boundary),
    (item.tone === 'unknown' || isFinding(item)) && adviceOf(item, { items, own }),
    (isFinding(item) || isUnknownHazard(item)) && wrongOf(layer.key, given),
    renderMore(item),
  );
}

/** Where to say that a finding is wrong, if anywhere. The link tells nothing about the place or the key. */
function wrongOf(layer: string, { snapshotId: vintage, lookupId: lookup }: Given) {
  const { feedbackUrl } = readSettings();
  if (feedbackUrl === null) return null;
  const url = feedbackLink(feedbackUrl, { lookup, layer, vintage });
  return el('p.advice.wrong', linkTo(url, texts.wrong));
}

const setsOf = (items: readonly Item[]) => items.flatMap(({ layer }) => layer.dataSets.map(({ id }) => id)).join(' ');

function classOf(item: Item) {
  const isClose =
    isFinding(item) && concernOf(item) !== 'hazard' && item.layer.kind === 'proximity' && item.band !== 'near';
  const concern = isFinding(item) || item.tone === 'unknown' ? concernOf(item) : '';
  return ['row', item.tone, concern, isClose ? 'close' : ''].filter((name) => name !== '').join(' ');
}

/** "In the Greenbelt: Settlement Area". */
const headingOf = (heading: string, own: readonly Item[]) =>
  own.length === 0
    ? heading
    : fill(texts.findings.value, { name: heading, value: own.map(({ main }) => main).join(', ') });

const detailOf = ({ layer, value }: Item) => el('div', { 'data-key': layer.key, title: nameOfLayer(layer) }, value());

/** What may follow, by which text, and whom to ask. `own`: its details, the nearest to the point of which speaks. */
function adviceOf(item: Item, { items, own }: { items: readonly Item[]; own: readonly Item[] }): Child {
  const isFound = item.tone === 'found';
  const speakers = own.filter(({ layer }) => isFound && layer.reader?.meaning);
  return (speakers.length > 0 ? speakers : [item]).flatMap(({ layer: { reader } }) => {
    const meaning = isFound ? reader?.meaning : undefined;
    const office = officeOf(reader?.next?.office, items);
    const { steps, contacts } = adviceFor(reader, office, { speech: speech(), isFound });
    const links = contacts.flatMap((contact) => [' ', linkTo(urlOf(contact), contact)]);
    return [
      meaning && el('p.advice', `${meaning[language]} `, linkTo(meaning.source.url, meaning.source[language])),
      steps.map((step, i) => el('p.advice.next', `→ ${step}`, i === steps.length - 1 && links)),
    ];
  });
}

const urlOf = (contact: string) => (contact.startsWith('https:') ? contact : `tel:${contact.replace(/[^\d+]/g, '')}`);

/** The office that decides at this place, by its name where an answer has it. `key`: of that answer. */
function officeOf(key: string | undefined, items: readonly Item[]): Office | null {
  const office = items.find(({ layer }) => layer.key === key);
  const words = office?.layer.reader?.office;
  if (!office || !words) return null;
  const name = office.tone === 'found' ? office.main : office.tone === 'none' ? null : words[language];
  return { name, none: words.none[language] };
}
