import { join } from 'node:path';
import { type EndedBatch, partKey } from '../../core/parts/parts.ts';
import type { EventType, WebhookSecretBody } from './wire.ts';
import type { Delivery, NewDelivery } from './delivery.ts';
import type { DeliveryCounts, DeliveryPage } from './delivery-table.ts';
import { DeliverySender, TIMES } from './delivery-sender.ts';
import { DeliveryStore, KEPT_MS, type Resend } from './delivery-store.ts';
import { rotateSecret } from './secrets.ts';
import type { WebhookSecretStore } from '../../core/keys/key-store.ts';
import { sha256 } from '../../core/files/sha256.ts';

/** What webhooks need to know of a batch; its member `state` says which event its end is. */
export type BatchEnd = Omit<EndedBatch, 'describe'>;

/** Webhooks of a service. */
export const webhooksPart = partKey<Pick<Webhooks, 'list' | 'find' | 'resend' | 'rotateSecret' | 'counts'>>('webhooks');

const eventOf: Readonly<Record<string, EventType>> = {
  completed: 'batch.completed',
  failed: 'batch.failed',
  expired: 'batch.expired',
};

/** Tells receivers of the ends of batches, by the Standard Webhooks specification (docs/webhooks.md). */
export class Webhooks<Batch extends BatchEnd = BatchEnd> implements AsyncDisposable {
  readonly #options;
  readonly #store: DeliveryStore;
  readonly #sender: DeliverySender;

  /** Opens the table of deliveries, and begins to send what waits there. */
  constructor(
    options: Omit<ConstructorParameters<typeof DeliverySender>[0], 'store' | 'times'> & {
      readonly dataDir: string;
      /** The batch as its receiver gets it: as `GET /api/batches/{id}` gives it. */
      readonly describe: (batch: Batch) => { readonly id: string };
      /** Those of production unless a test needs shorter ones. */
      readonly times?: Partial<typeof TIMES>;
    },
  ) {
    this.#options = options;
    const times = { ...TIMES, ...options.times };
    this.#store = new DeliveryStore(join(options.dataDir, 'batches', 'webhooks.sqlite'), times.leaseMs);
    this.#sender = new DeliverySender({ ...options, times, store: this.#store });
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
    this.#sender.wake();
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
    this.#sender.wake();
    return result;
  }

  /** Gives a key another secret; the one before signs too for 24 hours. @param store that decides whether it may have one. */
  rotateSecret(keyId: string, store: WebhookSecretStore = this.#options.secrets): Promise<WebhookSecretBody> {
    return rotateSecret(store, keyId);
  }

  counts(): DeliveryCounts {
    return this.#store.counts();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sender[Symbol.asyncDispose]();
    this.#store[Symbol.dispose]();
  }
}

/** The same for the same event, so that its receiver can tell a repetition. */
function eventIdOf(batchId: string, type: EventType): string {
  return `evt_${sha256(`${batchId}:${type}`).slice(0, 32)}`;
}
