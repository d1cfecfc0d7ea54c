/** Full answers as the texts that the service writes. Most layers have the same text then and now, and are never parsed. */
import { keptAnswerOf, snapshotOf, type KeptAnswer } from './kept-answer.ts';

export type Side = 'before' | 'now';

/** A part of a line. */
interface Part {
  readonly line: Buffer;
  readonly from: number;
  readonly to: number;
}

/** What of two answers is held against each other. `found`: how the place was found. `more`: what was asked for besides, as rules. */
const COMPARED = ['place', 'layers', 'found', 'evidence', 'more'] as const;

/** The parts of an answer, in their order, with `layers` and `evidence` without their braces. */
export type AnswerText = Readonly<Record<(typeof COMPARED)[number] | 'dates' | 'snapshot', Part>>;

const LAYERS = Buffer.from(',"layers":{');
const DATES = Buffer.from('},"dataAsOf":{');
const EVIDENCE = Buffer.from(',"evidence":{');
const SNAPSHOT = Buffer.from('},"snapshot":{');
const CLOSED = Buffer.from('}');
/** Of a snapshot and the last of its members, `dataSets`. */
const SNAPSHOT_END = Buffer.from('}}');

/**
 * Finds the answer that is this part of a line, from brace to brace. None of the names by which it is found can stand in a text without a backslash. Null: it is
 * written otherwise. That it is JSON is not known.
 */
export function answerTextIn(line: Buffer, from: number, to: number): AnswerText | null {
  const layers = line.indexOf(LAYERS, from);
  const dates = line.indexOf(DATES, layers);
  const found = line.indexOf(CLOSED, dates + DATES.length) + CLOSED.length;
  const evidence = line.indexOf(EVIDENCE, found);
  const snapshot = line.lastIndexOf(SNAPSHOT, to);
  const more = line.indexOf(SNAPSHOT_END, snapshot) + SNAPSHOT_END.length;
  const isWhole = line.toString('latin1', from, from + 1) === '{' && line.toString('latin1', to - 1, to) === '}';
  const isOrdered = from < layers && layers < dates && dates < found && found <= evidence && evidence < snapshot;
  if (!isWhole || !isOrdered || more < snapshot || more >= to) return null;
  return {
    place: { line, from: from + 1, to: layers },
    layers: { line, from: layers + LAYERS.length, to: dates },
    dates: { line, from: dates + CLOSED.length, to: found },
    found: { line, from: found, to: evidence },
    evidence: { line, from: evidence + EVIDENCE.length, to: snapshot },
    snapshot: { line, from: snapshot + SNAPSHOT.length - 1, to: more },
    more: { line, from: more, to: to - 1 },
  };
}

/** Whether all that is not looked at member by member is apart from it: else the answer must be read whole. */
export function isReadable({ found, more }: AnswerText): boolean {
  return [found, more].every(isApart);
}

/** Those of the keys that may be among an answer's layers: others surely are not, where names are written as the service writes them. */
export function layersAmong({ layers }: AnswerText, keys: readonly string[]): readonly string[] {
  const text = stringOf(layers);
  return keys.filter((key) => text.includes(`"${key}":`));
}

/** The members `layers` and `evidence` of an answer, without their braces. */
export type Members = Readonly<Record<'layers' | 'evidence', string>>;

/**
 * Returns the layers of both answers that have another value or evidence. Null: nothing differs but dates and what they rest on. Undefined: they must be read
 * whole, because one of them is not as the service writes it.
 */
export function differingLayers(
  before: AnswerText,
  now: AnswerText,
): Readonly<Record<Side, Members>> | null | undefined {
  if (COMPARED.every((name) => isSame(before[name], now[name]))) return null;
  const texts = [before.layers, now.layers, before.evidence, now.evidence].map(membersIn);
  if (texts.includes(null)) return undefined;
  const [layers, layersNow, evidence, evidenceNow] = texts as [Texts, Texts, Texts, Texts];
  const names = layers.map(nameOf);
  const isAlike = texts.every(
    (one) => one?.length === names.length && names.every((name, i) => one[i]!.startsWith(name)),
  );
  const isEachOnce = new Set(names).size === names.length;
  if (!isEachOnce || !isAlike || !isReadable(before) || !isReadable(now)) return undefined;
  const others = [...layers.keys()].filter((i) => layers[i] !== layersNow[i] || evidence[i] !== evidenceNow[i]);
  const chosen = (all: Texts): string => others.map((i) => all[i]).join();
  return {
    before: { layers: chosen(layers), evidence: chosen(evidence) },
    now: { layers: chosen(layersNow), evidence: chosen(evidenceNow) },
  };
}

