/** Threads that hang in a lookup: how they are found, and what becomes of the lookup. */
import { lookupOf, type MessageProgress, newProgress, noteLookup } from '../../messages/lookup.ts';
import { AppError } from '../../messages/problems.ts';
import { Loop } from '../loop/loop.ts';

/** A lookup kept its thread for so long that the thread was replaced. Asked for again, it would keep the next one too. */
export class HungThread extends AppError {
  /** Place of the lookup in its message. */
  readonly index: number;

  constructor(index: number) {
    super('UNANSWERABLE', 'the lookup hung in its thread');
    this.index = index;
  }
}

/** Deadlines that one lookup may keep its thread. */
const MOST_DEADLINES = 10;

/** With a shorter deadline the looks are no closer: a busy machine may keep a thread from the processor for some time. */
const LEAST_LOOK_MS = 500;

/**
 * Finds threads that hang in one lookup (docs/decisions/0205). It looks once in a deadline, and counts looks and not time: while the process stands still,
 * no look takes place.
 */
export class ThreadWatch implements Disposable {
  readonly #onHung: (threadId: number) => void;
  /** That wait for a thread or are in one. */
  readonly #messages = new Set<{
    readonly progress: MessageProgress;
    /** The lookup that the thread was at, from 1; 0: it had not begun. */
    number: number;
    /** How often in a row that was the same. */
    looks: number;
  }>();
  /** Of messages that were answered: no thread writes there. */
  readonly #spare: MessageProgress[] = [];
  readonly #looking: Loop;

  /** @param onHung has a thread replaced: its messages must fail. */
  constructor(deadlineMs: number, onHung: (threadId: number) => void) {
    this.#onHung = onHung;
    const everyMs = Math.max(deadlineMs, LEAST_LOOK_MS);
    const turn = (): void => {
      this.#look();
    };
    this.#looking = new Loop({ everyMs, firstMs: everyMs, turn });
  }

  /** Sends a message and watches it until it is answered. @throws what `send` throws; HungThread in its place when the message has the lookup that hung. */
  async during<Answer>(send: (progress: MessageProgress) => Promise<Answer>): Promise<Answer> {
    const message = { progress: this.#spare.pop() ?? newProgress(), number: 0, looks: 0 };
    this.#messages.add(message);
    try {
      const answer = await send(message.progress);
      noteLookup(message.progress, 0, 0);
      this.#spare.push(message.progress);
      return answer;
    } catch (cause) {
      throw message.looks >= MOST_DEADLINES ? new HungThread(message.number - 1) : cause;
    } finally {
      this.#messages.delete(message);
    }
  }

  [Symbol.dispose](): void {
    this.#looking.stop();
  }

  #look(): void {
    for (const message of this.#messages) {
      const { number, threadId } = lookupOf(message.progress);
      if (number !== message.number) Object.assign(message, { number, looks: 0 });
      else if (number > 0 && ++message.looks >= MOST_DEADLINES) this.#onHung(threadId);
    }
  }
}
