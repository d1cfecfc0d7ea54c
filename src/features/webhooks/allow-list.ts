import type { BlockList } from 'node:net';
import { isIn, networkList, networkOf } from '../../core/settings/networks.ts';

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
