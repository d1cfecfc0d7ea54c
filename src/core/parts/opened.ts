/** What was opened, step by step, to be closed in reverse. `AsyncDisposableStack` does the same, which Node.js 22 does not have. */
export class Opened implements AsyncDisposable {
  readonly #closers: (() => unknown)[] = [];

  /** Takes a part, which is closed with the others. */
  use<Part extends AsyncDisposable | Disposable>(part: Part): Part {
    this.defer(() => {
      if (Symbol.asyncDispose in part) return part[Symbol.asyncDispose]();
      part[Symbol.dispose]();
      return undefined;
    });
    return part;
  }

  /** @param close may return a promise, which is waited for. */
  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}
