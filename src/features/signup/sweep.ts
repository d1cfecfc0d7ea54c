import type { Logger } from 'winston';
import type { SignupRecord, SignupStore } from '../../core/keys/key-store.ts';
import { DAY_MS, HOUR_MS } from '../../messages/time.ts';
import { SESSION_MS } from './checkout.ts';
import type { EndReason } from './signup-record.ts';
import type { Signups } from './signups.ts';

/** How long a sign-up may stay in a state before something is done about it. */
export interface SignupTimes {
  /** Without a session: nobody can have filled it. */
  readonly begunMs: number;
  /** With a session: it has expired, or it was filled and no webhook came. */
  readonly openMs: number;
  /** Confirmed, and the browser did not come for its key: it is cancelled. */
  readonly paidMs: number;
  /** The browser got its key and did not say so: nobody gets it again. */
  readonly issuedMs: number;
}

const SIGNUP_TIMES: SignupTimes = {
  begunMs: DAY_MS,
  openMs: SESSION_MS + HOUR_MS / 12,
  paidMs: DAY_MS,
  issuedMs: HOUR_MS,
};

/** A payment method that needs days to be confirmed gets this long. */
const PROCESSING_MS = 14 * DAY_MS;

/**
 * Brings sign-ups to their end that nobody else does: a webhook never came, the browser never came back, or a process ended between two steps.
 * One that fails is tried again the next time, and holds up no other.
 */
export async function sweepSignups({
  store,
  signups,
  logger,
  times = SIGNUP_TIMES,
}: {
  readonly store: SignupStore;
  readonly signups: Pick<Signups, 'look' | 'end'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly times?: SignupTimes;
}): Promise<void> {
  for (const record of await store.list('unfinished')) {
    try {
      await sweepOne(record, { store, signups, times });
    } catch (cause) {
      logger.warn('a sign-up could not be brought to its end; it is tried again', {
        signup: record.id,
        detail: reasonOf(cause),
      });
    }
  }
}

/** Says whether nothing will come of a session any more. */
function isOver(state: Awaited<ReturnType<Signups['look']>>, ageMs: number): boolean {
  return state === 'expired' || (state === 'processing' && ageMs >= PROCESSING_MS);
}

/** The messages of a failure and of what caused it. The client library has the cause of a broken connection in `detail`. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const cause = failure.cause ?? ('detail' in failure ? failure.detail : undefined);
  return cause === undefined ? failure.message : `${failure.message}: ${reasonOf(cause)}`;
}

async function sweepOne(
  record: SignupRecord,
  { store, signups, times }: Required<Omit<Parameters<typeof sweepSignups>[0], 'logger'>>,
): Promise<void> {
  const ageMs = Date.now() - Date.parse(record.changedAt);
  const unchanged = (change: (before: SignupRecord) => SignupRecord | 'remove') =>
    store.update(record.id, (before) => (before?.changedAt === record.changedAt ? change(before) : null));
  switch (record.state) {
    case 'begun':
      if (ageMs >= times.begunMs) await unchanged(() => 'remove');
      break;
    case 'open':
      if (ageMs >= times.openMs && isOver(await signups.look(record), ageMs)) await unchanged(() => 'remove');
      break;
    case 'paid':
      if (ageMs >= times.paidMs) await signups.end(record, 'NOBODY_CAME' satisfies EndReason);
      break;
    case 'ending':
      await signups.end(record, record.reason);
      break;
    case 'issued':
      if (ageMs >= times.issuedMs) await unchanged((before) => ({ ...before, state: 'shown', salt: null }));
      break;
    default:
  }
}
