import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'winston';
import { openNetwork } from '../outbound/client.ts';
import { resolveByDns, resolveBySystem, type Guard, type Resolve } from '../outbound/guarded-connector.ts';
import { isPublicAddress } from '../outbound/public-address.ts';
import { HOUR_MS } from '../shared/time.ts';
import type { EventType } from '../shared/wire/webhooks.ts';
import { AllowList } from './allow-list.ts';
import { callbackUrlFault } from './callback-url.ts';
import type { ClaimedDelivery, Delivery, NewDelivery } from './delivery.ts';
import { MOST_AT_ONCE } from './delivery-claim.ts';
import type { DeliveryCounts, DeliveryPage } from './delivery-reads.ts';
import { DeliveryStore, KEPT_MS, type Resend } from './delivery-store.ts';
import { consequenceOf, retryDelaysMs, type AttemptResult } from './retry-schedule.ts';
import { rotateSecret, signingSecrets, type RotatedSecret, type WebhookSecretStore } from './secrets.ts';
import { sendDelivery } from './send-delivery.ts';

/** What webhooks need to know of a batch; its member `state` says which event its end is. */
export interface EndedBatch {
  readonly id: string;
  readonly keyId: string;
  readonly state: string;
  readonly callbackUrl: string | null;
  readonly endedAt: string | null;
  /** When its results are deleted, or were. */
  readonly expiresAt: string | null;
}

export interface WebhooksOptions<Batch extends EndedBatch> {
  readonly dataDir: string;
  readonly secrets: WebhookSecretStore;
  /** Receivers inside the operator's network (`WEBHOOK_ALLOW`). */
  readonly allow: readonly string[];
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** The batch as its receiver gets it: as `GET /api/batches/{id}` gives it. */
  readonly describe: (batch: Batch) => { readonly id: string };
  /** Records are deleted only while the clock is right. */
  readonly isClockTrusted: () => boolean;
  /** Those of production unless a test needs shorter ones. */
  readonly times?: Partial<WebhookTimes>;
  /** DNS, unless a test answers in its place. */
  readonly resolve?: Resolve;
}

export interface WebhookTimes {
  /** For one attempt. */
  readonly deadlineMs: number;
  /** Time that a process has a delivery to itself; longer than the deadline, so that two never send the same one at once. */
  readonly leaseMs: number;
  /** Waits after failed attempts. */
  readonly delaysMs: readonly number[];
  /** Interval at which deliveries are looked for that another process stored or has to try again. */
  readonly pollMs: number;
}

const TIMES: WebhookTimes = { deadlineMs: 15_000, leaseMs: 30_000, delaysMs: retryDelaysMs, pollMs: 1000 };

/** Wait after a fault of this machine or of Redis, which is no fault of the receiver. */
const PUT_OFF_MS = 30_000;

/** Pause between two turns of deleting. */
const EXPIRE_PAUSE_MS = 1000;

/** Time that a stop waits for attempts under way. What they bring is then not stored, and they are made again. */
const STOP_MS = 3000;

const eventOf: Readonly<Record<string, EventType>> = {
  completed: 'batch.completed',
  failed: 'batch.failed',
  expired: 'batch.expired',
};

/** Tells receivers of the ends of batches, by the Standard Webhooks specification (docs/webhooks.md). */
export class Webhooks<Batch extends EndedBatch = EndedBatch> implements AsyncDisposable {
  readonly #options: WebhooksOptions<Batch>;
  readonly #times: WebhookTimes;
  readonly #store: DeliveryStore;
  readonly #guard: Guard;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;
  #reportedAtMs = -Infinity;

  /** Opens the table of deliveries, and begins to send what waits there. */
  static async start<Batch extends EndedBatch>(options: WebhooksOptions<Batch>): Promise<Webhooks<Batch>> {
    await openNetwork();
    const webhooks = new Webhooks(options);
    webhooks.#expire();
    webhooks.#sendAll();
    return webhooks;
  }

