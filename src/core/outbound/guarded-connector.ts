import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';

/** Decides which machines a request may reach, whose URL somebody else has chosen. */
export interface Guard {
  /** Says whether a request to this host may connect to this address, which the name has at this moment. */
  readonly allows: (host: string, ip: string) => boolean;
  readonly resolve: Resolve;
}

/** Returns the addresses of a name. @throws Error when it has none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

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

/**
 * Opens connections only to addresses that the guard allows. The addresses that are checked are the ones that are connected to: a name that resolves to
 * something else a moment later changes nothing.
 */
export function guardedConnector(build: typeof buildConnector, guard: Guard, timeoutMs: number) {
  const connect = build({ timeout: timeoutMs, lookup: guardedLookup(guard) });
  const connector: buildConnector.connector = (options, callback) => {
    const host = bare(options.hostname);
    // A host that is an address is never resolved, so no lookup would check it.
    if (isIP(host) !== 0 && !guard.allows(host, host)) callback(notAllowed(host), null);
    else connect(options, callback);
  };
  return connector;
}

function guardedLookup({ allows, resolve }: Guard): LookupFunction {
  return (host, { all, family }, callback) => {
    const answer = (addresses: readonly LookupAddress[]): void => {
      const wanted = addresses.filter((one) => !family || one.family === Number(String(family).replace('IPv', '')));
      const allowed = wanted.filter(({ address }) => allows(host, address));
      const [first] = allowed;
      if (!first) callback(notAllowed(host), []);
      else if (all) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    resolve(host).then(answer, (cause: unknown) => {
      callback(cause as Error, []);
    });
  };
}

/** The message does not name the address: it would tell a client about names of the operator's network. */
function notAllowed(host: string): Error {
  return new Error(`${host} is not an address of the public internet`);
}

/** Without the brackets of an IPv6 address in a URL. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
