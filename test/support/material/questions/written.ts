import { titled } from './names.ts';
import type { KnownAddress } from './known-address.ts';
import type { Truth } from './question.ts';

type Street = Pick<KnownAddress, 'name' | 'type' | 'direction'>;

/** "12A", "12 1/2". */
export function numberOf({ civic, suffix }: Pick<KnownAddress, 'civic' | 'suffix'>): string {
  return `${civic}${/^\d/.test(suffix) ? ' ' : ''}${suffix}`;
}

/** "Main St W". */
export function streetOf({ name, type, direction }: Street): string {
  return [name, typeOf(type), direction].filter(Boolean).join(' ');
}

/** "St". */
export function typeOf(type: string): string {
  return type.charAt(0) + type.slice(1).toLowerCase();
}

/** "Niagara-on-the-Lake". */
export function townOf({ municipality }: Pick<KnownAddress, 'municipality'>): string {
  return titled(municipality);
}

/** " K7L 1A1", or nothing where the register has none. */
export function codeOf({ postalCode }: Pick<KnownAddress, 'postalCode'>): string {
  return postalCode === '' ? '' : ` ${postalCode.slice(0, 3)} ${postalCode.slice(3)}`;
}

/** "12A Main St W". */
export function lineOf(address: KnownAddress): string {
  return `${numberOf(address)} ${streetOf(address)}`;
}

/** "12A Main St W, Kingston, ON". */
export function officialOf(address: KnownAddress): string {
  return `${lineOf(address)}, ${townOf(address)}, ON`;
}

/** The line of an address before names of places. */
export function askedIn(address: KnownAddress, ...places: readonly string[]): string {
  return [lineOf(address), ...places, 'ON'].join(', ');
}

export function truthOf(...addresses: readonly [KnownAddress, ...KnownAddress[]]): Truth {
  return { points: addresses.flatMap(({ points }) => points), address: officialOf(addresses[0]) };
}
