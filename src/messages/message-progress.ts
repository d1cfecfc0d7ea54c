/**
 * How far a thread is with a message of lookups: the number of the lookup that it is at, from 1, and its own id. In shared memory, because a thread that
 * hangs says nothing any more.
 */
export type MessageProgress = Int32Array<SharedArrayBuffer>;

export function newProgress(): MessageProgress {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Says that a thread begins a lookup; 0: none. */
export function noteLookup(progress: MessageProgress, number: number, threadId: number): void {
  Atomics.store(progress, 1, threadId);
  Atomics.store(progress, 0, number);
}

export function lookupOf(progress: MessageProgress): { readonly number: number; readonly threadId: number } {
  return { number: Atomics.load(progress, 0), threadId: Atomics.load(progress, 1) };
}
