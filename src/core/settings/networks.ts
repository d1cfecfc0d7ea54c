/** Networks in CIDR notation, such as `203.0.113.0/24`. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Returns the network that a text names, null when it names none. An address alone is a network of one. */
export function networkOf(text: string): string | null {
  const [address = '', length, more] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  if (isIP(address) === 0 || !isLength || more !== undefined) return null;
  return length === undefined ? `${address}/${bits}` : text;
}

/** Makes a list of networks that `networkOf` returned. */
export function networkList(networks: Iterable<string>): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, length] = network.split('/') as [string, string];
    list.addSubnet(address, Number(length), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Says whether a list has an address. False for a text that is no address. */
export function isIn(list: BlockList, ip: string): boolean {
  const family = isIP(ip);
  return family !== 0 && list.check(ip, family === 4 ? 'ipv4' : 'ipv6');
}

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