type Texts = readonly string[];

/** Reads answers in part. What they rest on is the same in most of them, and is parsed once. */
export class AnswerReader {
  readonly #at: string;
  #dates = '';
  #last: { readonly text: Buffer; readonly snapshot: KeptAnswer['snapshot'] } | null = null;

  /** @param at where the answers stand, as a JSON pointer. */
  constructor(at: string) {
    this.#at = at;
  }

  /** @throws AppError BAD_REQUEST that names the place; SyntaxError where it is no JSON. */
  snapshotOf({ snapshot: { line, from, to } }: AnswerText): KeptAnswer['snapshot'] {
    const text = line.subarray(from, to);
    if (!this.#last?.text.equals(text))
      this.#last = { snapshot: snapshotOf(JSON.parse(text.toString()), this.#at), text: Buffer.from(text) };
    return this.#last.snapshot;
  }

  /** Reads an answer with these of its layers, and without dates. @throws as `snapshotOf`. */
  read(answer: AnswerText, { layers, evidence }: Members = { layers: '', evidence: '' }): KeptAnswer {
    this.#checkDates(stringOf(answer.dates));
    const [place, found, more] = (['place', 'found', 'more'] as const).map((name) => stringOf(answer[name]));
    const text = `{${place},"layers":{${layers}}${found},"evidence":{${evidence}}${more}}`;
    const snapshot = this.snapshotOf(answer);
    return keptAnswerOf({ ...(JSON.parse(text) as object), snapshot }, this.#at, snapshot);
  }

  /** @throws SyntaxError where they are no JSON: nobody compares them, but then the answer is none. */
  #checkDates(dates: string): void {
    if (dates !== this.#dates) JSON.parse(`{${dates.slice(1)}}`);
    this.#dates = dates;
  }
}

function isSame(one: Part, other: Part): boolean {
  return one.line.compare(other.line, other.from, other.to, one.from, one.to) === 0;
}

/** Of names that stand twice in an object, the last one counts. */
const TAKEN: ReadonlySet<string> = new Set(['"layers"', '"dataAsOf"', '"evidence"', '"snapshot"']);

/** Whether a part has none of the members that are looked at elsewhere, and a comma before each of its own. */
function isApart(part: Part): boolean {
  if (part.from === part.to) return true;
  const members = membersIn({ ...part, from: part.from + 1 });
  return part.line[part.from] === COMMA && members !== null && !members.some((one) => TAKEN.has(nameOf(one)));
}

function stringOf({ line, from, to }: Part): string {
  return line.toString('utf8', from, to);
}

const COMMA = 0x2c;

/** A longer part is read whole: what finds members keeps a place for each of its letters. */
const MOST_LETTERS = 64 * 1024;

/** Objects within each other. */
const LEVELS = 5;

/** A member of an object, which has a name without spaces and without a letter that is written as an escape. */
const MEMBER = (() => {
  const text = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
  const list = String.raw`\[[^"{}[\]]*(?:${text}[^"{}[\]]*)*\]`;
  let object = 'x^';
  for (let level = 0; level < LEVELS; level++) object = String.raw`\{[^"{}]*(?:(?:${text}|${object})[^"{}]*)*\}`;
  return new RegExp(String.raw`"\w+":(?:${object}|${list}|${text}|[^"{}[\],]+)`, 'g');
})();

/** The members of an object. Null: it has one that is written otherwise. */
function membersIn(part: Part): Texts | null {
  const text = stringOf(part);
  const members = text.length > MOST_LETTERS ? null : (text.match(MEMBER) ?? []);
  return members?.join() === text ? members : null;
}

function nameOf(member: string): string {
  return member.slice(0, member.indexOf(':'));
}
