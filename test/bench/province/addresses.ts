import { registerRows, writtenAddress } from '../../real/register.ts';
import { benchRegister } from './snapshot.ts';

const MOST = 50_000;
/** A prime, so that neighbours in the register are far apart in the list. */
const STEP = 7919;

/** Addresses as a client writes them, in an order that has nothing to do with where they are. */
export function benchAddresses(): string[] {
  const rows = registerRows(benchRegister);
  return Array.from({ length: Math.min(rows.length, MOST) }, (_, i) => writtenAddress(rows[(i * STEP) % rows.length]!));
}
