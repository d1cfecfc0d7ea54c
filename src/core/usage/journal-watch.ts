import type { Logger } from 'winston';
import { Loop } from '../loop/loop.ts';
import { before } from '../pool/before.ts';
import type { ClockProbe } from '../../messages/journal.ts';
import { AppError } from '../../messages/problems.ts';
import type { UnavailableReason } from '../../messages/reasons.ts';
import type { Journal } from './journal.ts';

/** Interval of the attempts; each is one commit. */
const INTERVAL_MS = 2000;

/** Time after which a disk that hangs counts as not writable. */
const DEADLINE_MS = 10_000;

/** Advice for the operator (docs/operations.md, LandLookupJournalUnwritable). */
const HELP =
  'lookups get 503 until it can be written: check whether the disk of DATA_DIR is full (df) or read-only (findmnt, dmesg)';

/** Advice for the operator (docs/operations.md, LandLookupClock). */
const CLOCK_HELP =
  'usage is recorded, but not delivered or deleted, until the clock is right again: set it, or run "land-lookup usage trust-clock" if it is right now';

type JournalFault = Extract<UnavailableReason, 'STORAGE_FULL' | 'STORAGE_UNREACHABLE'>;

/**
 * Checks whether lookups can be recorded, also while no request arrives. A process that is not ready gets no requests,
 * so it must find out by itself that it can serve again.
 */
export class JournalWatch implements Disposable {
  readonly #options: Parameters<typeof JournalWatch.start>[0];
  readonly #loop: Loop;
  #fault: JournalFault | null = null;
  /** Null: not known yet. */
  #isClockTrusted: boolean | null = null;

  private constructor(options: Parameters<typeof JournalWatch.start>[0]) {
    this.#options = options;
    this.#loop = new Loop({
      everyMs: INTERVAL_MS,
      firstMs: INTERVAL_MS,
      turn: () => this.#try(),
    });
  }

  /** Begins to check. Resolves when the first check is over, whatever it found. */
  static async start(options: {
    readonly journal: Pick<Journal, 'do'>;
    readonly logger: Pick<Logger, 'info' | 'error'>;
  }): Promise<JournalWatch> {
    const watch = new JournalWatch(options);
    await watch.#try();
    return watch;
  }

  /** Why lookups cannot be recorded; null: they can. */
  get fault(): JournalFault | null {
    return this.#fault;
  }

  /** False after the wall clock jumped, and until the journal has said that it did not: nothing is expired, deleted or delivered (docs/decisions/0022). */
  get isClockTrusted(): boolean {
    return this.#isClockTrusted === true;
  }

  [Symbol.dispose](): void {
    this.#loop.stop();
  }

  /** Never fails: what it finds is the `fault`. */
  async #try(): Promise<void> {
    try {
      const probe = this.#options.journal.do('probe', null);
      this.#noteClock(await before(probe, DEADLINE_MS, () => new Error('the disk does not answer')));
      if (this.#fault !== null) this.#options.logger.info('the usage journal can be written again');
      this.#fault = null;
    } catch (cause) {
      const { message, cause: reason } = cause as Error;
      const detail = reason instanceof Error ? reason.message : message;
      if (this.#fault === null)
        this.#options.logger.error('the usage journal cannot be written', { detail, help: HELP });
      this.#fault = AppError.from(cause).reason === 'STORAGE_FULL' ? 'STORAGE_FULL' : 'STORAGE_UNREACHABLE';
    }
  }

  #noteClock({ isClockTrusted: isTrusted, aheadMs }: ClockProbe): void {
    if (isTrusted === this.#isClockTrusted) return;
    const wasKnown = this.#isClockTrusted !== null;
    this.#isClockTrusted = isTrusted;
    if (isTrusted && wasKnown) this.#options.logger.info('the clock can be trusted again');
    if (!isTrusted)
      this.#options.logger.error('the clock of this machine jumped', { by: jump(aheadMs), help: CLOCK_HELP });
  }
}

/** Says how far and which way the clock jumped. */
function jump(aheadMs: number | null): string {
  if (aheadMs === null)
    return 'an unknown time: the machine was started since the last lookup, or the journal is of another machine';
  return `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'forwards' : 'backwards'}`;
}
