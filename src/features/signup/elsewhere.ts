import type { SignupRecord, SignupStore } from '../../core/keys/signup-store.ts';
import type { Claim } from './signup-keys.ts';
import type { EndReason } from './signup-record.ts';

const ELSEWHERE: EndReason = 'ELSEWHERE';

/** A key may have been shown before the other browser was back from the processor. Later, somebody opens an old address. */
const SHOWN_MS = 600_000;

/** Steps of a sign-up from its payment to its key. Each may be taken while this ends it. */
const STEPS = 3;

interface Steps {
  /** Reads what the processor says of an open sign-up, and does it. */
  look(record: SignupRecord): Promise<unknown>;
  /** Does nothing when the sign-up has gone a step further meanwhile. */
  end(record: SignupRecord, reason: string): Promise<void>;
}

/**
 * Ends a sign-up whose page was filled in another browser than it was begun in: whoever began it may have sent the page to a person who then paid for
 * the sender's key (docs/decisions/0140). @throws what the steps throw.
 */
export async function endFilledElsewhere(store: SignupStore, steps: Steps, id: string): Promise<Claim> {
  const marked = await store.update(id, (before) =>
    before?.state === 'open' ? { ...before, reason: ELSEWHERE } : null,
  );
  if (marked?.state === 'open') await steps.look(marked);
  for (let step = 0; step < STEPS; step++) {
    const record = await store.find(id);
    if (!record || record.state === 'begun' || isLongShown(record)) return { state: 'unknown' };
    if (!['paid', 'issued', 'shown'].includes(record.state)) break;
    await steps.end(record, ELSEWHERE);
  }
  return { state: 'elsewhere' };
}

function isLongShown({ state, changedAt }: SignupRecord): boolean {
  return state === 'shown' && Date.now() - Date.parse(changedAt) > SHOWN_MS;
}
