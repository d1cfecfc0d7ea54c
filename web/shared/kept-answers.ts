/**
 * The last answers, each at an entry of the tab's history, so that going back, coming back and loading again show them without another lookup. They are
 * kept in the tab alone, and never with a key.
 */
import { isStored, tabStorage } from './session.ts';
import type { Question } from './question.ts';
import type { AnswerBody } from './api.ts';
import type { LayersBody } from '../../src/messages/wire/layers.ts';

/**
 * The body is that of the question's kind; `givenAt`: milliseconds since 1970; `catalogue`: of the snapshot that answered. `isShared`: it stood in a
 * link, or, `isOpened`, in a file; `asked`: name of the lookup that it cost; `lookupId`: its id, as the service counts it.
 */
export type GivenAnswer = {
  question: Question;
  body: AnswerBody;
  givenAt: number;
  catalogue: LayersBody;
  isShared?: boolean;
  isOpened?: boolean;
  asked?: string | null;
  lookupId?: string | null;
};

const MOST_ANSWERS = 20;

const ANSWER = 'land-lookup-answer-';
const CATALOGUE = 'land-lookup-layers-';

/** Makes an entry of the history for an answer. The entry of a link to the same place gets it instead: going back would only come here again. */
export function enterAnswer(answer: GivenAnswer, url: string) {
  enter(keep(answer), url);
}

/** Finds the newest answer that a lookup had, and enters it as `enterAnswer` does. False: there is none, or it is not of the snapshot. */
export function enterAgain(
  { asked, question }: { asked: string; question: Question },
  { snapshotId, urlOf }: { snapshotId: string | null; urlOf: (answer: Omit<GivenAnswer, 'catalogue'>) => string },
) {
  const id = keptId({ asked, question });
  if (id === null || snapshotOf(id) !== snapshotId) return false;
  if (id !== idHere())
    enter(id, urlOf(JSON.parse(tabStorage.getItem(ANSWER + id) ?? '') as Omit<GivenAnswer, 'catalogue'>));
  return true;
}

/** Returns the id of the newest answer that a lookup had; null when none is kept. */
export function keptId({ asked, question }: { asked: string; question: Question }) {
  for (const name of namesOf(ANSWER).reverse()) {
    const kept = JSON.parse(tabStorage.getItem(name) ?? '') as GivenAnswer;
    const isIt = kept.asked === asked && JSON.stringify(kept.question) === JSON.stringify(question);
    if (isIt) return name.slice(ANSWER.length);
  }
  return null;
}

function enter(id: string, url: string) {
  const isHere = idHere() === null && new URL(url, location.href).href === location.href;
  history[isHere ? 'replaceState' : 'pushState']({ answer: id }, '', url);
}

/** Returns the answer of the present entry: null when the entry has none, 'lost' when it is not kept any more. */
export function answerHere(): GivenAnswer | 'lost' | null {
  const id = idHere();
  if (id === null) return null;
  const answer = tabStorage.getItem(ANSWER + id);
  const catalogue = tabStorage.getItem(CATALOGUE + snapshotOf(id));
  if (answer === null || catalogue === null) return 'lost';
  return { ...(JSON.parse(answer) as GivenAnswer), catalogue: JSON.parse(catalogue) as LayersBody };
}

export const idHere = (): string | null => (history.state as { answer?: string } | null)?.answer ?? null;

export function forgetAnswers() {
  for (const name of [...namesOf(ANSWER), ...namesOf(CATALOGUE)]) tabStorage.removeItem(name);
}

/** Keeps an answer, and its catalogue once for all answers of a snapshot; returns its id. */
function keep({ catalogue, ...answer }: GivenAnswer) {
  const snapshotId = catalogue.snapshot.id;
  // Not `givenAt`: examples were given long before, and some at the same time.
  const id = `${Date.now()}@${snapshotId}`;
  const [answerText, catalogueText] = [JSON.stringify(answer), JSON.stringify(catalogue)];
  const oldest = namesOf(ANSWER);
  for (const name of oldest.splice(0, oldest.length + 1 - MOST_ANSWERS)) tabStorage.removeItem(name);
  // A browser gives a tab some megabytes: the oldest answers make room.
  while (!isStored(ANSWER + id, answerText) || !isStored(CATALOGUE + snapshotId, catalogueText)) {
    const name = oldest.shift();
    if (name === undefined) break;
    tabStorage.removeItem(name);
  }
  const snapshots = new Set(namesOf(ANSWER).map(snapshotOf));
  for (const name of namesOf(CATALOGUE)) {
    if (!snapshots.has(name.slice(CATALOGUE.length))) tabStorage.removeItem(name);
  }
  return id;
}

/** `id`: also with something before it. */
const snapshotOf = (id: string) => id.slice(id.indexOf('@') + 1);

/** Names of what is stored, the oldest answers first. */
const namesOf = (prefix: string) =>
  Array.from({ length: tabStorage.length }, (_, i) => tabStorage.key(i) ?? '')
    .filter((name) => name.startsWith(prefix))
    .sort();
