/** Networks in CIDR notation, such as `203.0.113.0/24`. */
import { BlockList, isIP } from 'node:net';

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
