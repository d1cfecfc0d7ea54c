/** Does some work again and again, with a pause in between, until it is disposed. Disposing waits for what is under way. */
export class Repeated implements AsyncDisposable {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  readonly #onFailure: (cause: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void>;
  #isOver = false;

  /** Does it for the first time at once. */
  constructor(everyMs: number, work: () => Promise<void>, onFailure: (cause: unknown) => void) {
    this.#everyMs = everyMs;
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
    } catch (cause) {
      this.#onFailure(cause);
    }
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#underWay = this.#do();
    }, this.#everyMs).unref();
  }
}
