/** Whom to ask about what was found, or about a hazard of which nobody knows, and what to do. */
import type { ReaderDefinition } from '../../catalogue/reader.ts';
import { fill } from './fill.ts';
import type { Speech } from './speech.ts';

/** An office at a place: by its name where an answer has it, otherwise by what such an office is called. */
export interface Office {
  /** Null: there is none here. */
  readonly name: string | null;
  /** What to do then. */
  readonly none: string;
}

export interface Advice {
  /** Who decides, or would know. */
  readonly who: string | null;
  readonly steps: readonly string[];
  /** Where whoever would know is reached: a link, a telephone number. */
  readonly contacts: readonly string[];
}

/** @param office that the next step names. Null: it names none, or no layer of the service names it, so that nobody can be told where it is. */
export function adviceFor(
  reader: ReaderDefinition | null | undefined,
  office: Office | null,
  { speech, isFound }: { readonly speech: Speech; readonly isFound: boolean },
): Advice {
  const { words, language } = speech;
  const knows = reader?.knows;
  const contacts = [knows?.url, knows?.telephone].filter((contact) => contact !== undefined);
  const knowing = knows?.[language] ?? null;
  const more = knowing && fill(words.askMore, { office: knowing });
  const { name = null, none = null } = office ?? {};
  if (isFound) return { who: name, steps: told(stepAt(reader?.next, office, language), more), contacts };
  const who = knowing ?? name;
  return { who, steps: told(who === null ? none : fill(words.ask, { office: who })), contacts };
}

const told = (...steps: readonly (string | null)[]): readonly string[] => steps.filter((step) => step !== null);

function stepAt(next: ReaderDefinition['next'], office: Office | null, language: Speech['language']): string | null {
  if (next?.office === undefined) return next?.[language] ?? null;
  if (office === null) return null;
  return office.name === null ? office.none : fill(next[language], { office: office.name });
}
