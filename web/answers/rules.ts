/** What rules of the law make of a place or a parcel: a card each; those that nothing mapped excludes are folded. No outcome is a permission. */
import { fold } from './findings.ts';
import { nameOfLayer, type Layer } from './words.ts';
import { request, type Ruled } from '../shared/api.ts';
import { el, linkTo, shape, write } from '../shared/dom.ts';
import { fill, metres, language } from '../shared/i18n.ts';
import { lawTexts } from '../texts/law.ts';
import type { Language } from '../shared/session.ts';
import type { Rule, RuleJudgement, RulesBody } from '../../src/features/rules/messages/wire.ts';

type Outcome = RuleJudgement['outcome'];
/** `text`: what the outcome means. `checks`: what somebody has to check, under `checkHeading`. */
type Card = ReturnType<typeof ruleCards>[number];

const KINDS: Record<Outcome, string> = {
  excluded: 'found restriction close',
  not_known: 'unknown',
  not_excluded_by_mapped_data: 'none',
};

/** The judgements in words; one of a rule that is not in service any more is left out, because nobody can say what it means. */
export function ruleCards({
  rules,
  judged,
  layers,
}: {
  rules: readonly Rule[];
  judged: Judged;
  layers: readonly Layer[];
}) {
  const texts = lawTexts[language].rules;
  return rules.flatMap((rule) => {
    const judgement = judged[rule.id];
    if (!judgement) return [];
    const { outcome, because, missing, check } = judgement;
    const translated = translator(rule);
    const names = missing
      .map((key) => layers.find((layer) => layer.key === key))
      .filter((layer) => layer !== undefined);
    const reasons = because.map(({ text, distanceM }) => {
      const known = { text: translated(text), distance: metres(distanceM ?? 0) };
      return distanceM === null || distanceM === 0 ? known.text : fill(texts.reason, known);
    });
    const named = names.map((layer) => nameOfLayer(layer)).join(', ');
    return [
      {
        id: rule.id,
        outcome,
        title: rule.title[language],
        said: texts.outcomes[outcome],
        text: outcome === 'excluded' ? rule.text[language] : null,
        reasons: [...reasons, ...(named === '' ? [] : [fill(texts.missing, { names: named })])],
        checkHeading: outcome === 'excluded' ? texts.doubt : texts.check,
        checks: check.map(translated),
        law: { text: fill(texts.section, rule.law as { name: string; section: string }), url: rule.law.url },
      },
    ];
  });
}

type Judged = Readonly<Record<string, RuleJudgement>>;

/** Answers have the texts of a rule in English: the rule has them in both languages, wherever in it they stand. */
function translator(rule: Rule) {
  const known = new Map(Object.entries(lawTexts[language].rules.service));
  const gather = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    const { en } = part as Partial<Record<Language, string>>;
    const text = (part as Partial<Record<Language, string>>)[language];
    if (typeof en === 'string' && typeof text === 'string') known.set(en, text);
    else Object.values(part).forEach(gather);
  };
  gather(rule);
  return (text: string) => known.get(text) ?? text;
}

/** Only the newest answer may show its rules. */
let newest: Ruled | null = null;
let rules: Promise<readonly Rule[]> | null = null;

/** Shows the rules that an answer has; nothing where the service has none. */
export async function renderRules(layers: readonly Layer[], body: Ruled) {
  const place = document.getElementById('rules');
  if (!place) return;
  newest = body;
  place.hidden = true;
  const judged = body.rules ?? {};
  if (Object.keys(judged).length === 0) return;
  const texts = lawTexts[language].rules;
  const all = await readRules();
  if (newest !== body) return;
  place.hidden = false;
  const heading = el('h3.quiet-heading', texts.heading);
  if (all === null) {
    write('rules', heading, el('p.note', texts.unreadable));
    return;
  }
  const cards = ruleCards({ rules: all, judged, layers });
  const cardsIn = (some: Card[]) => some.length > 0 && el('ul.rows', some.map(cardOf));
  const open = cards.filter(({ outcome }) => outcome === 'not_excluded_by_mapped_data');
  const list = cardsIn(open);
  write(
    'rules',
    heading,
    cardsIn(cards.filter((card) => !open.includes(card))),
    list && fold('open-rules', fill(texts.open, { n: open.length }), [list]),
  );
}

/** Null: they cannot be read. */
async function readRules() {
  rules ??= request<RulesBody>('/api/rules', null).then((result) => {
    if (!result.ok) throw new Error(result.problem.code);
    return result.body.rules;
  });
  return rules.catch(() => (rules = null));
}

const cardOf = ({ id, outcome, title, said, text, reasons, checkHeading, checks, law }: Card) =>
  el(
    'li',
    { className: `row ${KINDS[outcome]}`, 'data-rule': id },
    shape('mark'),
    el('h4', title),
    el('p.advice.next', said),
    text !== null && el('p.advice', text),
    reasons.length > 0 && listOf(reasons),
    checks.length > 0 && [el('p.advice', checkHeading), listOf(checks)],
    el('p.advice', linkTo(law.url, law.text)),
  );

const listOf = (some: readonly string[]) =>
  el(
    'ul.advice',
    some.map((one) => el('li', one)),
  );
