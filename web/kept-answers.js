/**
 * The last answers, each at an entry of the tab's history, so that going back, coming back and loading again show them without another lookup. They are kept
 * in the tab alone, and never with a key.
 */
import { isStored } from './session.js';

/**
 * @typedef {import('./question.js').Question} Question
 * @typedef {import('./lookup-view.js').Catalogue} Catalogue
 * @typedef {{ question: Question, body: any, givenAt: number, catalogue: Catalogue, isShared?: boolean }} GivenAnswer the body is that of the question's kind; givenAt: milliseconds
 *   since 1970; catalogue: of the snapshot that
 *   answered. isShared: it stood in a link
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
  const isHere = idHere() === null && new URL(url, location.href).href === location.href;
  history[isHere ? 'replaceState' : 'pushState']({ answer: keep(answer) }, '', url);
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
