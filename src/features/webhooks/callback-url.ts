import { type BlockList, isIP } from 'node:net';
import { isIn, networkList, networkOf } from '../../core/settings/networks.ts';

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

/** What is not public in IPv4, by IANA's registry of special-purpose addresses (RFC 6890), with multicast (RFC 5771). */
const notPublic = networkList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  // Protocol assignments, documentation, relays of 6to4, benchmarks.
  ...['192.0.0.0/24', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '192.88.99.0/24', '198.18.0.0/15'],
  // Hosts and services of clouds at addresses of the public internet that only their own machines reach: Azure's host (with its metadata), the metadata
  // of Equinix, services of IBM, private and restricted ways to Google's APIs.
  ...['168.63.129.16/32', '192.80.8.124/32', '161.26.0.0/16', '166.8.0.0/14', '199.36.153.4/30', '199.36.153.8/30'],
  // Multicast; reserved, with the broadcast address.
  ...['224.0.0.0/4', '240.0.0.0/4'],
]);

/**
 * The one block of which IANA assigns public IPv6 addresses. All others lie outside it: loopback, link-local, unique local, multicast, addresses with
 * an IPv4 address inside (`::ffff:0:0/96`, NAT64 `64:ff9b::/96` and `64:ff9b:1::/48`), the discard prefix.
 */
const assigned6 = networkList(['2000::/3']);

/** What is not public inside it: protocol assignments with Teredo and benchmarks, 6to4, documentation. */
const notPublic6 = networkList(['2001::/23', '2002::/16', '2001:db8::/32', '3fff::/20']);

/** Says whether an address belongs to the public internet. False for a text that is no address. */
export function isPublicAddress(ip: string): boolean {
  // A zone leads to one link of this machine.
  if (ip.includes('%')) return false;
  return isIP(ip) === 4 ? !isIn(notPublic, ip) : isIn(assigned6, ip) && !isIn(notPublic6, ip);
}

/** Receivers inside the operator's own network (`WEBHOOK_ALLOW`): names of hosts, and networks. */
export class AllowList {
  readonly #hosts: ReadonlySet<string>;
  readonly #networks: BlockList;

  /** @param entries as `WEBHOOK_ALLOW` has them: each a network, an address or the name of a host. */
  constructor(entries: readonly string[]) {
    const networks = entries.flatMap((entry) => networkOf(entry) ?? []);
    this.#networks = networkList(networks);
    this.#hosts = new Set(entries.filter((entry) => networkOf(entry) === null).map((entry) => entry.toLowerCase()));
  }

  /** Says whether the list has this name, or the network of this address. */
  has(host: string): boolean {
    return this.#hosts.has(host) || isIn(this.#networks, host);
  }

  /** Says whether the list has the name itself, so that all its addresses are allowed. */
  hasName(host: string): boolean {
    return this.#hosts.has(host);
  }
}
