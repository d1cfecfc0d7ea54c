/** Longest wait of a message with rows for lookups of people: ten times what a message of plain rows takes of the processor. */
const HOLD_MS = 40;

/**
 * Lets people go first: while lookups of people are under way, messages with rows of batches keep a distance (docs/decisions/0123). After one has ended,
 * the next waits until no lookup is under way, and for some milliseconds at most, so that a batch goes on beside people who never stop.
 */
export class RowsPace {
  readonly #holdMs: number;
  #underWay = 0;
  #hold: NodeJS.Timeout | null = null;
  #onOpen: () => void = () => undefined;

  constructor(holdMs = HOLD_MS) {
    this.#holdMs = holdMs;
  }

  /** Whether a message with rows may begin. */
  get isOpen(): boolean {
    return this.#hold === null;
  }

  /** Sets what is called when messages may begin again. */
  onOpen(onOpen: () => void): void {
    this.#onOpen = onOpen;
  }

  /** Counts a lookup of a person that comes or goes. */
  count(change: 1 | -1): void {
    this.#underWay += change;
    if (this.#underWay === 0) this.#open();
  }

  /** A message with rows has ended. */
  messageEnded(): void {
    if (this.#underWay === 0) return;
    this.#hold ??= setTimeout(() => {
      this.#open();
    }, this.#holdMs);
  }

  #open(): void {
    if (this.#hold === null) return;
    clearTimeout(this.#hold);
    this.#hold = null;
    this.#onOpen();
  }
}
