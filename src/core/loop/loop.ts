import { setImmediate as nextTurn } from 'node:timers/promises';
import { MINUTE_MS } from '../../messages/time.ts';

export interface LoopOptions {
  /** Pause between two turns, unless a turn asks for another one. */
  readonly everyMs: number;
  /** Pause before the first turn; none unless given. */
  readonly firstMs?: number;
  /**
   * Does some of the work, until `stop` at the latest. It may return the pause before the next turn: 0 when it knows of more work.
   */
  readonly turn: Turn;
  /** Is told of a turn that failed, at most once a minute. Absent for work that cannot fail: a failure is then a bug, and ends the process. */
  readonly onFailure?: (cause: unknown) => void;
  /** Pauses after failed turns in a row; `everyMs` unless given. */
  readonly backoff?: Backoff;
  /** False after the wall clock jumped: for work that would delete or end something too early. No turn begins then. */
  readonly isClockTrusted?: () => boolean;
}

export type Turn = (stop: AbortSignal) => Pause | Promise<Pause>;

// oxlint-disable-next-line typescript/no-invalid-void-type -- most turns return nothing
type Pause = number | void;

/**
 * Does work in the background, one turn after another, until it is stopped: the only way to repeat work in `src/`. Two turns never overlap, each begins
 * in a turn of the event loop of its own, and no pause keeps the process alive. Libraries that retry or schedule have no pause that can be woken.
 */
export class Loop implements AsyncDisposable {
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #tellFailure: ((cause: unknown) => void) | null;
  readonly #running: Promise<void>;
  #failures = 0;
  /** The next pause is left out. */
  #isWoken = false;
  /** Ends the pause under way. */
  #endPause: () => void = () => undefined;

  /** Begins at once. */
  constructor(options: LoopOptions) {
    this.#options = options;
    this.#tellFailure = options.onFailure ? oncePerMinute(options.onFailure) : null;
    this.#running = this.#run(options.firstMs ?? 0);
  }

  /** Ends the pause, or leaves the next one out: there is work. A pause after a failure goes on: what wakes a loop comes from outside. */
  wake(): void {
    this.#isWoken = true;
    if (this.#failures === 0) this.#endPause();
  }

  /** No turn begins any more. One that is under way gets the signal. */
  stop(): void {
    this.#stop.abort();
    this.#endPause();
  }

  /** Stops, waits for the turn under way, and does a last one: for work that stores what has gathered. */
  async finish(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await this.#turn();
  }

  /** Stops, and waits for the turn under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#running;
  }

  async #run(firstMs: number): Promise<void> {
    for (let pauseMs = firstMs; ; pauseMs = await this.#turn()) {
      await this.#pause(pauseMs);
      if (this.#stop.signal.aborted) return;
      this.#isWoken = false;
    }
  }

  /** Returns the pause before the next turn. */
  async #turn(): Promise<number> {
    const { everyMs, turn, backoff, isClockTrusted = () => true } = this.#options;
    if (!isClockTrusted()) return Math.min(everyMs, MINUTE_MS);
    try {
      const pauseMs = await turn(this.#stop.signal);
      this.#failures = 0;
      return pauseMs ?? everyMs;
    } catch (cause) {
      if (!this.#tellFailure) throw cause;
      this.#failures++;
      this.#tellFailure(cause);
      return backoff ? backoffMs(backoff, this.#failures) : everyMs;
    }
  }

  async #pause(ms: number): Promise<void> {
    const isLeftOut = ms === 0 || (this.#isWoken && this.#failures === 0);
    if (!isLeftOut && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await nextTurn();
  }
}

/** How long to wait after failures in a row. */
export interface Backoff {
  /** About the wait after the first failure. */
  readonly firstMs: number;
  /** About the longest wait. */
  readonly mostMs: number;
  /** Each further wait is so many times as long; twice unless given. */
  readonly growth?: number;
}

/** Most that a wait differs from its plan, as a share of it. */
const SPREAD = 0.25;

/** @param failures failures in a row; at least 1. */
export function backoffMs({ firstMs, mostMs, growth = 2 }: Backoff, failures: number): number {
  return spreadMs(Math.min(mostMs, firstMs * growth ** (failures - 1)), SPREAD);
}

/** Varies a wait by up to a share of it either way, so that many who failed together do not try again together. */
export function spreadMs(waitMs: number, share: number): number {
  return waitMs * (1 - share + 2 * share * Math.random());
}

/** Reports the first of many faults, and another one after a minute at the earliest. */
export function oncePerMinute<Fault extends readonly unknown[]>(
  report: (...fault: Fault) => void,
  nowMs = (): number => performance.now(),
): (...fault: Fault) => void {
  let lastMs = -Infinity;
  return (...fault) => {
    if (nowMs() - lastMs < MINUTE_MS) return;
    lastMs = nowMs();
    report(...fault);
  };
}
