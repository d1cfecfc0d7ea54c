/** Settings of signing up. `config.ts` reads the environment for them. */
import { oneOf } from './setting-groups.ts';
import type { ReadText } from './settings-reader.ts';

/** Sign-ups with the payment processor's own page. */
export interface SignupConfig {
  /** The processor's id of the price of a lookup. */
  readonly price: string;
  readonly termsUrl: string;
  /** Address of the service for browsers, without a slash at its end; null: the one that it listens on. */
  readonly publicUrl: string | null;
  /** True: the processor's key is live. False: it is for tests. */
  readonly isLive: boolean;
}

/**
 * `SIGNUP=stripe`, and what belongs to it.
 * @param host where the service listens: only on the machine itself it needs no address for browsers, and only for tests.
 * @throws Error that says what is missing.
 */
export function readSignup(text: ReadText, host: string): SignupConfig | null {
  const { termsUrl, price, publicUrl } = readSignupTexts(text);
  const processor = text('SIGNUP');
  if (processor === undefined) return null;
  oneOf('SIGNUP', processor, ['stripe']);
  const needed = ['STRIPE_API_KEY', 'STRIPE_METER_EVENT', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE', 'TERMS_URL'];
  const missing = needed.filter((name) => text(name) === undefined);
  if (missing.length > 0) throw new Error(`SIGNUP=stripe also needs ${missing.join(', ')}`);
  const mode = /^[sr]k_(test|live)_/.exec(text('STRIPE_API_KEY')!)?.[1];
  if (mode === undefined)
    throw new Error('SIGNUP=stripe needs a STRIPE_API_KEY that begins with sk_test_, rk_test_, sk_live_ or rk_live_');
  const isLive = mode === 'live';
  if (publicUrl === null && (isLive || !LOOPBACK.has(host)))
    throw new Error(
      'SIGNUP=stripe also needs PUBLIC_URL, the address to which browsers return, such as https://land.example',
    );
  return { price: price!, termsUrl: termsUrl!, publicUrl, isLive };
}

/** @throws Error for a text that cannot be what it is for, also while nobody can sign up. */
function readSignupTexts(text: ReadText) {
  const [termsUrl, price, publicUrl] = [text('TERMS_URL'), text('STRIPE_PRICE'), text('PUBLIC_URL')];
  if (termsUrl !== undefined && !isBrowserUrl(termsUrl))
    throw new Error('TERMS_URL must be the https address of your terms');
  if (price !== undefined && !/^[\w-]{1,100}$/.test(price))
    throw new Error('STRIPE_PRICE must be the id of a price, such as price_1AbC');
  if (publicUrl === undefined) return { termsUrl, price, publicUrl: null };
  if (!isOrigin(publicUrl))
    throw new Error(
      'PUBLIC_URL must be the https address of this service without a path, such as https://land.example',
    );
  return { termsUrl, price, publicUrl: new URL(publicUrl).origin };
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

function isOrigin(given: string): boolean {
  return isBrowserUrl(given) && new URL(given).href === `${new URL(given).origin}/`;
}

/** By https, or without it on the machine itself. */
function isBrowserUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname } = new URL(given);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname.replace(/^\[|\]$/g, '')));
}
