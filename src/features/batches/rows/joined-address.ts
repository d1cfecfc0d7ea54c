/** An address of several columns. The page imports this too. */
import { isBlankText } from './columns.ts';

/** Joins the parts of an address, without those that are blank. */
export function joinedAddress(parts: readonly string[]): string {
  return parts
    .filter((part) => !isBlankText(part))
    .map((part) => withoutZeros(part.trim()))
    .join(', ');
}

/** A whole number as programs write it whose column has fractions, or gaps: 12.0. */
export function withoutZeros(part: string): string {
  return /^\d+\.0+$/.test(part) ? part.replace(/\..*/, '') : part;
}
