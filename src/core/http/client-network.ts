import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address, because one
 * client has 2^64 of these addresses.
 * @param ip `req.ip`: with IPv4 as `::ffff:1.2.3.4` on a dual-stack socket, and undefined once the client has left.
 */
export function clientNetwork(ip: string | undefined): string {
  const plain = (ip ?? '').replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:([\d.]+)$/.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(plain)) return isIPv4(plain) ? plain : 'unknown';
  return `${expand(plain).slice(0, 4).join(':')}::/64`;
}

/** Returns the eight groups, without leading zeros. */
function expand(ip: string): string[] {
  const [head = '', tail] = ip.split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(zeros).fill('0'), ...after];
}

/** An embedded IPv4 address is in the last two groups, which the network does not need. */
function groups(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [parseInt(group, 16).toString(16)]));
}
