import { randomUUID } from 'node:crypto';
import type { SentEvent } from '../../messages/meter-events.ts';

const KEY = /^(lkp_[0-9a-f]{32})(?:-([1-9]\d{0,8}))?(?:\.[0-9a-f]{8})?$/;

/**
 * Returns the identifier of a lookup's event: the lookup's id, and for each time that it was given back for delivery a number after it. An
 * identifier that the processor accepted once would be a repetition.
 */
export function identifierOf({ id, resends }: SentEvent): string {
  return resends === 0 ? id : `${id}-${resends}`;
}

/**
 * Makes the idempotency key of one attempt: the identifier and eight random digits. Each attempt has its own, because the processor would
 * answer a second request with the same key by the first one's answer, also when that was a failure.
 */
export function createIdempotencyKey(event: SentEvent): string {
  return `${identifierOf(event)}.${randomUUID().slice(0, 8)}`;
}

/** Returns the event that an identifier or an idempotency key belongs to; null: it is not one of this service. */
export function eventOf(text: string): SentEvent | null {
  const [, id, resends = '0'] = KEY.exec(text) ?? [];
  return id === undefined ? null : { id, resends: Number(resends) };
}
