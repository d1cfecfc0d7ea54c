/** Full answers as the texts that the service writes: most are the same then and now but for what they rest on, and are never parsed whole. */
import { keptAnswerOf, snapshotOf, type KeptAnswer } from './kept-answer.ts';

/** Parts of an answer. */
export interface AnswerText {
  /** All but dates and snapshot. */
  readonly said: string;
  /** The same without layers and evidence: where it is, how it was found, and what was asked for besides, as rules. */
  readonly question: string;
  /** The member of this name, with a comma before it. */
  readonly layers: string;
  /** Dates and snapshot. */
  readonly restsOn: string;
}

/** A member of an answer, of which one member alone is an object too: `dataSets`, the last. */
const IS_SNAPSHOT = /^,"snapshot":\{[^{}]*\{[^{}]*\}\}$/;

/**
 * Finds the parts of an answer. None of the names by which they are found can stand in a text without a backslash. Null: it is written otherwise. That it is JSON is
 * not known.
 */
export function answerTextIn(text: string): AnswerText | null {
  const layers = text.indexOf(',"layers":{');
  const dates = text.indexOf('},"dataAsOf":{', layers) + 1;
  const found = text.indexOf('}', dates) + 1;
  const evidence = text.indexOf(',"evidence":{', found);
  const snapshot = text.lastIndexOf('},"snapshot":{') + 1;
  const more = text.indexOf('}}', snapshot) + 2;
  const isOrdered = layers > 0 && layers < dates && dates < found && found <= evidence && evidence < snapshot;
  const snapshotText = text.slice(snapshot, more);
  const isObject = text.startsWith('{') && text.endsWith('}') && more < text.length;
  if (!isOrdered || !isObject || !IS_SNAPSHOT.test(snapshotText)) return null;
  return {
    said: text.slice(0, dates) + text.slice(found, snapshot) + text.slice(more),
    question: text.slice(0, layers) + text.slice(found, evidence) + text.slice(more),
    layers: text.slice(layers, dates),
    restsOn: `{${text.slice(dates + 1, found)}${snapshotText}}`,
  };
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

/** What the last answers rested on, which most others do too. */
let known: readonly (Pick<AnswerText, 'restsOn'> & Pick<KeptAnswer, 'snapshot'>)[] = [];
const MOST_KNOWN = 4;

/** @param at where the answer stands, as a JSON pointer. @throws AppError BAD_REQUEST that names the place; SyntaxError where it is no JSON. */
export function snapshotIn({ restsOn }: AnswerText, at: string): KeptAnswer['snapshot'] {
  const last = known.find((one) => one.restsOn === restsOn);
  if (last) return last.snapshot;
  const snapshot = snapshotOf((JSON.parse(restsOn) as Pick<KeptAnswer, 'snapshot'>).snapshot, at);
  known = [{ restsOn, snapshot }, ...known].slice(0, MOST_KNOWN);
  return snapshot;
}

/** Reads an answer, without dates. @throws as `snapshotIn`; also SyntaxError where it has two snapshots. */
export function answerOf(answer: AnswerText, at: string): KeptAnswer {
  const snapshot = snapshotIn(answer, at);
  const read = JSON.parse(answer.said) as object;
  if ('snapshot' in read) throw new SyntaxError('a member stands twice');
  return keptAnswerOf({ ...read, snapshot }, at, snapshot);
}

/** Reads what an answer is to, and the keys of its layers. @throws as `answerOf`. */
export function questionIn(answer: AnswerText, at: string): { readonly before: KeptAnswer; readonly keys: string[] } {
  const said = answer.question.replace('{', '{"layers":{},"evidence":{},');
  const { layers } = JSON.parse(`{${answer.layers.slice(1)}}`) as Pick<KeptAnswer, 'layers'>;
  return { before: answerOf({ ...answer, said }, at), keys: Object.keys(layers) };
}
