import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'winston';
import { Loop, oncePerMinute } from '../../core/loop/loop.ts';
import type { Guard, Resolve } from '../../core/outbound/guarded-connector.ts';
import { resolveByDns, resolveBySystem } from './resolve-names.ts';
import { isPublicAddress, callbackUrlFault, AllowList } from './callback-url.ts';
import { HOUR_MS } from '../../messages/time.ts';
import { type ClaimedDelivery, type AttemptResult, consequenceOf, retryDelaysMs } from './delivery.ts';
import { type DeliveryStore, MOST_AT_ONCE } from './delivery-store.ts';
import { signingSecrets } from './secrets.ts';
import type { WebhookSecretStore } from '../../core/keys/key-store.ts';
import { messageOf } from '../../words.ts';
import { Webhook } from 'standardwebhooks';
import { retryAfterMs, send } from '../../core/outbound/client.ts';

export const TIMES = {
  /** For one attempt. */
  deadlineMs: 15_000,
  /** Time that a process has a delivery to itself; longer than the deadline, so that two never send the same one at once. */
  leaseMs: 30_000,
  /** Waits after failed attempts. */
  delaysMs: retryDelaysMs,
  /** Interval at which deliveries are looked for that another process stored or has to try again. */
  pollMs: 1000,
};

/** Pause before the result of an attempt is stored again. */
const STORE_AGAIN_MS = 1000;

/** Wait after a fault of this machine or of Redis, which is no fault of the receiver. */
const PUT_OFF_MS = 30_000;

/** Pause between two turns of deleting. */
const EXPIRE_PAUSE_MS = 1000;

/** Time that a stop waits for attempts under way. What they bring is then not stored, and they are made again. */
const STOP_MS = 3000;

