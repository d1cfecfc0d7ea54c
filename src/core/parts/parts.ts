/** What a service carries between its features without looking into it: what they have open, what they tell each other, and what closes it all. */
import type Stripe from 'stripe';

/** Names what a feature has open in a service, and carries its type. */
export interface PartKey<Part> {
  /** Of the feature, or of what the core asks for. */
  readonly name: string;
  /** Never there: it keeps the type. */
  readonly type?: Part;
}

export function partKey<Part>(name: string): PartKey<Part> {
  return { name };
}

/** What the features of a service have open. The core carries it to their routes and does not look into it. */
export class Parts {
  readonly #parts: Map<string, unknown>;

  /** @param given parts that somebody else has opened, and closes, by their names. */
  constructor(given: Readonly<Record<string, unknown>> = {}) {
    this.#parts = new Map(Object.entries(given));
  }

  has({ name }: PartKey<unknown>): boolean {
    return this.#parts.has(name);
  }

  set<Part>({ name }: PartKey<Part>, part: Part): void {
    this.#parts.set(name, part);
  }

  /** @throws Error when the feature is not open: its routes are not there then. */
  of<Part>({ name }: PartKey<Part>): Part {
    if (!this.#parts.has(name)) throw new Error(`the part ${name} is not open`);
    return this.#parts.get(name) as Part;
  }
}

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

/** Names something that happens, and carries the type of what is said of it. */
interface EventKey<Said> {
  readonly name: string;
  /** Never there: it keeps the type. */
  readonly type?: Said;
}

function eventKey<Said>(name: string): EventKey<Said> {
  return { name };
}

type Listener = (said: unknown) => void | Promise<void>;

/** How a part of the service tells others what happened, without knowing who listens. */
export class Events {
  readonly #listeners = new Map<string, Listener[]>();

  on<Said>({ name }: EventKey<Said>, listener: (said: Said) => void | Promise<void>): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener as Listener]);
  }

  /** Says whether anybody listens. */
  isHeard({ name }: EventKey<unknown>): boolean {
    return this.#listeners.has(name);
  }

  /** Returns when all who listen have taken it. @throws what one of them throws: then tell them again later. */
  async tell<Said>({ name }: EventKey<Said>, said: Said): Promise<void> {
    for (const listener of this.#listeners.get(name) ?? []) await listener(said);
  }
}

/** A batch, as far as others may know of it. */
export interface EndedBatch {
  readonly id: string;
  readonly keyId: string;
  readonly state: string;
  readonly callbackUrl: string | null;
  readonly endedAt: string | null;
  /** When its results are deleted, or were. */
  readonly expiresAt: string | null;
  /** The batch as its owner sees it. */
  readonly describe: () => { readonly id: string };
}

/** Told again after a restart: whoever listens takes it once. */
export const batchEnded = eventKey<EndedBatch>('a batch has ended');

/** Somebody wants to be told at this URL when a batch ends. Whoever listens throws an AppError when that cannot be. */
export const receiverAsked = eventKey<string>('a receiver is asked for');

/** An event of the payment processor whose signature was checked. */
export const processorEvent = eventKey<Stripe.Event>('event of the payment processor');
