/**
 * The last answers, each at an entry of the tab's history, so that going back, coming back and loading again show them without another lookup. They are kept
 * in the tab alone, and never with a key.
 */
import { isStored } from './session.js';

/**
 * @typedef {import('./question.js').Question} Question
 * @typedef {import('../answers/lookup-view.js').Catalogue} Catalogue
 * @typedef {{ question: Question, body: any, givenAt: number, catalogue: Catalogue, isShared?: boolean, asked?: string | null }} GivenAnswer the body is that of the question's kind; givenAt: milliseconds
 *   since 1970; catalogue: of the snapshot that
 *   answered. isShared: it stood in a link; asked: name of the lookup that it cost
 */

const MOST_ANSWERS = 20;

const ANSWER = 'land-lookup-answer-';
const CATALOGUE = 'land-lookup-layers-';

/**
 * Makes an entry of the history for an answer. The entry of a link to the same place gets it instead: going back would only come here again.
 * @param {GivenAnswer} answer
 * @param {string} url
 */
export function enterAnswer(answer, url) {
  enter(keep(answer), url);
}

/**
 * Finds the newest answer that a lookup had, and enters it as `enterAnswer` does. False: there is none, or it is not of the snapshot.
 * @param {{ asked: string, question: Question }} lookup
 * @param {{ snapshotId: string | null, urlOf: (answer: Omit<GivenAnswer, 'catalogue'>) => string }} options
 */
export function enterAgain({ asked, question }, { snapshotId, urlOf }) {
  const id = keptId({ asked, question });
  if (id === null || snapshotOf(id) !== snapshotId) return false;
  if (id !== idHere()) enter(id, urlOf(JSON.parse(sessionStorage.getItem(ANSWER + id) ?? '')));
  return true;
}

/**
 * Returns the id of the newest answer that a lookup had; null when none is kept.
 * @param {{ asked: string, question: Question }} lookup
 */
export function keptId({ asked, question }) {
  for (const name of namesOf(ANSWER).reverse()) {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? '');
    const isIt = kept.asked === asked && JSON.stringify(kept.question) === JSON.stringify(question);
    if (isIt) return name.slice(ANSWER.length);
  }
  return null;
}

/**
 * @param {string} id
 * @param {string} url
 */
function enter(id, url) {
  const isHere = idHere() === null && new URL(url, location.href).href === location.href;
  history[isHere ? 'replaceState' : 'pushState']({ answer: id }, '', url);
}

/**
 * Returns the answer of the present entry: null when the entry has none, 'lost' when it is not kept any more.
 * @returns {GivenAnswer | 'lost' | null}
 */
export function answerHere() {
  const id = idHere();
  if (id === null) return null;
  const answer = sessionStorage.getItem(ANSWER + id);
  const catalogue = sessionStorage.getItem(CATALOGUE + snapshotOf(id));
  if (answer === null || catalogue === null) return 'lost';
  return { ...JSON.parse(answer), catalogue: JSON.parse(catalogue) };
}

/** @returns {string | null} */
export const idHere = () => history.state?.answer ?? null;

export function forgetAnswers() {
  for (const name of [...namesOf(ANSWER), ...namesOf(CATALOGUE)]) sessionStorage.removeItem(name);
}

/**
 * Keeps an answer, and its catalogue once for all answers of a snapshot; returns its id.
 * @param {GivenAnswer} given
 */
function keep({ catalogue, ...answer }) {
  const snapshotId = catalogue.snapshot.id;
  // Not `givenAt`: examples were given long before, and some at the same time.
  const id = `${Date.now()}@${snapshotId}`;
  const [answerText, catalogueText] = [JSON.stringify(answer), JSON.stringify(catalogue)];
  const oldest = namesOf(ANSWER);
  for (const name of oldest.splice(0, oldest.length + 1 - MOST_ANSWERS)) sessionStorage.removeItem(name);
  // A browser gives a tab some megabytes: the oldest answers make room.
  while (!isStored(ANSWER + id, answerText) || !isStored(CATALOGUE + snapshotId, catalogueText)) {
    const name = oldest.shift();
    if (name === undefined) break;
    sessionStorage.removeItem(name);
  }
  const snapshots = new Set(namesOf(ANSWER).map(snapshotOf));
  for (const name of namesOf(CATALOGUE)) {
    if (!snapshots.has(name.slice(CATALOGUE.length))) sessionStorage.removeItem(name);
  }
  return id;
}

/** @param {string} id also with something before it */
const snapshotOf = (id) => id.slice(id.indexOf('@') + 1);

/**
 * Names of what is stored, the oldest answers first.
 * @param {string} prefix
 */
const namesOf = (prefix) =>
  Object.keys(sessionStorage)
    .filter((name) => name.startsWith(prefix))
    .sort();