  private constructor(options: WebhooksOptions<Batch>) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#store = new DeliveryStore(join(options.dataDir, 'batches', 'webhooks.sqlite'), this.#times.leaseMs);
    const allowList = new AllowList(options.allow);
    const byName: Resolve = (host) => (allowList.hasName(host) ? resolveBySystem(host) : resolveByDns(host));
    this.#guard = {
      allows: (host, ip) => isPublicAddress(ip) || allowList.hasName(host) || allowList.has(ip),
      resolve: options.resolve ?? byName,
    };
    this.#timers = [
      setInterval(() => {
        this.#sendAll();
      }, this.#times.pollMs).unref(),
      setInterval(() => {
        this.#expire();
      }, HOUR_MS).unref(),
    ];
  }

  /**
   * Stores the event of a batch that has ended, if it has a receiver and its end is an event. When it returns, the event is on the disk. Calling it
   * again for the same end changes nothing, also after a crash.
   * @throws Error when the disk cannot be written: call it again later.
   */
  batchEnded(batch: Batch): void {
    const type = eventOf[batch.state];
    if (type === undefined || batch.callbackUrl === null) return;
    const at = (type === 'batch.expired' ? batch.expiresAt : batch.endedAt) ?? new Date().toISOString();
    // Its record may be deleted, and it would be sent anew.
    if (Date.now() - Date.parse(at) > KEPT_MS) return;
    const { keyId, callbackUrl: url } = batch;
    this.enqueue({ keyId, url, type, at, eventId: eventIdOf(batch.id, type), data: this.#options.describe(batch) });
  }

  /** Stores an event to be sent; one with the same id is stored once. @throws Error when the disk cannot be written. */
  enqueue(delivery: NewDelivery): void {
    this.#store.add(delivery, Date.now());
    setImmediate(() => {
      this.#sendAll();
    });
  }

  /** Deliveries of a key, newest first; those older than the delivery `after`. Null when the key has no such delivery. */
  list(keyId: string, page: DeliveryPage): readonly Delivery[] | null {
    return this.#store.list(keyId, page);
  }

  find(keyId: string, id: string): Delivery | null {
    return this.#store.find(keyId, id);
  }

  /** Sends a delivery again at once, with all its attempts anew, also one that was delivered. */
  resend(keyId: string, id: string): Resend {
    const result = this.#store.resend(keyId, id, Date.now());
    setImmediate(() => {
      this.#sendAll();
    });
    return result;
  }

  /** Gives a key another secret; the one before signs too for 24 hours. */
  rotateSecret(keyId: string): Promise<RotatedSecret> {
    return rotateSecret(this.#options.secrets, keyId);
  }

  counts(): DeliveryCounts {
    return this.#store.counts();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.race([Promise.allSettled(this.#underWay), sleep(STOP_MS, undefined, { ref: false })]);
    this.#store[Symbol.dispose]();
  }

  /** Begins all attempts whose time has come. Never fails. */
  #sendAll(): void {
    try {
      while (!this.#isStopped && this.#underWay.size < MOST_AT_ONCE) {
        const claimed = this.#store.claim(Date.now());
        if (!claimed) return;
        const attempt = this.#attempt(claimed).finally(() => {
          this.#underWay.delete(attempt);
          this.#sendAll();
        });
        this.#underWay.add(attempt);
      }
    } catch (cause) {
      this.#report('webhooks cannot be read or written', cause);
    }
  }

  /** Makes an attempt and stores what comes of it. Never fails. */
  async #attempt(claimed: ClaimedDelivery): Promise<void> {
    const { deadlineMs, delaysMs } = this.#times;
    const secrets = await signingSecrets(this.#options.secrets, claimed.keyId).catch((cause: unknown) => {
      this.#report('the secrets of webhooks cannot be read', cause);
      return null;
    });
    if (secrets === null) {
      await this.#stored(() => {
        this.#store.giveBack(claimed, Date.now() + PUT_OFF_MS);
      });
      return;
    }
    // Another process may have it by now, for example after this one stood still.
    if (Date.now() + deadlineMs > claimed.untilMs) return;
    const result = await this.#send(claimed, secrets);
    const nowMs = Date.now();
    const consequence = consequenceOf(result, { tries: claimed.tries, delaysMs, nowMs });
    await this.#stored(() => {
      this.#store.finish(claimed, result.attempt, consequence, nowMs);
    });
  }

  async #send(claimed: ClaimedDelivery, secrets: readonly string[]): Promise<AttemptResult> {
    // The list may have changed since the batch was accepted.
    const fault = callbackUrlFault(claimed.url, this.#options.allow);
    if (fault !== null) {
      const attempt = { at: new Date().toISOString(), ms: 0, status: null, error: `the URL cannot be used: ${fault}` };
      return { attempt, retryAfterMs: null };
    }
    return sendDelivery(claimed, { secrets, guard: this.#guard, deadlineMs: this.#times.deadlineMs });
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
        await sleep(PUT_OFF_MS / 30, undefined, { ref: false });
      }
    }
  }

  /** Deletes what is over, in short turns, because it runs on the main thread. Never fails. */
  #expire(): void {
    try {
      if (this.#isStopped || !this.#options.isClockTrusted()) return;
      if (this.#store.expire(Date.now()) === 0) return;
      setTimeout(() => {
        this.#expire();
      }, EXPIRE_PAUSE_MS).unref();
    } catch (cause) {
      this.#report('old records of webhooks cannot be deleted', cause);
    }
  }

  /** At most once a minute. */
  #report(message: string, cause: unknown): void {
    if (performance.now() - this.#reportedAtMs < 60_000) return;
    this.#reportedAtMs = performance.now();
    this.#options.logger.error(message, { detail: cause instanceof Error ? cause.message : String(cause) });
  }
}

/** The same for the same event, so that its receiver can tell a repetition. */
function eventIdOf(batchId: string, type: EventType): string {
  return `evt_${createHash('sha256').update(`${batchId}:${type}`).digest('hex').slice(0, 32)}`;
}
