import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';
import { AllowList } from './allow-list.ts';

const MOST_CHARACTERS = 2048;

/** Lower ports belong to services that are no receivers of webhooks. */
const LEAST_PORT = 1024;

/** Names that are never public (RFC 6761, RFC 8375, RFC 6762, and `internal`, which ICANN reserved in 2024). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet|corp|home|private|onion)$/;

/**
 * Returns why a URL cannot be a receiver of webhooks, in words for the client; null when it can. Names are not resolved: what they resolve to is
 * checked at each attempt.
 * @param allowList receivers inside the operator's network, as in `WEBHOOK_ALLOW`.
 */
export function callbackUrlFault(url: string, allowList: readonly string[]): string | null {
  if (url.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS} characters`;
  // The parser would skip or change some of them, and so read another URL than other programs do.
  if (/[^\x21-\x7e]|[\\<>"^`{|}]/.test(url)) return 'it has characters that must be percent-encoded';
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return 'it must begin with https:// and a host';
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') return 'it must not have a user name or password';
  if (parsed.hash !== '') return 'it must not have a fragment';
  return hostFault(parsed, new AllowList(allowList));
}

function hostFault({ protocol, hostname, port }: URL, allowList: AllowList): string | null {
  const host = hostOf(hostname);
  if (allowList.has(host)) return null;
  if (protocol !== 'https:') return 'it must begin with https://';
  if (port !== '' && Number(port) < LEAST_PORT) return `its port must be 443 or at least ${LEAST_PORT}`;
  if (isIP(host) !== 0) return isPublicAddress(host) ? null : 'its address is not one of the public internet';
  const name = host.replace(/\.$/, '');
  return name.includes('.') && !PRIVATE_NAME.test(name) ? null : 'its host is not a name of the public internet';
}

/** The host of a URL, as `AllowList` takes it: an IPv6 address without its brackets. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
