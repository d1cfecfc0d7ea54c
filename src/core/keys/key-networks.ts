import type { BlockList } from 'node:net';
import { isIn, networkList, networkOf } from '../settings/networks.ts';
import type { KeyLimits } from './key-store.ts';

/** By the limits of a cached record, so that its networks are read once. */
const lists = new WeakMap<KeyLimits, BlockList>();

/** Says whether a key may be used from an address. Without networks it may be used from everywhere. */
export function isAllowedFrom(limits: KeyLimits, ip: string | undefined): boolean {
  return limits.networks.length === 0 || isIn(listOf(limits), ip ?? '');
}

/**
 * Reads networks such as `203.0.113.0/24,2001:db8::/32`; an address alone is a network of one.
 * @throws Error that names the first text that is no network.
 */
export function parseNetworks(text: string): string[] {
  return text.split(',').map((part) => {
    const network = networkOf(part.trim());
    if (network !== null) return network;
    throw new Error(`"${part.trim()}" is no network: write for example 203.0.113.0/24 or 2001:db8::/32`);
  });
}

function listOf(limits: KeyLimits): BlockList {
  let list = lists.get(limits);
  if (!list) lists.set(limits, (list = networkList(limits.networks)));
  return list;
}
