import type { AnswerDefinition } from '../../src/catalogue/definition.ts';
import { adviceFor, type Office } from '../../src/messages/findings/advice.ts';
import type { Shares } from '../../src/messages/findings/in-area.ts';
import { valueInWords, type Speech } from '../../src/messages/findings/speech.ts';
import { feedbackLink } from '../../src/messages/feedback-link.ts';
import type { AskedWords, Finding } from '../../src/messages/wire/explained.ts';
import type { Answered, ThreadFeature } from '../engine/feature.ts';
import { speeches, toldAtPlace, toldInArea, type Told } from './told.ts';

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
    const told = toldOf(answered, answer, speeches[language]);
    if (told === null) continue;
    const { key } = answer;
    const link = feedbackUrl && feedbackLink(feedbackUrl, { lookup: answered.lookupId ?? null, layer: key, vintage });
    findings[key] = {
      ...meaningOf(answered, answer, { ...told, speech: speeches[language] }),
      ...(link ? { feedback: link } : {}),
    };
  }
  return findings;
}

function toldOf(answered: Answered, answer: AnswerDefinition, speech: Speech): Told | null {
  if (answered.kind === 'area') return toldInArea(answer, answered.values[answer.key] ?? null, speech);
  return toldAtPlace(answered.layer(answer.key)!, speech, answered.uncertaintyM);
}

interface Said extends Told {
  readonly speech: Speech;
}

/** What follows from a finding by its definition. Of what nobody knows nothing follows, but somebody may know. */
function meaningOf(answered: Answered, { reader }: AnswerDefinition, { sentence, isFound, speech }: Said): Finding {
  const key = reader?.next?.office;
  const { who, steps, contacts } = adviceFor(reader, key === undefined ? null : officeOf(answered, key, speech), {
    speech,
    isFound,
  });
  const next = steps.length === 0 ? null : [...steps, ...contacts].join(' ');
  const meaning = isFound ? reader?.meaning : undefined;
  if (!meaning) return { sentence, law: null, who, next };
  const { language } = speech;
  const law = { name: meaning.source[language], url: meaning.source.url };
  return { sentence: `${sentence} ${meaning[language]}`, law, who, next };
}

/** The office that decides here: by its name where the answer has it, otherwise by what such an office is called. Null: no layer of the service names it. */
function officeOf(answered: Answered, key: string, speech: Speech): Office | null {
  const found = answered.answers.find(({ answer }) => answer.key === key)?.answer;
  const words = found?.reader?.office;
  if (!words) return null;
  const name = nameOfOffice(answered, key, speech);
  return { name: name === CALLED ? words[speech.language] : name, none: words.none[speech.language] };
}

/** Its name is not known: what such an office is called stands for it. */
const CALLED = Symbol('called');

/** A parcel may lie in two municipalities. */
function nameOfOffice(answered: Answered, key: string, speech: Speech): string | typeof CALLED | null {
  if (answered.kind === 'place') {
    const { value, state } = answered.layer(key)!.given;
    if (state === 'absent') return null;
    return value === null ? CALLED : valueInWords(value, speech);
  }
  const value = answered.values[key] ?? null;
  if (value === null) return CALLED;
  const { parts = [], unknownShare } = value as unknown as Shares;
  if (parts.length > 0) return parts.map((part) => valueInWords(part.value, speech)).join(' / ');
  return unknownShare > 0 ? CALLED : null;
}
