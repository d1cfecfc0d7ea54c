/** Settings that belong together, and those with a form of their own. `config.ts` reads the environment for them. */
import { parseRedisUrl } from './redis-url.ts';
import type { ReadText } from './settings-reader.ts';
import { messageOf } from '../../words.ts';

/** The payment processor. */
export interface BillingConfig {
  readonly apiKey: string;
  /** Event name of the meter that counts lookups. */
  readonly meterEvent: string;
  /** Null: the processor's own address. */
  readonly apiBase: string | null;
  /** Null: its reports are not accepted. */
  readonly webhookSecret: string | null;
}

/** @throws Error that contains none of the secrets. */
export function billing(text: ReadText): BillingConfig | null {
  const apiKey = text('STRIPE_API_KEY');
  const meterEvent = text('STRIPE_METER_EVENT');
  const apiBase = text('STRIPE_API_BASE') ?? null;
  const webhookSecret = text('STRIPE_WEBHOOK_SECRET') ?? null;
  if (apiBase !== null && !(URL.canParse(apiBase) && /^https?:$/.test(new URL(apiBase).protocol))) {
    throw new Error('STRIPE_API_BASE must be a URL that begins with https:// or http://');
  }
  if (apiKey === undefined) return null;
  if (/[^\x21-\x7e]/.test(apiKey)) throw new Error('STRIPE_API_KEY must be visible ASCII characters');
  if (meterEvent === undefined) throw new Error('STRIPE_METER_EVENT must be set when STRIPE_API_KEY is');
  if (meterEvent.length > 100)
    throw new Error('STRIPE_METER_EVENT must be the event name of a meter, at most 100 characters');
  return { apiKey, meterEvent, apiBase, webhookSecret };
}

/** @throws Error without the URL's text, which may hold a password. */
export function redisUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  try {
    parseRedisUrl(given);
    return given;
  } catch (cause) {
    throw new Error(`REDIS_URL ${messageOf(cause)}`, { cause });
  }
}

/** Returns the address of the service for browsers without a slash at its end; null: it is not given. @throws Error when it is none. */
export function publicUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (isBrowserUrl(given) && new URL(given).href === `${new URL(given).origin}/`) return new URL(given).origin;
  throw new Error('PUBLIC_URL must be the https address of this service without a path, such as https://land.example');
}

/** Returns an https URL, or an address of mail with `mailto:` before it; null: it is not given. @throws Error when it is neither. */
export function contact(given: string | undefined): string | null {
  if (given === undefined) return null;
  const asUrl = given.includes(':') ? given : `mailto:${given}`;
  if (isWebOrMail(asUrl)) return asUrl;
  throw new Error('CONTACT must be an https URL or an address of mail, such as help@example.ca');
}

/** An address of mail as browsers take it, without the rarer forms that it may have. */
const MAIL = /^mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+$/;

/** Says whether it is an https URL without a user, or `mailto:` and one address. */
export function isWebOrMail(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : null;
  return MAIL.test(given) || (url?.protocol === 'https:' && url.username === '');
}

/** Says whether a URL is one by https, or without it on the machine itself. */
export function isBrowserUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname } = new URL(given);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname.replace(/^\[|\]$/g, '')));
}

/** Hosts that are this machine itself. */
export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

export function oneOf<const T extends string>(name: string, given: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === given);
  if (choice !== undefined) return choice;
  throw new Error(`${name} must be one of ${choices.join(', ')}, not "${given}"`);
}
