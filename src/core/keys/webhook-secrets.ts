/** What the webhooks of a key are signed with. It must be readable, because a signature needs the secret itself. */
export interface WebhookSecret {
  /** `whsec_` and 32 random bytes in base64. */
  readonly secret: string;
  readonly createdAt: string;
  /** When it ceases to sign, after a rotation; null: it is the present one. */
  readonly endsAt: string | null;
}

/** Where the secrets of keys are stored: where the keys are. */
export interface WebhookSecretStore {
  /**
   * Replaces the webhook secrets of a key by the result of `change`, without another change in between; null: there is nothing to change. Returns the
   * secrets as they are then.
   */
  changeWebhookSecrets(
    keyId: string,
    change: (before: readonly WebhookSecret[]) => readonly WebhookSecret[] | null,
  ): Promise<readonly WebhookSecret[]>;
}
