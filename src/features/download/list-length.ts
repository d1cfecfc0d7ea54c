/** How long a list of features a server answers: learnt from the lists that it failed on. */

/** The search ends when the longest list that works is this near to the shortest that fails. */
const NEAR_ENOUGH = 0.1;

/** Successes after which twice the length is tried once; so many more each time that it fails. */
const FIRST_TRIAL_AFTER = 32;

/**
 * The length of the next list. It begins with the longest, halves while lists fail, and then closes in on the longest that works. A failure of a list
 * that is no longer than one that worked says something of its features, not of its length, unless it comes again.
 */
export class ListLength {
  readonly #most: number;
  #works = 0;
  #fails: number;
  /** Successes since the last failure, and how many it takes until a longer list is tried. */
  #successes = 0;
  #trialAfter = FIRST_TRIAL_AFTER;
  #isDoubted = false;

  constructor(most: number) {
    this.#most = most;
    this.#fails = most + 1;
  }

  /** The most features to ask for now. */
  get next(): number {
    if (this.#fails > this.#most) return this.#most;
    if (this.isTrial) return Math.min(this.#most, this.#works * 2);
    if (this.#works === 0) return Math.max(1, Math.floor(this.#fails / 2));
    const gap = this.#fails - this.#works;
    return gap <= Math.max(1, this.#works * NEAR_ENOUGH) ? this.#works : this.#works + Math.floor(gap / 2);
  }

  /** Says whether a list is longer than any that worked, while shorter ones do: it may well fail. */
  isSearch(length: number): boolean {
    return this.#works > 0 && length > this.#works;
  }

  /** A longer list is tried once, because the failures may have passed. */
  get isTrial(): boolean {
    return this.#works > 0 && this.#fails <= this.#most && this.#successes >= this.#trialAfter;
  }

  /** Says whether a list is so short that it is known to work. */
  isKnown(length: number): boolean {
    return length <= this.#works;
  }

  worked(length: number): void {
    this.#successes++;
    this.#isDoubted = false;
    if (length <= this.#works) return;
    this.#works = length;
    if (length < this.#fails) return;
    this.#fails = Math.min(this.#most + 1, length * 2);
    this.#successes = 0;
  }

  failed(length: number): void {
    const wasTrial = this.isTrial && length >= this.#fails;
    this.#successes = 0;
    if (wasTrial) {
      this.#trialAfter *= 2;
      return;
    }
    if (length > this.#works) {
      this.#fails = Math.min(this.#fails, length);
      return;
    }
    if (this.#isDoubted) [this.#works, this.#fails] = [0, length];
    this.#isDoubted = !this.#isDoubted;
  }
}
