/** Events of the payment processor, signed and sent to a webhook, with what can go wrong on the way. */
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** The signature of version 1: HMAC-SHA-256 of the time, a dot and the body. */
export function signatureOf(body: string, secret: string, atS = Math.floor(Date.now() / 1000)): string {
  return `t=${atS},v1=${createHmac('sha256', secret).update(`${atS}.${body}`).digest('hex')}`;
}

/** Waits before a webhook that was not taken is sent again; the processor's own are longer. */
const RETRIES_MS = [200, 400, 800, 1600, 3200];

export class StripeEvents {
  /** Where events go; null: nowhere. */
  target: string | null = null;
  secret = 'whsec_events';
  /** When an event is sent, in milliseconds from its making, once for each number; none: never. */
  delaysMs: (event: SentEvent) => readonly number[] = () => [0];
  readonly made: SentEvent[] = [];
  /** Answers by status. */
  readonly statuses: number[] = [];
  readonly #under = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  emit(type: string, object: object, livemode: boolean): void {
    const id = `evt_${randomBytes(9).toString('hex')}`;
    const created = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({
      ...{ id, object: 'event', type, created, livemode, pending_webhooks: 1, api_version: '2026-10-28.endive' },
      ...{ data: { object }, request: { id: null, idempotency_key: null } },
    });
    const event = { id, type, body };
    this.made.push(event);
    for (const delayMs of this.delaysMs(event)) this.#keep(this.#send(event, delayMs));
  }

  /** Sends an event that was made, now and once. */
  async resend({ body }: SentEvent): Promise<number> {
    const response = await fetch(this.target!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, this.secret) },
      body,
    });
    await response.arrayBuffer();
    this.statuses.push(response.status);
    return response.status;
  }

  /** Resolves when everything that is to be sent was sent. */
  async settled(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  stop(): void {
    this.#stop.abort();
  }

  #keep(work: Promise<void>): void {
    const kept = work.catch(() => undefined).finally(() => this.#under.delete(kept));
    this.#under.add(kept);
  }

  async #send(event: SentEvent, delayMs: number): Promise<void> {
    for (const waitMs of [delayMs, ...RETRIES_MS]) {
      await sleep(waitMs, null, { signal: this.#stop.signal });
      if (this.target === null) return;
      const status = await this.resend(event).catch(() => 0);
      if (status >= 200 && status < 300) return;
    }
  }
}
