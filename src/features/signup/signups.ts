import type { Logger } from 'winston';
import type { KeyStore, SignupRecord, SignupStore } from '../../core/keys/key-store.ts';
import { revokeKey } from '../../core/keys/keys.ts';
import { unavailable } from '../../messages/problems.ts';
import {
  type CheckoutOptions,
  type Verdict,
  cancelSubscription,
  createSession,
  isMissing,
  isRefusal,
  readSession,
} from './checkout.ts';
import {
  isSignupId,
  keyIdOf,
  newSalt,
  signupIdOf,
  type EndReason,
  changedNow,
  endText,
  fresh,
  move,
} from './signup-record.ts';
import { type Claim, SignupKeys } from './signup-keys.ts';

/** Numbers since the start of the process. */
type Counted = 'begun' | 'paid' | 'keys' | 'ended' | 'failed';

/**
 * Sign-ups: from the press of the button to one key. Each step is in the store before the next begins, and each can be repeated, so that a
 * process may end at any moment and webhooks may come twice, late, in any order or never (docs/decisions/0140).
 */
export class Signups {
  readonly #options;
  readonly #keys: SignupKeys;
  readonly counts: Record<Counted, number> = { begun: 0, paid: 0, keys: 0, ended: 0, failed: 0 };

  constructor(
    options: CheckoutOptions & {
      readonly store: Pick<KeyStore, 'signups' | 'insert' | 'findById' | 'update'>;
      /** The price that new sign-ups are about. */
      readonly price: string;
      readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
    },
  ) {
    this.#options = options;
    this.#keys = new SignupKeys({ ...options, onMade: () => this.counts.keys++ });
  }

  /** Says whether a browser's sign-up has come to its end, so that the next one needs another secret. */
  async isFinished(secret: string): Promise<boolean> {
    const record = await this.#store.find(signupIdOf(secret));
    return record !== null && ['shown', 'ending', 'ended'].includes(record.state);
  }

  /**
   * Begins the sign-up of a browser, or finds it again.
   * @returns the processor's page; null when it was filled already, so that the browser should claim.
   * @throws AppError DB_ERROR when the processor does not give one.
   */
  async begin(secret: string): Promise<string | null> {
    const id = signupIdOf(secret);
    const begun = await this.#store.update(id, (before) => before ?? fresh(id, this.#options.price));
    if (begun!.state === 'begun') return this.#open(begun!);
    if (begun!.state !== 'open') return null;
    const { verdict } = await this.#look(begun!);
    if (verdict.state === 'open') return verdict.url;
    if (verdict.state !== 'expired') return null;
    const again = await this.#nextAttempt(begun!);
    return again?.state === 'begun' ? this.#open(again) : null;
  }

  /** Gives a browser the key of its sign-up, which the processor must have confirmed. @throws AppError DB_ERROR. */
  async claim(secret: string): Promise<Claim> {
    const found = await this.#store.find(signupIdOf(secret));
    if (!found) return { state: 'unknown' };
    if (found.state !== 'open') return this.#keys.claim(found, secret);
    const { record, verdict } = await this.#look(found);
    if (verdict.state === 'processing') return { state: 'processing' };
    return this.#keys.claim(record, secret);
  }

