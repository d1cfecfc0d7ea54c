import type { AnswerDefinition } from '../../src/catalogue/definition.ts';
import { feedbackLink } from '../../src/messages/feedback-link.ts';
import type { AskedWords, Finding } from '../../src/messages/wire/explained.ts';
import type { Answered, ThreadFeature } from '../engine/feature.ts';
import { areaSentence, type Shares } from './area-sentence.ts';
import { placeSentence, type Told } from './place-sentence.ts';
import { texts, type Language } from './texts.ts';
import { fill, valueInWords } from './words.ts';

/** What the answers mean, in words: the member `explained`. */
export const explain: ThreadFeature = {
  name: 'explain',
  open: ({ snapshot }) => ({
    member: {
      name: 'explained',
      write: (asked, answered) => JSON.stringify(explained(answered, asked as AskedWords, snapshot.manifest.id)),
    },
  }),
};

/** Hazards come first, because a reader may stop early. */
const concerns = ['hazard', 'restriction', 'nearby', 'naming'] as const;

const rankOf = ({ reader }: AnswerDefinition): number => concerns.indexOf(reader?.concern ?? 'nearby');

function explained(
  answered: Answered,
  { language, feedbackUrl }: AskedWords,
  vintage: string,
): Readonly<Record<string, Finding>> {
  const answers = answered.answers.map(({ answer }) => answer).toSorted((one, other) => rankOf(one) - rankOf(other));
  const findings: Record<string, Finding> = {};
  for (const answer of answers) {
    const told = toldOf(answered, answer, language);
    if (told === null) continue;
    const { key } = answer;
    const link = feedbackUrl && feedbackLink(feedbackUrl, { lookup: answered.lookupId ?? null, layer: key, vintage });
    findings[key] = { ...meaningOf(answered, answer, { ...told, language }), ...(link ? { feedback: link } : {}) };
  }
  return findings;
}

function toldOf(answered: Answered, answer: AnswerDefinition, language: Language): Told | null {
  if (answered.kind === 'area') return areaSentence(answer, answered.values[answer.key] ?? null, language);
  return placeSentence(answered.layer(answer.key)!, language, answered.uncertaintyM);
}

interface Said extends Told {
  readonly language: Language;
}

/** What follows from a finding by its definition. Of what nobody knows nothing follows, but somebody may know. */
function meaningOf(answered: Answered, { reader }: AnswerDefinition, { sentence, isFound, language }: Said): Finding {
  const { next, meaning } = reader ?? {};
  const office = next?.office === undefined ? null : officeOf(answered, next.office, language);
  const who = office?.name ?? null;
  if (!isFound) return { sentence, law: null, who, next: stepAt(office, texts[language].ask) };
  const step = next?.[language] ?? null;
  const toDo = next?.office === undefined ? step : stepAt(office, step);
  if (!meaning) return { sentence, law: null, who, next: toDo };
  const { source } = meaning;
  const law = { name: source[language], url: source.url };
  return { sentence: `${sentence} ${meaning[language]}`, law, who, next: toDo };
}

/** What to do at an office. Null: no layer of the service names it, so that nobody can be told where it is. */
function stepAt(office: Office | null, step: string | null): string | null {
  if (office === null || step === null) return null;
  return office.name === null ? office.none : fill(step, { office: office.name });
}

interface Office {
  /** Null: there is none here. */
  readonly name: string | null;
  /** What to do then. */
  readonly none: string;
}

/** The office that decides here: by its name where the answer has it, otherwise by what such an office is called. Null: no layer of the service names it. */
function officeOf(answered: Answered, key: string, language: Language): Office | null {
  const found = answered.answers.find(({ answer }) => answer.key === key)?.answer;
  const words = found?.reader?.office;
  if (!words) return null;
  return { name: nameOfOffice(answered, key, language, words[language]), none: words.none[language] };
}

/** A parcel may lie in two municipalities. */
function nameOfOffice(answered: Answered, key: string, language: Language, called: string): string | null {
  if (answered.kind === 'place') {
    const { value, state } = answered.layer(key)!.given;
    if (state === 'absent') return null;
    return value === null ? called : valueInWords(value, language);
  }
  const value = answered.values[key] ?? null;
  if (value === null) return called;
  const { parts = [], unknownShare } = value as unknown as Shares;
  if (parts.length > 0) return parts.map((part) => valueInWords(part.value, language)).join(' / ');
  return unknownShare > 0 ? called : null;
}
