import type { KnownAddress } from '../known-address.ts';
import type { KnownRegister, Written } from '../known-register.ts';
import type { Random } from '../question.ts';
import { codeOf, lineOf, numberOf, streetOf, townOf, typeOf } from '../written.ts';

/** A way in which people write an address that the register has. Null: not this one. */
export type Way = (parts: Parts, random: Random, register: KnownRegister) => string | null;

/** An address in the parts that ways put together. */
export interface Parts {
  readonly address: KnownAddress;
  /** "12A". */
  readonly number: string;
  readonly name: string;
  /** "St". */
  readonly type: string;
  readonly direction: string;
  /** "Main St W". */
  readonly street: string;
  /** "12A Main St W". */
  readonly line: string;
  readonly town: string;
  /** " K7L 1A1" or "". */
  readonly code: string;
  /** ", Kingston, ON K7L 1A1". */
  readonly tail: string;
}

/** Ways that leave out a part of the street, and so can be read only where nothing else fits. */
export interface WaysOf {
  readonly written: Written;
  readonly ways: Readonly<Record<string, Way>>;
}

/** @param withCode whether the tail has the postal code. */
export function partsOf(address: KnownAddress, withCode: boolean): Parts {
  const code = withCode ? codeOf(address) : '';
  return {
    ...{ address, number: numberOf(address), name: address.name, type: typeOf(address.type) },
    ...{ direction: address.direction, street: streetOf(address), line: lineOf(address), town: townOf(address), code },
    tail: `, ${townOf(address)}, ON${code}`,
  };
}

/** Joins what there is with spaces. */
export function words(...parts: readonly string[]): string {
  return parts.filter(Boolean).join(' ');
}
