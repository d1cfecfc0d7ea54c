/** What the options and arguments of `land-lookup keys` take. A parser throws InvalidArgumentError that says what it takes. */
import { InvalidArgumentError } from 'commander';
import { parseNetworks } from '../core/keys/key-networks.ts';
import type { KeyLimits } from '../core/keys/key-store.ts';
import { wholeNumber } from '../core/terminal/whole-number.ts';

export interface CreateOptions {
  readonly name: string;
  readonly limit?: number;
  readonly expires?: string;
  readonly customer?: string;
  readonly budget?: number;
  readonly burst?: number;
  readonly inFlight?: number;
  readonly networks?: string[];
  readonly batchRowsPerDay?: number;
}

/** `default` and `none` mean null, which commander cannot pass. */
export interface SetOptions {
  readonly name?: string;
  readonly limit?: number | 'default';
  readonly customer?: string;
  readonly budget?: number | 'none';
  readonly burst?: number | 'none';
  readonly inFlight?: number | 'default';
  readonly networks?: string[];
  readonly batchRowsPerDay?: number;
}

/** The limits that were given. */
export function limitsOf({ budget, burst, inFlight, networks, batchRowsPerDay }: SetOptions): Partial<KeyLimits> {
  return {
    ...(budget === undefined ? {} : { budgetPerMonth: numberOrNull(budget) }),
    ...(burst === undefined ? {} : { burstPerS: numberOrNull(burst) }),
    ...(inFlight === undefined ? {} : { inFlight: numberOrNull(inFlight) }),
    ...(networks === undefined ? {} : { networks }),
    ...(batchRowsPerDay === undefined ? {} : { batchRowsPerDay }),
  };
}

export function numberOrNull(value: number | string): number | null {
  return typeof value === 'number' ? value : null;
}

export function parseName(text: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() !== '') return text;
  throw new InvalidArgumentError('1 to 100 printable characters');
}

export const parseLimit = wholeNumber(999_999_999);

/** Like `parseLimit`, and 0. */
export function parseCount(text: string): number {
  return text === '0' ? 0 : parseLimit(text);
}

export function parseLimitOr<Word extends string>(word: Word): (text: string) => number | Word {
  return (text) => (text === word ? word : parseLimit(text));
}

export function parseKeyNetworks(text: string): string[] {
  try {
    return parseNetworks(text);
  } catch (cause) {
    throw new InvalidArgumentError((cause as Error).message);
  }
}

export function parseNetworksOrAll(text: string): string[] {
  return text === 'all' ? [] : parseKeyNetworks(text);
}

export function parseHours(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('whole hours from 0 to 9999');
}

/** @throws InvalidArgumentError for what is no customer id. */
export function parseCustomer(text: string): string {
  if (/^cus_[A-Za-z0-9]{1,60}$/.test(text)) return text;
  throw new InvalidArgumentError('a customer id, for example cus_NffrFeUfNV2Hib');
}

export function parseCustomerOrNone(text: string): string {
  return text === 'none' ? text : parseCustomer(text);
}

export function parseTime(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : NaN;
  if (time > Date.now()) return new Date(time).toISOString();
  throw new InvalidArgumentError('a time in the future, as YYYY-MM-DD or ISO 8601 with Z or an offset');
}

export function parseEnd(text: string): string {
  return text === 'never' ? text : parseTime(text);
}
