import type { Fault } from '../messages/wire/geocode.ts';
import type { AddressWords } from './address-words.ts';
import type { StreetParts } from './street-name.ts';

/** The words before the places, and the places. */
export interface PlaceCut {
  readonly head: AddressWords;
  /** Keys of the municipalities named, the one next to the street first; empty when none is. */
  readonly municipalities: readonly string[];
  /** For each county named: the census divisions that it may be. */
  readonly divisions: readonly (readonly string[])[];
  readonly faults: readonly Fault[];
}

/** Several numbers before one street, of which a reading takes one: "845-847", "12, 14 and 16". The answer must hold for each. */
export interface Among {
  readonly numbers: readonly { readonly civic: number; readonly suffix: string | null }[];
  /** A comma, a plus or a blank stands between them: the register must have each. */
  readonly isList: boolean;
  /** A word stands between them, or a hyphen between ends that a range may have: the register need not have each, and may have others between. */
  readonly isRange: boolean;
}

/** One way to understand an address, which gives each of its words a role. */
export interface Reading extends Omit<PlaceCut, 'head'> {
  readonly unit: string | null;
  readonly civic: number;
  /** A letter or a fraction such as "1/2". */
  readonly suffix: string | null;
  /** True when the letter may as well be a direction, or a digit, so that the number counts with this very suffix alone. */
  readonly needsSuffix: boolean;
  /** The street as the address has it; the register may write it in another way or not know it. */
  readonly typedStreet: StreetParts;
  /** The words of the typed street as they were written, before folding. */
  readonly written: readonly string[];
  /** Null when the text has one number, or this reading takes all that it has. */
  readonly among: Among | null;
  /** True when a second whole address stands behind this one: "54 King, 619 O'Connor Dr". It answers nothing, and speaks against the second. */
  readonly isFirstOfTwo: boolean;
  /** True when words were turned round or counted otherwise than they stand. */
  readonly isTurned: boolean;
  /** What this reading leaves out or turns round; empty when every word is taken as it stands. */
  readonly faults: readonly Fault[];
}
