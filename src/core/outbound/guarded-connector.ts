import type { LookupAddress } from 'node:dns';
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
