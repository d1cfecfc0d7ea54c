/** Full answers as the texts that the service writes. Most layers have the same text then and now, and are never parsed. */
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keptAnswerOf, snapshotOf, type KeptAnswer } from './kept-answer.ts';

/** What of two answers is held against each other. `found`: how the place was found. `more`: what was asked for besides, as rules. */
const COMPARED = ['place', 'layers', 'found', 'evidence', 'more'] as const;

/** The parts of an answer, in their order, with `layers` and `evidence` without their braces. */
export type AnswerText = Readonly<Record<(typeof COMPARED)[number] | 'dates' | 'snapshot', string>>;

/** One of each of two answers. */
export type OfBoth<T> = Readonly<Record<'before' | 'now', T>>;

const LAYERS = ',"layers":{';
const DATES = '},"dataAsOf":{';
const EVIDENCE = ',"evidence":{';
const SNAPSHOT = '},"snapshot":';
/** An object, of which one member alone is an object too: `dataSets`, the last. */
const IS_SNAPSHOT = /^\{[^{}]*\{[^{}]*\}\}$/;
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
  if (!isOrdered || !text.startsWith('{') || !text.endsWith('}') || more >= text.length) return null;
  const parts = {
    place: text.slice(1, layers),
    layers: text.slice(layers + LAYERS.length, dates),
    dates: text.slice(dates + 1, found),
    found: text.slice(found, evidence),
    evidence: text.slice(evidence + EVIDENCE.length, snapshot),
    snapshot: text.slice(snapshot + SNAPSHOT.length, more),
    more: text.slice(more, -1),
  };
  return IS_SNAPSHOT.test(parts.snapshot) ? parts : null;
}

/**
 * Returns two answers with those of their layers that have another value or evidence. Null: nothing differs but dates and what they rest on. Undefined: they must be
 * read whole, because one of them is not as the service writes it.
 */
export function differingIn({ before, now }: OfBoth<AnswerText>): OfBoth<AnswerText> | null | undefined {
  if (COMPARED.every((name) => before[name] === now[name])) return null;
  const texts = [before.layers, before.evidence, now.layers, now.evidence].map(membersIn);
  const names = texts[0] && namesOf(texts[0]);
  const isAlike = (one: readonly string[] | null): boolean =>
    one?.length === names?.length && one!.every((member, i) => member.startsWith(`"${names![i]}":`));
  if (!names || !texts.every(isAlike)) return undefined;
  const [layers, evidence, layersNow, evidenceNow] = texts as [string[], string[], string[], string[]];
  const others = [...names.keys()].filter((i) => layers[i] !== layersNow[i] || evidence[i] !== evidenceNow[i]);
  const chosen = (all: readonly string[]): string => others.map((i) => all[i]).join();
  return {
    before: { ...before, layers: chosen(layers), evidence: chosen(evidence) },
    now: { ...now, layers: chosen(layersNow), evidence: chosen(evidenceNow) },
  };
}

/** The names of all layers of an answer; null: they are not as the service writes them. */
export function layerNamesIn({ layers }: AnswerText): readonly string[] | null {
  const members = membersIn(layers);
  return members && namesOf(members);
}

/** Null: one stands twice. */
function namesOf(members: readonly string[]): readonly string[] | null {
  const names = members.map((member) => member.slice(1, member.indexOf('"', 1)));
  return new Set(names).size === names.length ? names : null;
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

/** Many answers rest on the same: it is read once. */
const snapshots = new LRUCache<string, KeptAnswer['snapshot']>({ max: 8 });

/** Reads what an answer rests on. @param at where the answer stands, as a JSON pointer. @throws AppError BAD_REQUEST that names the place; SyntaxError where it is no JSON. */
export function snapshotIn({ snapshot, dates }: AnswerText, at: string): KeptAnswer['snapshot'] {
  // Nobody compares dates, but what has none is no answer.
  const text = `{"snapshot":${snapshot}${dates}}`;
  const known = snapshots.get(text);
  if (known) return known;
  const read = snapshotOf((JSON.parse(text) as Pick<KeptAnswer, 'snapshot'>).snapshot, at);
  snapshots.set(text, read);
  return read;
}

/** Stands for members that are read apart. No text has it by chance or on purpose, so that a second member of the same name, which would count, is seen. */
const MARK = randomInt(2 ** 47);

/** Reads an answer, without dates. @throws as `snapshotIn`; also SyntaxError for one that must be read whole. */
export function answerOf(answer: AnswerText, at: string): KeptAnswer {
  const { place, layers, found, evidence, more } = answer;
  const rest = JSON.parse(
    `{${place},"layers":${MARK}${found},"evidence":${MARK},"snapshot":${MARK}${more}}`,
  ) as Readonly<Record<string, unknown>>;
  if (['layers', 'evidence', 'snapshot'].some((name) => rest[name] !== MARK))
    throw new SyntaxError('a member stands twice');
  const snapshot = snapshotIn(answer, at);
  const read = JSON.parse(`{"layers":{${layers}},"evidence":{${evidence}}}`) as object;
  return keptAnswerOf({ ...rest, ...read, snapshot }, at, snapshot);
}

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
function membersIn(text: string): readonly string[] | null {
  const members = text.length > MOST_LETTERS ? null : (text.match(MEMBER) ?? []);
  return members?.join() === text ? members : null;
}
