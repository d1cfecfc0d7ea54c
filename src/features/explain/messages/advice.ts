/** Whom to ask about what was found, or about a hazard of which nobody knows, and what to do. */
import type { ReaderDefinition } from '../../../catalogue/reader.ts';
import { fill } from './fill.ts';
import type { Speech } from './speech.ts';

/** An office at a place: by its name where an answer has it, otherwise by what such an office is called. */
export interface Office {
  /** Null: there is none here. */
  readonly name: string | null;
  /** What to do then. */
  readonly none: string;
}

interface Advice {
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
  const knows = reader?.knows;
  const contacts = told(knows?.url, knows?.telephone);
  const knowing = knows?.[speech.language];
  return { ...(isFound ? ofFound : ofUnknown)({ reader, office, knowing }, speech), contacts };
}

interface Asked {
  readonly reader: ReaderDefinition | null | undefined;
  readonly office: Office | null;
  readonly knowing: string | undefined;
}

function ofFound({ reader, office, knowing }: Asked, { words, language }: Speech): Omit<Advice, 'contacts'> {
  const more = knowing && fill(words.askMore, { office: knowing });
  return { who: office?.name ?? null, steps: told(stepAt(reader?.next, office, language), more) };
}

function ofUnknown({ office, knowing }: Asked, { words }: Speech): Omit<Advice, 'contacts'> {
  const who = knowing ?? office?.name ?? null;
  return { who, steps: told(who === null ? office?.none : fill(words.ask, { office: who })) };
}

const told = (...texts: readonly (string | null | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== null && text !== undefined);

function stepAt(next: ReaderDefinition['next'], office: Office | null, language: Speech['language']): string | null {
  if (next?.office === undefined) return next?.[language] ?? null;
  if (office === null) return null;
  return office.name === null ? office.none : fill(next[language], { office: office.name });
}

/** Returns the link of a finding that may be wrong; it says nothing about a person, a place or a key. @param url an https URL, or a mailto: address. */
export function feedbackLink(
  url: string,
  {
    lookup,
    ...rest
  }: {
    /** Id of the lookup; null where it is not known. */
    readonly lookup: string | null;
    /** Key of the layer. */
    readonly layer: string;
    /** Id of the snapshot. */
    readonly vintage: string;
  },
): string {
  const facts = Object.entries({ ...(lookup === null ? {} : { lookup }), ...rest });
  const written = (pairs: readonly (readonly [string, string])[]): string =>
    pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const body = facts.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  const isMail = url.startsWith('mailto:');
  const said = written(
    isMail
      ? [
          ['subject', `land-lookup: ${rest.layer}`],
          ['body', body],
        ]
      : facts,
  );
  const [whole, fragment] = url.split(/(?=#)/, 2) as [string, string?];
  return `${whole}${whole.includes('?') ? '&' : '?'}${said}${fragment ?? ''}`;
}
