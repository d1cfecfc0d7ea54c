import { Webhook } from 'standardwebhooks';
import { retryAfterMs, send } from '../../core/outbound/client.ts';
import type { Guard } from '../../core/outbound/guarded-connector.ts';
import type { ClaimedDelivery } from './delivery.ts';
import type { AttemptResult } from './retry-schedule.ts';
import { messageOf } from '../../words.ts';

export interface SendOptions {
  /** The present one first; each gives a signature. */
  readonly secrets: readonly string[];
  readonly guard: Guard;
  /** From the name's resolution to the header of the answer. */
  readonly deadlineMs: number;
}

/** Longest text of a failure that is kept. */
const MOST_CHARACTERS = 200;

/**
 * Sends a delivery once, by the Standard Webhooks specification 1.0.0. The status alone says whether it succeeded: redirects are not followed, and the body
 * of the answer is not read. Never fails.
 */
export async function sendDelivery(
  { id, url, body }: Pick<ClaimedDelivery, 'id' | 'url' | 'body'>,
  { secrets, guard, deadlineMs }: SendOptions,
): Promise<AttemptResult> {
  const at = new Date();
  const startMs = performance.now();
  const result = (status: number | null, error: string | null, waitMs: number | null = null): AttemptResult => ({
    attempt: { at: at.toISOString(), ms: Math.round(performance.now() - startMs), status, error },
    retryAfterMs: waitMs,
  });
  try {
    const answer = await send({
      ...{ url, body, guard, deadlineMs, idleMs: deadlineMs },
      ...{ method: 'POST', redirect: 'manual', headers: signedHeaders({ id, body, at, secrets }) },
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