/** Sends the deliveries of a store when their time has come, and deletes those whose time is over. */
export class DeliverySender implements AsyncDisposable {
  readonly #options;
  readonly #guard: Guard;
  readonly #sending: Loop;
  readonly #expiring: Loop;
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;
  /** At most once a minute. */
  readonly #report = oncePerMinute((message: string, cause: unknown) => {
    this.#options.logger.error(message, { detail: messageOf(cause) });
  });

  /** Begins to send what waits. */
  constructor(options: {
    readonly store: DeliveryStore;
    readonly secrets: WebhookSecretStore;
    /** Says whether the store of the secrets has a key. Without one that it has, another process may have the secrets. All are there unless given. */
    readonly hasKey?: (keyId: string) => Promise<boolean>;
    /** Receivers inside the operator's network (`WEBHOOK_ALLOW`). */
    readonly allow: readonly string[];
    readonly logger: Pick<Logger, 'warn' | 'error'>;
    /** Records are deleted only while the clock is right. */
    readonly isClockTrusted: () => boolean;
    readonly times: typeof TIMES;
    /** DNS, unless a test answers in its place. */
    readonly resolve?: Resolve;
  }) {
    this.#options = options;
    const allowList = new AllowList(options.allow);
    const byName: Resolve = (host) => (allowList.hasName(host) ? resolveBySystem(host) : resolveByDns(host));
    this.#guard = {
      allows: (host, ip) => isPublicAddress(ip) || allowList.hasName(host) || allowList.has(ip),
      resolve: options.resolve ?? byName,
    };
    this.#sending = new Loop({
      everyMs: options.times.pollMs,
      turn: () => {
        this.#sendAll();
      },
      onFailure: (cause) => {
        this.#report('webhooks cannot be read or written', cause);
      },
    });
    this.#expiring = new Loop({
      everyMs: HOUR_MS,
      isClockTrusted: options.isClockTrusted,
      // In short turns, because it runs on the main thread.
      turn: () => (options.store.expire(Date.now()) === 0 ? HOUR_MS : EXPIRE_PAUSE_MS),
      onFailure: (cause) => {
        this.#report('old records of webhooks cannot be deleted', cause);
      },
    });
  }

  /** Looks for deliveries at once. */
  wake(): void {
    this.#sending.wake();
  }

  /** Waits for attempts under way, but not for long. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#sending.stop();
    this.#expiring.stop();
    await Promise.race([Promise.allSettled(this.#underWay), sleep(STOP_MS, undefined, { ref: false })]);
  }

  /** Begins all attempts whose time has come. */
  #sendAll(): void {
    while (this.#underWay.size < MOST_AT_ONCE) {
      const claimed = this.#options.store.claim(Date.now());
      if (!claimed) return;
      const attempt = this.#attempt(claimed).finally(() => {
        this.#underWay.delete(attempt);
        this.#sending.wake();
      });
      this.#underWay.add(attempt);
    }
  }

  /** Makes an attempt and stores what comes of it. Never fails. */
  async #attempt(claimed: ClaimedDelivery): Promise<void> {
    const { deadlineMs, delaysMs } = this.#options.times;
    const secrets = await this.#secretsOf(claimed).catch((cause: unknown) => {
      this.#report('the secrets of webhooks cannot be read', cause);
      return null;
    });
    if (secrets === null) {
      await this.#stored(() => {
        this.#options.store.giveBack(claimed, Date.now() + PUT_OFF_MS);
      });
      return;
    }
    // Another process may have it by now, for example after this one stood still.
    if (Date.now() + deadlineMs > claimed.untilMs) return;
    const result = await this.#send(claimed, secrets);
    const nowMs = Date.now();
    const consequence = consequenceOf(result, { tries: claimed.tries, delaysMs, nowMs });
    await this.#stored(() => {
      this.#options.store.finish(claimed, result.attempt, consequence, nowMs);
    });
  }

  async #secretsOf({ keyId }: ClaimedDelivery): Promise<readonly string[]> {
    const { secrets, hasKey } = this.#options;
    if (hasKey && !(await hasKey(keyId)))
      throw new Error(`this process has another key store than the one with ${keyId}: set the same REDIS_URL for all`);
    return signingSecrets(secrets, keyId);
  }

  async #send(claimed: ClaimedDelivery, secrets: readonly string[]): Promise<AttemptResult> {
    // The list may have changed since the batch was accepted.
    const fault = callbackUrlFault(claimed.url, this.#options.allow);
    if (fault !== null) {
      const attempt = { at: new Date().toISOString(), ms: 0, status: null, error: `the URL cannot be used: ${fault}` };
      return { attempt, retryAfterMs: null };
    }
    return sendDelivery(claimed, { secrets, guard: this.#guard, deadlineMs: this.#options.times.deadlineMs });
  }

  /** Repeats a write until it succeeds: a delivery whose success is not stored would be sent again. */
  async #stored(write: () => void): Promise<void> {
    for (;;) {
      try {
        write();
        return;
      } catch (cause) {
        if (this.#isStopped) return;
        this.#report('the result of a webhook cannot be stored', cause);
        await sleep(STORE_AGAIN_MS, undefined, { ref: false });
      }
    }
  }
}

/** Longest text of a failure that is kept. */
const MOST_CHARACTERS = 200;

/**
 * Sends a delivery once, by the Standard Webhooks specification 1.0.0. The status alone says whether it succeeded: redirects are not followed, and the body
 * of the answer is not read. Never fails.
 * @param secrets the present one first; each gives a signature.
 * @param deadlineMs from the name's resolution to the header of the answer.
 */
async function sendDelivery(
  { id, url, body }: Pick<ClaimedDelivery, 'id' | 'url' | 'body'>,
  { secrets, guard, deadlineMs }: { secrets: readonly string[]; guard: Guard; deadlineMs: number },
): Promise<AttemptResult> {
  const at = new Date();
  const startMs = performance.now();
  const result = (status: number | null, error: string | null, waitMs: number | null = null): AttemptResult => ({
    attempt: { at: at.toISOString(), ms: Math.round(performance.now() - startMs), status, error },
    retryAfterMs: waitMs,
  });
  try {
    const answer = await send({
      url,
      body,
      guard,
      deadlineMs,
      idleMs: deadlineMs,
      method: 'POST',
      redirect: 'manual',
      headers: signedHeaders({ id, body, at, secrets }),
    });
    // Does not wait for it: the receiver may send without end.
    void answer.cancel().catch(() => undefined);
    return result(answer.status, errorOf(answer.status), retryAfterMs(answer.headers));
  } catch (cause) {
    return result(null, messageOf(cause).slice(0, MOST_CHARACTERS));
  }
}

function signedHeaders(signed: {
  readonly id: string;
  readonly body: string;
  readonly at: Date;
  readonly secrets: readonly string[];
}): Record<string, string> {
  const { id, body, at, secrets } = signed;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `the receiver answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`;
}
