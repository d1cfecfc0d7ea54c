/** Full answers as the texts that the service writes. Most layers have the same text then and now, and are never parsed. */
import { randomInt } from 'node:crypto';
import { keptAnswerOf, snapshotOf, type KeptAnswer } from './kept-answer.ts';

export type Side = 'before' | 'now';

/** What of two answers is held against each other. `found`: how the place was found. `more`: what was asked for besides, as rules. */
const COMPARED = ['place', 'layers', 'found', 'evidence', 'more'] as const;

/** The parts of an answer, in their order, with `layers` and `evidence` without their braces. */
export type AnswerText = Readonly<Record<(typeof COMPARED)[number] | 'dates' | 'snapshot', string>>;

const LAYERS = ',"layers":{';
const DATES = '},"dataAsOf":{';
const EVIDENCE = ',"evidence":{';
const SNAPSHOT = '},"snapshot":{';
/** Of a snapshot and the last of its members, `dataSets`. */
const SNAPSHOT_END = '}}';

/**
 * Finds the parts of an answer. None of the names by which they are found can stand in a text without a backslash. Null: it is written otherwise. That it is JSON is
 * not known.
 */
export function answerTextIn(text: string): AnswerText | null {
  const layers = text.indexOf(LAYERS);
  const dates = text.indexOf(DATES, layers);
  const found = text.indexOf('}', dates + DATES.length) + 1;
  const evidence = text.indexOf(EVIDENCE, found);
  const snapshot = text.lastIndexOf(SNAPSHOT);
  const more = text.indexOf(SNAPSHOT_END, snapshot) + SNAPSHOT_END.length;
  const isOrdered = layers > 0 && layers < dates && dates < found && found <= evidence && evidence < snapshot;
  if (!isOrdered || !text.startsWith('{') || !text.endsWith('}') || more < snapshot || more >= text.length) return null;
  return {
    place: text.slice(1, layers),
    layers: text.slice(layers + LAYERS.length, dates),
    dates: text.slice(dates + 1, found),
    found: text.slice(found, evidence),
    evidence: text.slice(evidence + EVIDENCE.length, snapshot),
    snapshot: text.slice(snapshot + SNAPSHOT.length - 1, more),
    more: text.slice(more, -1),
  };
}

/** The members `layers` and `evidence` of an answer, without their braces. */
type Members = Readonly<Record<'layers' | 'evidence', string>>;

/**
 * Reads of two answers those layers that have another value or evidence. Null: nothing differs but dates and what they rest on. Undefined: they must be read whole,
 * because one of them is not as the service writes it.
 * @param read reads one of them with some of its layers, as `AnswerReader.read`.
 */
export function readDiffering(
  before: AnswerText,
  now: AnswerText,
  read: (side: Side, text: AnswerText, members: Members) => KeptAnswer,
): readonly [before: KeptAnswer, now: KeptAnswer] | null | undefined {
  if (COMPARED.every((name) => before[name] === now[name])) return null;
  const texts = [before.layers, now.layers, before.evidence, now.evidence].map(membersIn);
  if (texts.includes(null)) return undefined;
  const [layers, layersNow, evidence, evidenceNow] = texts as [Texts, Texts, Texts, Texts];
  const names = layers.map((member) => member.slice(0, member.indexOf(':') + 1));
  const isAlike = texts.every(
    (one) => one?.length === names.length && names.every((name, i) => one[i]!.startsWith(name)),
  );
  if (!isAlike || new Set(names).size !== names.length) return undefined;
  const others = [...layers.keys()].filter((i) => layers[i] !== layersNow[i] || evidence[i] !== evidenceNow[i]);
  const chosen = (all: Texts): string => others.map((i) => all[i]).join();
  return unlessNoJson(() => [
    read('before', before, { layers: chosen(layers), evidence: chosen(evidence) }),
    read('now', now, { layers: chosen(layersNow), evidence: chosen(evidenceNow) }),
  ]);
}

/** Gives undefined for what is no JSON. */
export function unlessNoJson<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** Stands for members that are read apart. No text has it by chance or on purpose, so that a second member of the same name, which would count, is seen. */
const MARK = randomInt(2 ** 47);

/** Reads answers in part. What they rest on is the same in most of them, and is parsed once. */
export class AnswerReader {
  readonly #at: string;
  #dates = '';
  #last: { readonly text: string; readonly snapshot: KeptAnswer['snapshot'] } | null = null;

  /** @param at where the answers stand, as a JSON pointer. */
  constructor(at: string) {
    this.#at = at;
  }

  /** @throws AppError BAD_REQUEST that names the place; SyntaxError where it is no JSON. */
  snapshotOf({ snapshot: text }: Pick<AnswerText, 'snapshot'>): KeptAnswer['snapshot'] {
    if (this.#last?.text !== text) this.#last = { text, snapshot: snapshotOf(JSON.parse(text), this.#at) };
    return this.#last.snapshot;
  }

  /** Reads an answer with these of its layers, and without dates. @throws as `snapshotOf`; also SyntaxError for one that must be read whole. */
  read(answer: AnswerText, { layers, evidence }: Members = { layers: '', evidence: '' }): KeptAnswer {
    const { dates, place, found, more } = answer;
    // Nobody compares dates, but what has none is no answer.
    if (dates !== this.#dates) JSON.parse(`{${dates.slice(1)}}`);
    this.#dates = dates;
    const rest = JSON.parse(
      `{${place},"layers":${MARK}${found},"evidence":${MARK},"snapshot":${MARK}${more}}`,
    ) as Readonly<Record<string, unknown>>;
    if (rest['layers'] !== MARK || rest['evidence'] !== MARK || rest['snapshot'] !== MARK)
      throw new SyntaxError('a member stands twice');
    const snapshot = this.snapshotOf(answer);
    const read = JSON.parse(`{"layers":{${layers}},"evidence":{${evidence}}}`) as Pick<KeptAnswer, keyof Members>;
    return keptAnswerOf({ ...rest, ...read, snapshot }, this.#at, snapshot);
  }
}

type Texts = readonly string[];

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
function membersIn(text: string): Texts | null {
  const members = text.length > MOST_LETTERS ? null : (text.match(MEMBER) ?? []);
  return members?.join() === text ? members : null;
}
