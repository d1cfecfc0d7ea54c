import type { Fault } from '../wire/geocode.ts';
import type { StreetParts } from './street-name.ts';

/** One way to understand an address. */
export interface Reading {
  readonly unit: string | null;
  readonly civic: number;
  /** A letter or a fraction such as "1/2". */
  readonly suffix: string | null;
  /** The street as the address has it; the register may write it in another way or not know it. */
  readonly typedStreet: StreetParts;
  /** The words of the typed street as they were written, before folding. */
  readonly written: readonly string[];
  /** Keys of the municipalities named, the one next to the street first; empty when none is. */
  readonly municipalities: readonly string[];
  /** Faults of this reading: what it leaves out or reorders; empty for the plain reading. */
  readonly faults: readonly Fault[];
}

/** The words before the municipality, and the municipality. */
export interface MunicipalityCut {
  readonly head: readonly string[];
  readonly municipalities: readonly string[];
  readonly faults: readonly Fault[];
}