  /** Notes that the browser shows the key: nobody gets it again. */
  async acknowledge(secret: string): Promise<void> {
    const id = signupIdOf(secret);
    // Most who ask without reason are told apart without a transaction, which would hold up changes of keys.
    if ((await this.#store.find(id))?.state !== 'issued') return;
    await move(this.#store, id, 'issued', (record) => ({ ...record, state: 'shown', salt: null }));
  }

  /** Ends a sign-up whose page was filled in another browser than it was begun in. @throws AppError DB_ERROR. */
  filledElsewhere(id: string): Promise<Claim> {
    return endFilledElsewhere(this.#store, this, id);
  }

  /** Looks at a session of which a webhook came. @throws AppError DB_ERROR when the processor does not answer. */
  async sessionChanged(sessionId: string, reference: string | null): Promise<void> {
    if (!isSignupId(reference)) return;
    const found = await move(this.#store, reference, 'begun', (record) => ({ ...record, state: 'open', sessionId }));
    if (found === null) {
      this.#options.logger.warn('a session of the payment processor is of a sign-up that is not known here', {
        reference,
      });
    } else if (found.sessionId !== sessionId) {
      await this.#dropOther(found, sessionId);
    } else if (found.state === 'open') {
      await this.#look(found);
    }
  }

  /** Reads what the processor says of an open sign-up, and does it. @throws AppError DB_ERROR. */
  async look(record: SignupRecord): Promise<Verdict['state']> {
    return (await this.#look(record)).verdict.state;
  }

  /** Ends a sign-up that leads to no key: revokes the key if there is one, and cancels the subscription. @throws AppError DB_ERROR. */
  async end(record: SignupRecord, reason: string): Promise<void> {
    const ending = await move(this.#store, record.id, record.state, (before) => {
      return before.state === 'ending' ? null : { ...before, state: 'ending', reason };
    });
    if (ending?.state !== 'ending') return;
    const { keyId, subscription } = ending;
    const key = keyId === null ? null : await this.#options.store.findById(keyId);
    if (key?.revokedAt === null) await revokeKey(this.#options.store, key.id);
    if (subscription !== null)
      await this.#ask(() => cancelSubscription(this.#options, subscription, `sign-up ended: ${endText(ending)}`));
    await move(this.#store, record.id, 'ending', (before) => ({ ...before, state: 'ended', salt: null }));
    this.counts.ended++;
    this.#options.logger.info('sign-up ended without a key', {
      signup: record.id,
      reason: endText(ending),
      subscription,
    });
  }

  get #store(): KeyStore['signups'] {
    return this.#options.store.signups;
  }

  async #open(record: SignupRecord): Promise<string> {
    const { id, attempt } = record;
    const session = await this.#ask(() => createSession(this.#options, record)).catch(async (cause: unknown) => {
      // The processor remembers its refusal under the name of the attempt.
      if (isRefusal((cause as Error).cause)) await this.#nextAttempt(record);
      throw cause;
    });
    const opened = await this.#store.update(id, (before) =>
      before?.state === 'begun' && before.attempt === attempt
        ? changedNow({ ...before, state: 'open', sessionId: session.id })
        : null,
    );
    // A second press of the button gets the same session; anything else has overtaken this one.
    if (opened?.sessionId !== session.id) throw unavailable('INTERRUPTED', 'the sign-up was begun anew meanwhile');
    this.counts.begun++;
    return session.url;
  }

  /** Goes on to another session after one that expired or was refused. */
  #nextAttempt({ id, attempt }: SignupRecord): Promise<SignupRecord | null> {
    return this.#store.update(id, (before) => {
      const isSame = before?.attempt === attempt && (before.state === 'begun' || before.state === 'open');
      return isSame ? { ...fresh(id, this.#options.price), createdAt: before.createdAt, attempt: attempt + 1 } : null;
    });
  }

  async #look(record: SignupRecord): Promise<{ readonly record: SignupRecord; readonly verdict: Verdict }> {
    const verdict = await this.#ask(() =>
      readSession(this.#options, record).catch((cause: unknown): Verdict => {
        if (isMissing(cause)) return { state: 'expired' };
        throw cause;
      }),
    );
    if (verdict.state === 'paid') return { verdict, record: await this.#confirm(record, verdict) };
    if (verdict.state !== 'unusable') return { verdict, record };
    const { customer, subscription, reason } = verdict;
    const noted = await move(this.#store, record.id, 'open', (before) => ({
      ...before,
      state: 'ending',
      customer,
      subscription,
      reason,
    }));
    if (noted?.state === 'ending') await this.end(noted, reason);
    return { verdict, record: (await this.#store.find(record.id)) ?? record };
  }

  async #confirm(
    { id }: SignupRecord,
    { customer, subscription }: Extract<Verdict, { state: 'paid' }>,
  ): Promise<SignupRecord> {
    const record = await move(this.#store, id, 'open', (before) => {
      this.counts.paid++;
      if (before.reason !== '') return { ...before, state: 'ending', customer, subscription };
      return { ...before, state: 'paid', customer, subscription, keyId: keyIdOf(id), salt: newSalt() };
    });
    if (!record) throw unavailable('INTERRUPTED', 'the sign-up was removed meanwhile');
    if (record.state === 'ending') await this.end(record, record.reason);
    return record;
  }

  /** Cancels what came of a session that is not the sign-up's present one. */
  async #dropOther(record: SignupRecord, sessionId: string): Promise<void> {
    const verdict = await this.#ask(() => readSession(this.#options, { ...record, sessionId }));
    const subscription = 'subscription' in verdict ? verdict.subscription : null;
    if (subscription === null || subscription === record.subscription) return;
    await this.#ask(() => cancelSubscription(this.#options, subscription, 'another session of the same sign-up'));
    this.#options.logger.warn('a second session of a sign-up was cancelled', { signup: record.id, subscription });
  }

  /** @throws AppError DB_ERROR with the processor's answer as its cause. */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      this.counts.failed++;
      throw unavailable('PROCESSOR_UNREACHABLE', 'the payment processor does not answer as it should', { cause });
    }
  }
}

const ELSEWHERE: EndReason = 'ELSEWHERE';

/** A key may have been shown before the other browser was back from the processor. Later, somebody opens an old address. */
const SHOWN_MS = 600_000;

/** Steps of a sign-up from its payment to its key. Each may be taken while this ends it. */
const STEPS = 3;

/**
 * Ends a sign-up whose page was filled in another browser than it was begun in: whoever began it may have sent the page to a person who then paid for
 * the sender's key (docs/decisions/0140). @throws what the steps throw.
 */
async function endFilledElsewhere(
  store: SignupStore,
  steps: Pick<Signups, 'look' | 'end'>,
  id: string,
): Promise<Claim> {
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
