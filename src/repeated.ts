/** Does some work again and again, with a pause in between, until it is disposed. Disposing waits for what is under way. */
export class Repeated implements AsyncDisposable {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  readonly #onFailure: (cause: unknown) => void;
  readonly #afterFailureMs: number;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void>;
  #hasFailed = false;
  #isOver = false;

  /**
   * Does it for the first time at once. Of failures in a row, `onFailure` gets the first.
   * @param afterFailureMs pause after a failure.
   */
  constructor(
    everyMs: number,
    work: () => Promise<void>,
    onFailure: (cause: unknown) => void,
    afterFailureMs = everyMs,
  ) {
    this.#everyMs = everyMs;
    this.#afterFailureMs = afterFailureMs;
    this.#work = work;
    this.#onFailure = onFailure;
    this.#underWay = this.#do();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  async #do(): Promise<void> {
    try {
      await this.#work();
      this.#hasFailed = false;
    } catch (cause) {
      if (!this.#hasFailed) this.#onFailure(cause);
      this.#hasFailed = true;
    }
    if (this.#isOver) return;
    const restMs = this.#hasFailed ? this.#afterFailureMs : this.#everyMs;
    this.#timer = setTimeout(() => {
      this.#underWay = this.#do();
    }, restMs).unref();
  }
}
