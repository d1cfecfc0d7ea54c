import { InvalidArgumentError } from 'commander';

/** Makes what reads an option that takes a whole number from 1 to `most`. It throws InvalidArgumentError, which says so. */
export function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`a whole number from 1 to ${most}`);
  };
}

/** Of snapshots or backups to keep: more than any disk holds. */
export const parseKept = wholeNumber(999_999);
