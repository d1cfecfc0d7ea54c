import { networkOf } from '../../core/settings/networks.ts';
import type { SettingsReader } from '../../core/settings/settings-reader.ts';

/**
 * Networks and hosts inside the operator's own network that may receive webhooks. Names are in lower case, as URLs have them.
 * @throws Error for what is neither a network nor a host.
 */
export function webhookSettings({ text }: SettingsReader): { readonly allow: readonly string[] } {
  const entries = (text('WEBHOOK_ALLOW') ?? '').split(',');
  return { allow: entries.map((entry) => entry.trim().toLowerCase()).filter(isReceiver) };
}

function isReceiver(entry: string): boolean {
  if (entry === '') return false;
  const isHost = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(entry);
  // A name whose last part is a number is a mistyped address.
  if (networkOf(entry) !== null || (isHost && !/(^|\.)\d+$/.test(entry))) return true;
  throw new Error(`WEBHOOK_ALLOW must be networks and hosts such as 10.0.0.0/8,hooks.internal, not "${entry}"`);
}
