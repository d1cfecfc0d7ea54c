/** A lookup, or rows of a batch that go to a thread in one message, that waits for its turn. */
export interface Waiting {
  /** False when nobody waits for it any more. */
  readonly isWanted: () => boolean;
  readonly start: (started: Started) => void;
  /** Called in place of `start` when it is not wanted. */
  readonly drop: () => void;
}

/** A lookup whose turn has come; `Lane.end` takes it back. */
export interface Started {
  readonly account: Account;
  /** Thread time in ms that was counted for it beforehand. */
  readonly expectedMs: number;
}

/** What one key has used of a lane's thread time, as long as it has lookups there. */
interface Account {
  readonly keyId: string;
  /** Thread time in ms, counted from the lane's clock when the key came. */
  usedMs: number;
  /** Lookups that were started and have not ended. */
  running: number;
  readonly waiting: Waiting[];
  /** Rows of batches: their turn comes when no lookup of the key waits. */
  readonly rows: Waiting[];
}

/** Weight of a lookup in the mean of the lane. */
const SMOOTHING = 0.1;

/** Time that the first lookup is expected to take. */
const FIRST_MS = 1;

/**
 * Lookups of many keys that share threads: start-time fair queuing (Goyal, Vin and Cheng, 1996) with thread time as the cost. The next
 * lookup is one of the key that has used the least. A key that comes starts at the lane's clock, so that it gains nothing by having
 * been away.
 */
export class Lane {
  readonly #accounts = new Map<string, Account>();
  #waiting = 0;
  #waitingRows = 0;
  #running = 0;
  /** The most that a key had used when its turn came. */
  #clockMs = 0;
  #meanMs = FIRST_MS;
  readonly #slots: number;
  readonly #mayStartRows: () => boolean;

  /**
   * @param slots lookups that may be started and not ended.
   * @param mayStartRows false: rows of batches wait although a slot is free. `startWaiting` must be called when that changes.
   */
  constructor(slots: number, mayStartRows = (): boolean => true) {
    this.#slots = slots;
    this.#mayStartRows = mayStartRows;
  }

  /** Whether a lookup may start at once. */
  get isFree(): boolean {
    return this.#waiting + this.#waitingRows === 0 && this.#running < this.#slots;
  }

  /** Lookups that wait, without rows of batches. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Thread time in ms that a lookup of this lane is expected to take. */
  get expectedMs(): number {
    return this.#meanMs;
  }

  /** Puts a lookup behind those of the same key. */
  add(keyId: string, lookup: Waiting): void {
    this.#accountOf(keyId).waiting.push(lookup);
    this.#waiting++;
    this.startWaiting();
  }

  /** Puts rows of a batch behind all that the same key waits for. */
  addRows(keyId: string, rows: Waiting): void {
    this.#accountOf(keyId).rows.push(rows);
    this.#waitingRows++;
    this.startWaiting();
  }

  /** Starts what waits, as far as there are free slots. */
  startWaiting(): void {
    while (this.#running < this.#slots && this.#waiting + this.#waitingRows > 0) {
      const next = this.#nextAccount();
      if (!next) return;
      const lookup = this.#takeFirst(next);
      if (lookup.isWanted()) lookup.start(this.begin(next.keyId));
      else {
        this.#forgetIdle(next);
        lookup.drop();
      }
    }
  }

  /** Returns the key whose turn it is; null when nothing that may start waits. */
  #nextAccount(): Account | null {
    const mayStartRows = this.#mayStartRows();
    let next: Account | null = null;
    for (const account of this.#accounts.values()) {
      const waits = account.waiting.length + (mayStartRows ? account.rows.length : 0) > 0;
      if (waits && (next === null || account.usedMs < next.usedMs)) next = account;
    }
    return next;
  }

  #takeFirst({ waiting, rows }: Account): Waiting {
    const lookup = waiting.shift();
    if (lookup) {
      this.#waiting--;
      return lookup;
    }
    this.#waitingRows--;
    return rows.shift()!;
  }

  /** Counts a lookup that starts at once; the lane must be free. */
  begin(keyId: string): Started {
    const account = this.#accountOf(keyId);
    this.#clockMs = Math.max(this.#clockMs, account.usedMs);
    const expectedMs = this.#meanMs;
    account.usedMs += expectedMs;
    account.running++;
    this.#running++;
    return { account, expectedMs };
  }

  /** Counts the thread time that a lookup has really taken, null: what was expected, and starts those whose turn it is. */
  end({ account, expectedMs }: Started, threadMs: number | null): void {
    const ms = threadMs ?? expectedMs;
    this.#meanMs += SMOOTHING * (ms - this.#meanMs);
    account.usedMs += ms - expectedMs;
    account.running--;
    this.#running--;
    this.#forgetIdle(account);
    this.startWaiting();
  }

  #accountOf(keyId: string): Account {
    let account = this.#accounts.get(keyId);
    if (!account)
      this.#accounts.set(keyId, (account = { keyId, usedMs: this.#clockMs, running: 0, waiting: [], rows: [] }));
    return account;
  }

  #forgetIdle({ keyId, running, waiting, rows }: Account): void {
    if (running === 0 && waiting.length === 0 && rows.length === 0) this.#accounts.delete(keyId);
  }
}

/** Longest wait of a message with rows for lookups of people: ten times what a message of plain rows takes of the processor. */
const HOLD_MS = 40;

/**
 * Lets people go first: while lookups of people are under way, messages with rows of batches keep a distance (docs/decisions/0123). After one has ended,
 * the next waits until no lookup is under way, and for some milliseconds at most, so that a batch goes on beside people who never stop.
 */
export class RowsPace {
  readonly #holdMs: number;
  readonly #onOpen: () => void;
  #underWay = 0;
  #hold: NodeJS.Timeout | null = null;

  /** @param onOpen called when messages may begin again. */
  constructor(onOpen: () => void, holdMs = HOLD_MS) {
    this.#onOpen = onOpen;
    this.#holdMs = holdMs;
  }

  /** Whether a message with rows may begin. */
  get isOpen(): boolean {
    return this.#hold === null;
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
