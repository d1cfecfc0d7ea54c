import { isIP } from 'node:net';
import { isIn, networkList } from '../../core/settings/networks.ts';

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
