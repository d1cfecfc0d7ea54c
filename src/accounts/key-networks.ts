import { BlockList, isIP } from 'node:net';
import type { KeyLimits } from './key-store.ts';

/** By the limits of a cached record, so that its networks are read once. */
const lists = new WeakMap<KeyLimits, BlockList>();

/** Says whether a key may be used from an address. Without networks it may be used from everywhere. */
export function isAllowedFrom(limits: KeyLimits, ip: string | undefined): boolean {
  if (limits.networks.length === 0) return true;
  const family = isIP(ip ?? '');
  return family !== 0 && listOf(limits).check(ip!, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Reads networks such as `203.0.113.0/24,2001:db8::/32`; an address alone is a network of one.
 * @throws Error that names the first text that is no network.
 */
export function parseNetworks(text: string): string[] {
  return text.split(',').map((part) => {
    const network = part.trim();
    const [address = '', length] = network.split('/');
    const bits = isIP(address) === 4 ? 32 : 128;
    const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (isIP(address) === 0 || !isLength || network.split('/').length > 2) {
      throw new Error(`"${network}" is no network: write for example 203.0.113.0/24 or 2001:db8::/32`);
    }
    return length === undefined ? `${address}/${bits}` : network;
  });
}

function listOf(limits: KeyLimits): BlockList {
  let list = lists.get(limits);
  if (!list) {
    lists.set(limits, (list = new BlockList()));
    for (const network of limits.networks) {
      const [address, length] = network.split('/') as [string, string];
      list.addSubnet(address, Number(length), isIP(address) === 4 ? 'ipv4' : 'ipv6');
    }
  }
  return list;
}
