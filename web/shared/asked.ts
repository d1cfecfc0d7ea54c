/**
 * What was asked and is not shown yet. Each such question has one `Idempotency-Key`, so that it is counted and billed once however often it is sent:
 * after a connection that broke, after Cancel, and after the page was loaded again. Kept in the tab alone, by names that tell neither the question nor
 * the key.
 */
import { isStored, tabStorage } from './session.ts';

const NAME = 'land-lookup-asked';
const MOST_ASKED = 20;

/** `Idempotency-Key` by name of the request, the oldest first. */
const open = new Map(JSON.parse(tabStorage.getItem(NAME) ?? '[]') as [string, string][]);

/** Names a request: the same for the same question of the same account. */
export function nameOfRequest({ key, path, body }: { key: string; path: string; body: string }) {
  // Two sums of 32 bits: more than enough to tell the requests of a tab apart.
  let [first, second] = [0x811c9dc5, 0x1b873593];
  for (const unit of `${key} ${path} ${body}`) {
    const code = unit.codePointAt(0) ?? 0;
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13);
  }
  return [first, second].map((sum) => (sum >>> 0).toString(36)).join('-');
}

/** Returns the `Idempotency-Key` of a request; it stays the same until the answer is shown. */
export function idempotencyKeyOf(name: string) {
  const key = open.get(name) ?? randomKey();
  open.delete(name);
  open.set(name, key);
  for (const oldest of [...open.keys()].slice(0, -MOST_ASKED)) open.delete(oldest);
  store();
  return key;
}

/** Says that the answer is shown: the same question is a new request from now on. */
export function forgetAsked(name: string) {
  open.delete(name);
  store();
}

export function forgetAllAsked() {
  open.clear();
  store();
}

function store() {
  if (open.size === 0) tabStorage.removeItem(NAME);
  else isStored(NAME, JSON.stringify([...open]));
}

/** A name that nobody else has. `crypto.randomUUID` exists on secure pages only. */
export function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
