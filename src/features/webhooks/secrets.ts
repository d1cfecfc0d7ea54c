import { randomBytes } from 'node:crypto';
import type { WebhookSecretStore } from '../../core/keys/key-store.ts';
import type { WebhookSecret } from '../../core/keys/records.ts';
import { DAY_MS } from '../../messages/time.ts';
import type { WebhookSecretBody } from './wire.ts';

/** Time that a replaced secret goes on signing. */
const OVERLAP_MS = DAY_MS;

/** Replaced secrets that sign, so that the header stays short when somebody rotates again and again. */
const MOST_REPLACED = 3;

const SECRET_BYTES = 32;

/** Returns the secrets that sign now, the present one first. Makes one for a key that has none. */
export async function signingSecrets(store: WebhookSecretStore, keyId: string): Promise<readonly string[]> {
  const secrets = await store.changeWebhookSecrets(keyId, (before) =>
    before.some(({ endsAt }) => endsAt === null) ? null : [newSecret(Date.now()), ...before],
  );
  return inForce(secrets, Date.now()).map(({ secret }) => secret);
}

/** Gives a key another secret. The ones before go on signing for a day. */
export async function rotateSecret(store: WebhookSecretStore, keyId: string): Promise<WebhookSecretBody> {
  const nowMs = Date.now();
  const endsAt = new Date(nowMs + OVERLAP_MS).toISOString();
  const [present, previous] = await store.changeWebhookSecrets(keyId, (before) => [
    newSecret(nowMs),
    ...inForce(before, nowMs)
      .slice(0, MOST_REPLACED)
      .map((secret) => ({ ...secret, endsAt: secret.endsAt ?? endsAt })),
  ]);
  return { secret: present!.secret, previousEndsAt: previous?.endsAt ?? null };
}

function inForce(secrets: readonly WebhookSecret[], nowMs: number): readonly WebhookSecret[] {
  return secrets.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > nowMs);
}

function newSecret(nowMs: number): WebhookSecret {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, createdAt: new Date(nowMs).toISOString(), endsAt: null };
}
