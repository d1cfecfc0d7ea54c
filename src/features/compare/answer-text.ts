/** Full answers as the texts that the service writes: most are the same then and now but for what they rest on, and are never parsed whole. */
import { AppError } from '../../messages/problems.ts';
import { keptAnswerOf, snapshotOf, type KeptAnswer } from './kept-answer.ts';

/** The parts of an answer in their order: what is before its dates, the dates, what is up to its snapshot, that, and what is behind it, as rules. */
export type AnswerText = Readonly<Record<'head' | 'dates' | 'middle' | 'snapshot' | 'end', string>>;

const LAYERS = ',"layers":{';
const EVIDENCE = ',"evidence":{';

/** A member of an answer, of which one member alone is an object too: `dataSets`, the last. */
const IS_SNAPSHOT = /^,"snapshot":\{[^{}]*\{[^{}]*\}\}$/;

/**
 * Finds the parts of an answer. None of the names by which they are found can stand in a text without a backslash. Null: it is written otherwise. That it is JSON is
 * not known.
 */
export function answerTextIn(text: string): AnswerText | null {
  const layers = text.indexOf(LAYERS);
  const dates = text.indexOf('},"dataAsOf":{', layers) + 1;
  const middle = text.indexOf('}', dates) + 1;
  const evidence = text.indexOf(EVIDENCE, middle);
  const snapshot = text.lastIndexOf('},"snapshot":{') + 1;
  const end = text.indexOf('}}', snapshot) + 2;
  const isOrdered = layers > 0 && layers < dates && dates < middle && middle <= evidence && evidence < snapshot;
  const isObject = text.startsWith('{') && text.endsWith('}') && end < text.length;
  const snapshotText = text.slice(snapshot, end);
  if (!isOrdered || !isObject || !IS_SNAPSHOT.test(snapshotText)) return null;
  return {
    head: text.slice(0, dates),
    dates: text.slice(dates, middle),
    middle: text.slice(middle, snapshot),
    snapshot: snapshotText,
    end: text.slice(end),
  };
}

/** Whether two answers say the same, whatever they rest on. */
export function isSameText(one: AnswerText, other: AnswerText): boolean {
  return one.head === other.head && one.middle === other.middle && one.end === other.end;
}

/** Gives undefined for what is no JSON, or is refused. In another order of members a part may lack what the whole has, so the whole is read then. */
export function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof AppError) return undefined;
    throw cause;
  }
}

/** What the last answers rested on, which most others do too. */
let known: readonly (Pick<AnswerText, 'dates' | 'snapshot'> & { readonly read: KeptAnswer['snapshot'] })[] = [];
const MOST_KNOWN = 4;

/** @param at where the answer stands, as a JSON pointer. @throws AppError BAD_REQUEST that names the place; SyntaxError where it is no JSON. */
export function snapshotIn({ dates, snapshot }: AnswerText, at: string): KeptAnswer['snapshot'] {
  const last = known.find((one) => one.dates === dates && one.snapshot === snapshot);
  if (last) return last.read;
  const restsOn = JSON.parse(`{${dates.slice(1)}${snapshot}}`) as Pick<KeptAnswer, 'snapshot'>;
  const read = snapshotOf(restsOn.snapshot, at);
  known = [{ dates, snapshot, read }, ...known].slice(0, MOST_KNOWN);
  return read;
}

/** Reads an answer, without dates. @throws as `snapshotIn`; also SyntaxError where it has two snapshots. */
export function answerOf(answer: AnswerText, at: string): KeptAnswer {
  const { head, middle, end } = answer;
  const snapshot = snapshotIn(answer, at);
  const read = JSON.parse(head + middle + end) as object;
  if ('snapshot' in read) throw new SyntaxError('a member stands twice');
  return keptAnswerOf({ ...read, snapshot }, at, snapshot);
}

/** Reads an answer without its layers and its evidence. @throws as `answerOf`. */
export function questionIn({ head, middle, ...rest }: AnswerText, at: string): KeptAnswer {
  const [layers, evidence] = [head.indexOf(LAYERS), middle.indexOf(EVIDENCE)];
  const without = { head: `${head.slice(0, layers)}${LAYERS}}`, middle: `${middle.slice(0, evidence)}${EVIDENCE}}` };
  return answerOf({ ...rest, ...without }, at);
}

/** Keys of the layers of an answer. @throws SyntaxError where it is no JSON. */
export function keysIn({ head }: AnswerText): string[] {
  const { layers } = JSON.parse(`{${head.slice(head.indexOf(LAYERS) + 1)}}`) as Pick<KeptAnswer, 'layers'>;
  return Object.keys(layers);
}
