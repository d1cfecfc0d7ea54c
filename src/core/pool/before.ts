/** Somebody who waits for a promise until a moment. */
interface Waiting {
  readonly endMs: number;
  readonly end: () => void;
}

const waiting = new Set<Waiting>();

/** One for all that wait: nearly everything ends long before its moment, and a timer of its own would cost it microseconds. */
let timer: NodeJS.Timeout | null = null;
let timerEndMs = Infinity;

/** Returns the promise's result, or throws `late()` after `ms` milliseconds. The work behind the promise continues. */
export function before<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const one: Waiting = {
      endMs: performance.now() + ms,
      end: () => {
        reject(late());
      },
    };
    waiting.add(one);
    if (one.endMs < timerEndMs) wakeAt(one.endMs);
    else if (waiting.size === 1) timer?.ref();
    promise.then(
      (value) => {
        remove(one);
        resolve(value);
      },
      (cause: unknown) => {
        remove(one);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is what the promise failed with
        reject(cause);
      },
    );
  });
}

/** The timer stays for the next one, and keeps no process alive that waits for nothing. */
function remove(one: Waiting): void {
  waiting.delete(one);
  if (waiting.size === 0) timer?.unref();
}

function wakeAt(endMs: number): void {
  if (timer) clearTimeout(timer);
  timerEndMs = endMs;
  timer = setTimeout(endLate, Math.max(0, endMs - performance.now()));
}

function endLate(): void {
  timer = null;
  timerEndMs = Infinity;
  // A timer may be early by the rest of a millisecond.
  const lateMs = performance.now() + 1;
  let nextMs = Infinity;
  for (const one of waiting) {
    if (one.endMs > lateMs) nextMs = Math.min(nextMs, one.endMs);
    else {
      waiting.delete(one);
      one.end();
    }
  }
  if (nextMs < Infinity) wakeAt(nextMs);
}
