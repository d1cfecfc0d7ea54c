import type Stripe from 'stripe';

/** Names something that happens, and carries the type of what is said of it. */
export interface EventKey<Said> {
  readonly name: string;
  /** Never there: it keeps the type. */
  readonly type?: Said;
}

export function eventKey<Said>(name: string): EventKey<Said> {
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
