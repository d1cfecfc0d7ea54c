import type { Logger } from 'winston';
import { type Backoff, backoffMs, Loop } from '../loop/loop.ts';
import type { PendingEvent, Settlement } from '../../messages/meter-events.ts';
import type { Journal } from '../usage/journal.ts';
import type { SendResult } from './send-event.ts';
import type { Suspension } from './suspension.ts';

/** The processor accepts one call at a time per customer, so this is also the largest number of calls under way. */
const CUSTOMERS_AT_ONCE = 20;

const EVENTS_A_CUSTOMER = 20;

const MAX_REST_MS = 60_000;

const NOT_DELIVERED = 'usage could not be delivered; it stays in the journal';

const NO_METER =
  'the payment processor has no active meter of the name STRIPE_METER_EVENT; usage stays in the journal until it has one';

/** Delivers the journal's pending lookups in the background until it is disposed. One process per machine does this. */
export class MeterReporter implements AsyncDisposable {
  readonly #options: ConstructorParameters<typeof MeterReporter>[0];
  readonly #pollMs: number;
  readonly #backoff: Backoff;
  readonly #loop: Loop;
  readonly #delivered = { delivered: 0, rejected: 0, failed: 0 };
  #after = '';
  #failures = 0;
  #hasMeter = true;

  constructor(options: {
    readonly journal: Pick<Journal, 'do'>;
    readonly send: (event: PendingEvent) => Promise<SendResult>;
    readonly suspension: Pick<Suspension, 'note' | 'check'>;
    readonly logger: Logger;
    /** Pause when there is nothing to do, and first pause after a failure. */
    readonly pollMs?: number;
  }) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? 1000;
    this.#backoff = { firstMs: this.#pollMs, mostMs: MAX_REST_MS };
    this.#loop = new Loop({
      everyMs: this.#pollMs,
      turn: (stop) => this.#turn(stop),
      onFailure: (cause) => {
        options.logger.warn(NOT_DELIVERED, { detail: 'the journal does not answer', cause: String(cause) });
      },
      backoff: this.#backoff,
    });
  }

  /** Numbers of events since the start. The reporter tries `failed` ones again. */
  status(): { readonly delivered: number; readonly rejected: number; readonly failed: number } {
    return { ...this.#delivered };
  }

  /** False after the processor said that it has no active meter of our name, until it takes an event again. */
  get hasMeter(): boolean {
    return this.#hasMeter;
  }

  /** Sends nothing more from now on. Calls under way continue. */
  stop(): void {
    this.#loop.stop();
  }

  /** Lets the calls under way end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]();
  }

  /** Sends one round. @returns the pause before the next. */
  async #turn(stop: AbortSignal): Promise<number> {
    const { journal, suspension } = this.#options;
    await suspension.check();
    if (!(await journal.do('lead', null))) return 5 * this.#pollMs;
    const events = await journal.do('takePending', {
      after: this.#after,
      customers: CUSTOMERS_AT_ONCE,
      perCustomer: EVENTS_A_CUSTOMER,
    });
    const wasFirstRound = this.#after === '';
    this.#after = events.at(-1)?.customer ?? '';
    if (events.length === 0) return wasFirstRound ? this.#pollMs : 0;
    const sent = await Promise.all(byCustomer(events).map((own) => this.#sendInOrder(own, stop)));
    const settlements = sent.flatMap((round) => round.settlements);
    await journal.do('settle', settlements);
    if (settlements.some(({ isCustomerFault }) => isCustomerFault)) suspension.note();
    return this.#restAfter(sent);
  }

  /**
   * Sends one customer's events one after another; a failure leaves the rest for the next round. An event that is ahead of the processor's
   * clock leaves only itself: older ones may follow it.
   */
  async #sendInOrder(events: readonly PendingEvent[], stop: AbortSignal): Promise<Round> {
    const settlements: Settlement[] = [];
    let failure: Failure | null = null;
    for (const [i, event] of events.entries()) {
      if (stop.aborted) {
        settlements.push(...unsent([event]));
        continue;
      }
      const result = await this.#options.send(event);
      this.#count(result);
      if (!isFailure(result)) {
        settlements.push({ id: event.id, resends: event.resends, ...result });
        continue;
      }
      failure = result;
      if (result.outcome === 'unsent') settlements.push(...unsent([event]));
      if (result.obstacle === 'clock') continue;
      settlements.push(...unsent(events.slice(i + 1)));
      break;
    }
    return { settlements, failure };
  }

  #count(result: SendResult): void {
    if (!isFailure(result)) {
      this.#delivered[result.outcome === 'delivered' ? 'delivered' : 'rejected']++;
      this.#hasMeter = true;
      return;
    }
    this.#delivered.failed++;
    if (result.obstacle !== 'meter') return;
    if (this.#hasMeter) this.#options.logger.error(NO_METER, { detail: result.reason });
    this.#hasMeter = false;
  }

  #restAfter(rounds: readonly Round[]): number {
    const failures = rounds.flatMap(({ failure }) => failure ?? []);
    const isServed = rounds.some(({ settlements }) => settlements.some(({ outcome }) => outcome !== 'unsent'));
    // One customer's failures do not slow the others for long.
    if (isServed) this.#failures = 0;
    if (failures.length === 0) return 0;
    const askedMs = Math.max(...failures.map(({ retryAfterS }) => (retryAfterS ?? 0) * 1000));
    const restMs = backoffMs(this.#backoff, ++this.#failures);
    this.#options.logger.warn(NOT_DELIVERED, { detail: failures[0]!.reason, restMs: Math.round(restMs) });
    return Math.max(Math.min(askedMs, MAX_REST_MS), restMs);
  }
}

type Failure = Extract<SendResult, { retryAfterS: unknown }>;

interface Round {
  readonly settlements: readonly Settlement[];
  readonly failure: Failure | null;
}

function isFailure(result: SendResult): result is Failure {
  return result.outcome === 'unsent' || result.outcome === 'unknown';
}

function byCustomer(events: readonly PendingEvent[]): PendingEvent[][] {
  const groups = new Map<string, PendingEvent[]>();
  for (const event of events) groups.set(event.customer, [...(groups.get(event.customer) ?? []), event]);
  return [...groups.values()];
}

/**
 * Settles events as not sent after their first attempt. Others stay noted, because an earlier attempt may have arrived.
 */
function unsent(events: readonly PendingEvent[]): Settlement[] {
  return events
    .filter(({ isFirstAttempt }) => isFirstAttempt)
    .map(({ id, resends }) => ({ id, resends, outcome: 'unsent' }));
}
