import { promises as dns } from 'node:dns';
import type { Resolve } from '../../core/outbound/guarded-connector.ts';

/** Names that clients have chosen are asked for within this time, twice. */
const DNS_MS = 2000;

/**
 * Resolves a name by DNS. It does not use the system's function, which holds one of the four threads of libuv while a name server is silent:
 * clients could choose names that keep all of them busy.
 */
export const resolveByDns: Resolve = async (host) => {
  const resolver = new dns.Resolver({ timeout: DNS_MS, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length === 0) throw new Error(`the name ${host} has no address`);
  return addresses;
};

/** Resolves a name as the system does, with its file of hosts: for names that the operator has chosen. */
export const resolveBySystem: Resolve = (host) => dns.lookup(host, { all: true });
