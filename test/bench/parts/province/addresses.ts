import { registerRows, writtenAddress, type RegisterRow } from '../../../real/register.ts';
import { benchRegister } from './snapshot.ts';

const MOST = 50_000;
/** A prime, so that neighbours in the register are far apart in the list. */
const STEP = 7919;

/** Some rows in an order that has nothing to do with where they are; from the beginning when there are too few. */
export function scattered(rows: readonly RegisterRow[], count: number): RegisterRow[] {
  return Array.from({ length: count }, (_, i) => rows[(i * STEP) % rows.length]!);
}

/** Addresses as a client writes them. */
export function benchAddresses(): string[] {
  const rows = registerRows(benchRegister);
  return scattered(rows, Math.min(rows.length, MOST)).map(writtenAddress);
}
